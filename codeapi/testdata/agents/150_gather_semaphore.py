import asyncio, time

async def fetch(name, delay):
    await asyncio.sleep(delay)
    if name == "bad":
        raise RuntimeError("no " + name)
    return name.upper()

async def main():
    results = await asyncio.gather(fetch("a", 0.01), fetch("bad", 0.005), fetch("b", 0.001), return_exceptions=True)
    ok = [r for r in results if not isinstance(r, Exception)]
    bad = [f"{type(r).__name__}: {r}" for r in results if isinstance(r, Exception)]
    sem = asyncio.Semaphore(2)
    async def limited(n):
        async with sem:
            await asyncio.sleep(0)
            return n * n
    squares = await asyncio.gather(*(limited(i) for i in range(5)))
    try:
        await asyncio.wait_for(asyncio.sleep(1), timeout=0.01)
    except asyncio.TimeoutError:
        print("timed out")
    return ok, bad, squares

ok, bad, squares = asyncio.run(main())
print(ok, bad, squares)
result = {"ok": ok, "bad": bad, "squares": squares}
