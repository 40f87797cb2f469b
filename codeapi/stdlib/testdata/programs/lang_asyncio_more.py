import asyncio, time
async def work(n, d=0.01):
    await asyncio.sleep(d); return n * 2
async def boom(): await asyncio.sleep(0.005); raise ValueError("boom")
async def main():
    print(await asyncio.gather(*(work(i) for i in range(3))))
    print(await asyncio.gather(work(1), boom(), return_exceptions=True))
    try: await asyncio.wait_for(asyncio.sleep(5), timeout=0.01)
    except asyncio.TimeoutError: print("timeout")
    async with asyncio.TaskGroup() as tg:
        t1 = tg.create_task(work(5)); t2 = tg.create_task(work(6))
    print(t1.result(), t2.result())
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(boom())
    except ExceptionGroup as eg: print("EG", eg.exceptions)
    sem = asyncio.Semaphore(2); running = 0; peak = 0
    async def lim(i):
        nonlocal running, peak
        async with sem:
            running += 1; peak = max(peak, running); await asyncio.sleep(0.005); running -= 1
            return i
    print(await asyncio.gather(*[lim(i) for i in range(5)]), peak)
    q = asyncio.Queue(maxsize=2); out = []
    async def prod():
        for i in range(4): await q.put(i)
        await q.put(None)
    async def cons():
        while (x := await q.get()) is not None: out.append(x)
    await asyncio.gather(prod(), cons()); print(out)
    done, pending = await asyncio.wait([asyncio.create_task(work(i, i * 0.01 + 0.001)) for i in range(3)], return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending))
    for p in pending: p.cancel()
    for c in asyncio.as_completed([work(1, 0.03), work(2, 0.01)]): print(await c)
    async def agen():
        for i in range(3): yield i; await asyncio.sleep(0)
    print([x async for x in agen()], [x async for x in agen() if x % 2 == 0])
    async for x in agen(): print(x, end=" ")
    print()
    class CM:
        async def __aenter__(self): print("enter"); return self
        async def __aexit__(self, *a): print("exit", a[0]); return True
    async with CM() as c: raise KeyError("x")
    t = asyncio.create_task(asyncio.sleep(10)); await asyncio.sleep(0); t.cancel()
    try: await t
    except asyncio.CancelledError: print("cancelled", t.cancelled())
    lock = asyncio.Lock(); ev = asyncio.Event()
    async def waiter(): await ev.wait(); return "go"
    w = asyncio.create_task(waiter()); await asyncio.sleep(0); ev.set(); print(await w)
    async with asyncio.timeout(1): print("in time")
    loop = asyncio.get_running_loop(); print(await loop.run_in_executor(None, lambda: 7), await asyncio.to_thread(lambda x: x + 1, 4))
    print(await asyncio.shield(work(3)), asyncio.current_task() is not None)
    me = asyncio.current_task()
    try: await me
    except RuntimeError as e: print("RE", str(e)[:30])
    return "end"
print(asyncio.run(main()))
