import asyncio


async def fetch(n: int) -> dict:
    await asyncio.sleep(0)
    return {"n": n, "square": n * n}


async def main():
    rows = await asyncio.gather(*[fetch(i) for i in range(5)])
    even = [r for r in rows if r["n"] % 2 == 0]
    for row in even:
        print(f"{row['n']} -> {row['square']}")
    return {"count": len(rows), "even_sum": sum(r["square"] for r in even)}


__result__ = asyncio.run(main())
