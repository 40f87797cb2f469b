from typing import TypedDict, Optional
class Issue(TypedDict):
    number: int
    title: str
def make(number: int, title: Optional[str] = None) -> Issue:
    return {"number": number, "title": title or "untitled"}
print(make(1), make(2, title="Bug"), Issue(number=3, title="x")["title"])
