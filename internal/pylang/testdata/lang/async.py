import asyncio


async def work(name, n):
    for i in range(n):
        print(name, i)
        await asyncio.sleep(0)
    return name * n


async def fail():
    await asyncio.sleep(0)
    raise ValueError("boom")


async def main():
    print(await asyncio.gather(work("a", 2), work("b", 3), work("c", 1)))
    t = asyncio.create_task(work("t", 2))
    print("created")
    print(await t)
    r = await asyncio.gather(work("x", 1), fail(), return_exceptions=True)
    print(r)
    try:
        await fail()
    except ValueError as e:
        print("caught", e)
    try:
        await asyncio.gather(fail(), work("y", 1))
    except ValueError as e:
        print("caught", e)
    try:
        await asyncio.wait_for(asyncio.sleep(5), timeout=0.01)
    except asyncio.TimeoutError:
        print("timeout")
    results = []
    for coro in [work("p", 1), work("q", 1)]:
        results.append(await coro)
    print(results)
    print([await work("z", 1) for _ in range(2)])
    sem = asyncio.Semaphore(1)

    async def limited(i):
        async with sem:
            print("in", i)
            await asyncio.sleep(0)
            print("out", i)
            return i
    print(await asyncio.gather(*[limited(i) for i in range(3)]))

    async def agen():
        for i in range(3):
            yield i
            await asyncio.sleep(0)
    async for v in agen():
        print("agen", v)
    print([v async for v in agen()])
    return "done"


if __name__ == "__main__":
    print(asyncio.run(main()))
