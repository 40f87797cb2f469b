import asyncio
class Pipeline:
    def __init__(self): self.stages = []; self.log = []
    def stage(self, fn):
        self.stages.append(fn); return fn
    async def run(self, items):
        async for item in self.source(items):
            for st in self.stages:
                item = await st(item)
                if item is None: break
            else:
                self.log.append(item)
        return self.log
    async def source(self, items):
        for i in items:
            await asyncio.sleep(0)
            yield i
p = Pipeline()
@p.stage
async def double(x): return x * 2
@p.stage
async def drop(x): return None if x % 3 == 0 else x
async def main():
    r = await p.run(range(6))
    lock = asyncio.Lock()
    async with lock: pass
    squares = [x async for x in p.source([1, 2])]
    return r, squares
result = asyncio.run(main())
