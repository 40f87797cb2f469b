import asyncio
log = []
async def worker(name, jobs):
    while jobs:
        job = jobs.pop(0)
        await asyncio.sleep(0)
        log.append(f"{name}:{job}")
async def main():
    jobs = list("abcd")
    await asyncio.gather(worker("w1", jobs), worker("w2", jobs))
asyncio.run(main())
print(log)
