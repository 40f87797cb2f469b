import asyncio
async def job(n):
    if n == 2:
        raise RuntimeError(f"job {n} failed")
    return n * 10
async def main():
    results = await asyncio.gather(*[job(i) for i in range(4)], return_exceptions=True)
    for i, r in enumerate(results):
        print(i, "error: " + str(r) if isinstance(r, Exception) else r)
asyncio.run(main())
