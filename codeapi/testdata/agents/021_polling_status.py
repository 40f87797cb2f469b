import asyncio

statuses = iter(["queued", "queued", "running", "running", "done"])


async def get_status(job_id):
    return {"job": job_id, "state": next(statuses)}


found = False
polls = 0
while not found:
    status = await get_status("j-17")
    polls += 1
    found = status["state"] == "done"
    print(f"poll {polls}: {status['state']}")
    if not found:
        await asyncio.sleep(0.001)

__result__ = {"polls": polls, "final": status}
