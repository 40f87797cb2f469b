--- ann
r = call_mcp_tool("mcp__box__big-number", {"number": 12345678901234567890, "label": "x"})
assert r["sum"] == 12345678901234567891 and r["items"] == [1, 2.5] and r["label"] == "x", r
from client import call_mcp_tool as call
assert (await call("mcp__box__create_issue", {"title": "bug"}, dict))["number"] == 7
--- ann
from servers.box import create_issue, big_number
issue = create_issue("crash")
assert issue == {"number": 7, "title": "crash"}, issue
assert create_issue(title="crash") == create_issue({"title": "crash"}) == issue
assert big_number(1, label="y")["label"] == "y"
import servers.box as box
assert box.create_issue("z")["title"] == "z"
from servers import box as again
assert again.create_issue("q")["title"] == "q"
import asyncio
rs = await asyncio.gather(*[create_issue(str(i)) for i in range(4)])
assert [r["title"] for r in rs] == ["0", "1", "2", "3"]
--- ann
from servers.box import create_isue  ### did you mean create_issue?
--- ann
from servers.bax import create_issue  ### did you mean servers.box?
--- ann
from servers.box import create_issue
create_issue("a", "b")  ### takes at most 1 arguments
--- ann
call_mcp_tool("mcp__box__create_issue", {"titel": "x"})  ### ValueError
--- ann
call_mcp_tool("mcp__box__big-number", {"number": 1, "label": "fail"})  ### the box is broken
--- ann
r = attempt(call_mcp_tool, "mcp__box__big-number", {"number": 1, "label": "fail"})
assert r["ok"] == False and "the box is broken" in r["error"], r
try:
    call_mcp_tool("mcp__box__nothing")
except LookupError as e:
    result = str(e)
--- ann
assert call_mcp_tool("mcp__box__empty") == "emptied"
call_mcp_tool("mcp__box__create_issue", {"title": "x"}, list)  ### TypeError
--- ann
from dataclasses import dataclass
@dataclass
class Issue:
    number: int
    title: str
i = call_mcp_tool("mcp__box__create_issue", {"title": "x"}, Issue)
assert i.number == 7 and i.title == "x"
--- bob
call_mcp_tool("mcp__box__empty")  ### an administrator may allow it: bmcis tokens set bob --destructive mcp__box__empty
--- bob
from servers.box import big_number  ### bmcis tokens set bob --allow-tools
--- bob
names = [t.name for t in search_tools("", "name_only", category="box", limit=100)]
assert names == ["mcp__box__create_issue"], names
get_tool_definition("mcp__box__empty")  ### LookupError
--- ann
t = search_tools("report a defect in the source code of a project", limit=3)
assert t[0].name == "mcp__box__create_issue" and t[0].server == "box" and t[0]["category"] == "box", t
assert "input_schema" not in t[0] and t[0].description.startswith("Opens a ticket")
assert all("description" not in x for x in search_tools("ticket", detail_level="name_only"))
full = search_tools("ticket", detail_level="full", limit=1)[0]
assert full.input_schema["required"] == ["title"] and full["import"] == "from servers.box import create_issue", full
d = get_tool_definition("create_issue", category="box")
assert d.signature.startswith("create_issue(title: str") and not d.get("destructive")
assert get_tool_definition("empty").destructive
assert "search.hybrid_search" in [t.name for t in search_tools("search documents by keywords and meaning at once", limit=5)]
save_skill("tidy_rows", "def tidy_rows(rows, columns: list = None):\n    return rows", "Removes empty rows and columns from a table")
s = search_tools("clean a table of blank lines", limit=2)
assert s[0].name == "skills.tidy_rows", s
assert get_tool_definition("tidy_rows")["import"] == "from skills import tidy_rows"
from tool_discovery import search_tools as again
assert "skills.tidy_rows" in [t.name for t in again(category="skills")]
search_tools("x", category="boxx")  ### did you mean box?
--- bob
assert search_tools(category="search")[0].server == "bmcis_knowledge"
assert "skills.tidy_rows" not in [t.name for t in search_tools("clean a table of blank lines", limit=100)]
assert all(t.server == "bmcis_knowledge" for t in search_tools(category="skills"))
