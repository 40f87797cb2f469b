--- ann
f = write_file("notes/a.txt", "first\n")
assert f.size == 6 and f["writer"] == "ann" and f.path == "notes/a.txt" and f.expires == "", f
assert read_file("notes/a.txt") == "first\n"
workspace.write_file("notes/a.txt", "second", append=True)
assert read_file("notes/a.txt") == "first\nsecond\n", read_file("notes/a.txt")
write_file("d.json", {"n": 12345678901234567890, "ä": [1.5, None, True]})
d = workspace.read_json("d.json")
assert d["n"] == 12345678901234567890 and d["ä"] == [1.5, None, True]
write_file("r.jsonl", [{"i": i} for i in range(3)])
write_file("r.jsonl", {"i": 3}, append=True)
assert [x["i"] for x in workspace.read_jsonl("r.jsonl")] == [0, 1, 2, 3]
write_file("t.csv", [{"name": "a,b", "n": 1}, {"name": 'say "x"', "n": None}])
assert read_file("t.csv") == 'name,n\n"a,b",1\n"say ""x""",\n', read_file("t.csv")
assert workspace.read_csv("t.csv") == [{"name": "a,b", "n": "1"}, {"name": 'say "x"', "n": ""}]
assert workspace.read_csv("t.csv", header=False)[0] == ["name", "n"]
assert [f.name for f in list_files()] == ["d.json", "notes/a.txt", "r.jsonl", "t.csv"]
assert [f.name for f in list_files("notes/")] == ["notes/a.txt"]
delete_file("d.json")
result = len(list_files())
--- ann
read_file("d.json")  ### FileNotFoundError: file "d.json" not found
--- ann
read_file("../etc/passwd")  ### ValueError: invalid: file name
--- ann
write_file("x.json", "{not json")  ### is to be JSON
--- ann
write_file("x.csv", [{"a": 1}, {"a": 1, "b": 2}])  ### row 2 has keys that the first row has not
--- ann
write_file("x.txt", "a", if_match="wrong")  ### FileExistsError
--- ann
write_file("big.txt", "x" * 3000000)  ### at most 2097152 can be written at once
--- ann
from workspace import read_file, write_file
from bmcis_knowledge.workspace import list_files
part = "0123456789abcde\n" * 100000
for i in range(3):
    write_file("big.txt", part, append=True)
text = read_file("big.txt")
assert text == part * 3, len(text)
delete_file("big.txt")
--- bob
assert list_files() == []
try:
    read_file("notes/a.txt")
except FileNotFoundError as e:
    result = str(e)
assert attempt(read_file, "notes/a.txt")["ok"] == False
--- ann
s = workspace.new_session(hours=2)
write_file("plan.txt", "one", session=s)
write_file(s.handle + "/more.txt", "two")
assert [f.path for f in list_files(session=s.handle)] == [s.handle + "/more.txt", s.handle + "/plan.txt"]
write_file("handle.txt", s.handle)
workspace.grant(s, "bob")
assert [x.handle for x in workspace.list_sessions()] == [s.handle]
--- bob
s = workspace.list_sessions()[0]
assert s.owner == "ann" and s.writes == False
assert read_file("plan.txt", s) == "one" and read_file(s.handle + "/more.txt") == "two"
write_file("plan.txt", "mine", session=s)  ### PermissionError
--- ann
workspace.grant(read_file("handle.txt"), "bob", writes=True)
--- bob
s = workspace.list_sessions()[0]
write_file("bobs.txt", "b", session=s)
write_file("plan.txt", "mine", session=s)  ### FileExistsError
--- ann
s = read_file("handle.txt")
assert read_file("bobs.txt", session=s) == "b"
workspace.revoke_grant(s, "bob")
workspace.grant(s, "nobody")  ### not found
--- bob
assert workspace.list_sessions() == []
--- ann
import asyncio
await asyncio.gather(*[workspace.write_file(f"p{i}.txt", str(i)) for i in range(5)])
assert await asyncio.gather(*[read_file(f"p{i}.txt") for i in range(5)]) == ["0", "1", "2", "3", "4"]
