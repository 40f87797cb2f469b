import asyncio
from collections import defaultdict

class EventBus:
    def __init__(self):
        self._subs = defaultdict(list)
        self.history = []

    def on(self, topic):
        def deco(fn):
            self._subs[topic].append(fn)
            return fn
        return deco

    async def emit(self, topic, **payload):
        self.history.append(topic)
        results = []
        for handler in self._subs.get(topic, ()):
            r = handler(**payload)
            if asyncio.iscoroutine(r):
                r = await r
            results.append(r)
        return results

bus = EventBus()

@bus.on("created")
async def index(id, **_):
    await asyncio.sleep(0)
    return f"indexed {id}"

@bus.on("created")
def audit(id, who="system", **extra):
    return f"{who} made {id} {sorted(extra)}"

async def producer(q, n):
    for i in range(n):
        await q.put((i, chr(97 + i)))
        await asyncio.sleep(0)
    await q.put(None)

async def consumer(q, out):
    while (item := await q.get()) is not None:
        i, name = item
        out.extend(await bus.emit("created", id=i, who=name, size=i * 10))
    return len(out)

async def main():
    q, out = asyncio.Queue(maxsize=2), []
    async with asyncio.TaskGroup() as tg:
        tg.create_task(producer(q, 3))
        t = tg.create_task(consumer(q, out))
    print(t.result(), *out, sep="\n")
    ev = asyncio.Event()
    async def waiter(n):
        await ev.wait()
        return n
    ts = [asyncio.create_task(waiter(i), name=f"w{i}") for i in range(3)]
    await asyncio.sleep(0)
    print([t.done() for t in ts])
    ev.set()
    done, pending = await asyncio.wait(ts)
    print(sorted(t.result() for t in done), len(pending), ts[0].get_name())
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(1)
    except TimeoutError:
        print("timeout")
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(asyncio.sleep(1))
            raise_later = tg.create_task(fail())
    except ExceptionGroup as eg:
        print(eg, [repr(e) for e in eg.exceptions])

async def fail():
    await asyncio.sleep(0.001)
    raise RuntimeError("child failed")

asyncio.run(main())
print(bus.history)
