import asyncio
from dataclasses import dataclass


@dataclass
class Job:
    name: str
    cost: int
    done: bool = False


class Worker:
    def __init__(self, name: str):
        self.name = name
        self.log: list[str] = []

    async def handle(self, job: Job) -> int:
        await asyncio.sleep(0)
        job.done = True
        self.log.append(f"{self.name}:{job.name}")
        return job.cost * 2


async def main():
    worker = Worker("w1")
    jobs = [Job("parse", 2), Job("index", 5), Job("report", 1)]
    costs = await asyncio.gather(*(worker.handle(j) for j in jobs))
    print("log:", worker.log)
    return {"costs": list(costs), "all_done": all(j.done for j in jobs), "total": sum(costs)}


result = await main()
