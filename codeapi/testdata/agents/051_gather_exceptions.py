import asyncio


async def check(n):
    if n == 2:
        raise ValueError(f"bad input {n}")
    return n * 10


outcomes = await asyncio.gather(*[check(i) for i in range(4)], return_exceptions=True)
summary = []
for i, o in enumerate(outcomes):
    if isinstance(o, Exception):
        summary.append({"n": i, "error": f"{type(o).__name__}: {o}"})
    else:
        summary.append({"n": i, "value": o})

for s in summary:
    print(s)
__result__ = summary
