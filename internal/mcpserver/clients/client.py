"""A real MCP client: the official Python SDK, either generation, against bmcis.

    client.py stdio PROGRAM ARG...      starts the server itself
    client.py http URL                  talks to a server that runs

Lists the tools, runs the three patterns of examples/, two broken programs, one that
reports progress and one that is cancelled, and fails with a message on the first answer that is not as promised.
"""
import asyncio
import contextlib
import json
import pathlib
import sys
import time

import mcp

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


@contextlib.asynccontextmanager
async def connected(kind, rest):
    """A session of whichever generation of the SDK is installed."""
    if hasattr(mcp, "Client"):  # 2.x
        target = mcp.StdioServerParameters(command=rest[0], args=rest[1:]) if kind == "stdio" else rest[0]
        async with mcp.Client(target) as client:
            yield client
        return
    from mcp.client.stdio import stdio_client  # 1.x
    from mcp.client.streamable_http import streamablehttp_client

    transport = (
        stdio_client(mcp.StdioServerParameters(command=rest[0], args=rest[1:]))
        if kind == "stdio"
        else streamablehttp_client(rest[0])
    )
    async with transport as streams, mcp.ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        yield session


def field(value, new, old):
    """2.x writes names in snake case, 1.x in camel case."""
    return getattr(value, new) if hasattr(value, new) else getattr(value, old)


async def run(session, code, **arguments):
    result = await session.call_tool("execute_code", {"code": code, **arguments})
    outcome = field(result, "structured_content", "structuredContent")
    text = json.loads(result.content[0].text)
    assert outcome == text, "structured content and its text copy differ"
    assert field(result, "is_error", "isError") == (not outcome["success"]), outcome
    return outcome


async def cancel(session, call, request_id):
    """Gives up a call as this generation of the SDK does."""
    if hasattr(mcp, "Client"):  # 2.x tells the server by itself
        call.cancel()
    else:
        note = mcp.types.CancelledNotification(
            method="notifications/cancelled", params=mcp.types.CancelledNotificationParams(requestId=request_id)
        )
        await session.send_notification(mcp.types.ClientNotification(note))
    with contextlib.suppress(asyncio.CancelledError, Exception):
        await asyncio.wait_for(call, 5)


async def check_cancellation(session):
    started = asyncio.Event()

    async def on_progress(progress, total, message):
        started.set()

    mark = f"endless {time.time()}"
    # 1.x counts its requests, and this is the next one.
    request_id = getattr(session, "_request_id", None)
    call = asyncio.ensure_future(
        session.call_tool(
            "execute_code",
            {"code": "print('started')\nwhile True:\n    pass", "description": mark, "timeout": 120},
            progress_callback=on_progress,
        )
    )
    await asyncio.wait_for(started.wait(), 20)
    await cancel(session, call, request_id)
    for _ in range(50):
        result = await session.call_tool("get_execution_stats", {"limit": 20})
        runs = field(result, "structured_content", "structuredContent")["recent"]
        ended = [run for run in runs if run.get("description") == mark]
        if ended:
            assert ended[0]["outcome"] == "cancelled", ended
            print(f"cancelled after {ended[0]['ms']:.0f} ms")
            return
        await asyncio.sleep(0.2)
    raise AssertionError("the cancelled program still runs")


async def main(kind, rest):
    async with connected(kind, rest) as session:
        tools = (await session.list_tools()).tools
        tool = next(t for t in tools if t.name == "execute_code")
        assert field(tool, "output_schema", "outputSchema"), "execute_code has no output schema"
        assert tool.annotations is not None

        for name, context in [
            ("search.py", {}),
            ("rerank_filter.py", {}),
            ("conditional.py", {"query": "serve static files over https"}),
        ]:
            outcome = await run(session, (EXAMPLES / name).read_text(), context=context)
            assert outcome["success"], f"{name}: {outcome['error']}"
            assert outcome["result"], f"{name}: empty answer"
            ledger = outcome["ledger"]
            assert ledger["tokens_touched"] > ledger["tokens_returned"] > 0, f"{name}: {ledger}"
            print(f"{name}: {ledger['tokens_touched']} tokens touched, {ledger['tokens_returned']} returned")

        outcome = await run(session, "import os\nos.system('id')")
        assert outcome["error"]["kind"] == "validation" and "import: os" in outcome["error"]["message"], outcome
        outcome = await run(session, "while True:\n    pass", timeout=1)
        assert outcome["error"]["kind"] == "timeout", outcome

        seen = []

        async def on_progress(progress, total, message):
            seen.append(message)

        await session.call_tool(
            "execute_code", {"code": "for i in range(50):\n    print('line', i)"}, progress_callback=on_progress
        )
        for _ in range(50):  # the SDK hands notifications on beside the answer
            if len(seen) < 50:
                await asyncio.sleep(0.02)
        assert seen == [f"line {i}" for i in range(50)], seen

        await check_cancellation(session)

        outcome = await run(session, "1 + 1")
        assert outcome["result"] == 2, outcome
    print("ok")


asyncio.run(main(sys.argv[1], sys.argv[2:]))
