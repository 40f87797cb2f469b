"""A real MCP client: the official Python SDK, either generation, against bmcis.

    client.py stdio PROGRAM ARG...      starts the server itself
    client.py http URL                  talks to a server that runs

Lists the tools, runs the three patterns of examples/, two broken programs and one that
reports progress, and fails with a message on the first answer that is not as promised.
"""
import asyncio
import contextlib
import json
import pathlib
import sys

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

        outcome = await run(session, "1 + 1")
        assert outcome["result"] == 2, outcome
    print("ok")


asyncio.run(main(sys.argv[1], sys.argv[2:]))
