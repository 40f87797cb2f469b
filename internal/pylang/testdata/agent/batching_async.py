import asyncio
async def process(x):
    await asyncio.sleep(0)
    return x * x
async def main():
    items, out = list(range(7)), []
    for i in range(0, len(items), 3):
        out += await asyncio.gather(*[process(x) for x in items[i:i + 3]])
    tasks = [asyncio.create_task(process(n)) for n in (10, 20)]
    return out + [await t for t in tasks]
print(asyncio.run(main()))
