import asyncio
async def fetch(name: str, delay: int) -> dict:
    await asyncio.sleep(0)
    return {"name": name, "length": len(name) * delay}
async def main():
    names = ["alpha", "be", "gamma"]
    results = await asyncio.gather(*(fetch(n, i) for i, n in enumerate(names, 1)))
    total = sum(r["length"] for r in results)
    for r in results:
        print(r)
    return total
print(asyncio.run(main()))
