from dataclasses import dataclass, field, asdict
from typing import List, Optional, Dict, Any, Tuple

@dataclass
class Task:
    name: str
    priority: int = 3
    tags: List[str] = field(default_factory=list)
    parent: Optional["Task"] = None

    def __post_init__(self):
        if self.priority < 0:
            raise ValueError(f"bad priority: {self.priority!r}")

    @property
    def label(self) -> str:
        return f"{self.name.upper()}({self.priority})"

    def __lt__(self, other):
        return (self.priority, self.name) < (other.priority, other.name)

tasks = [Task("write", 2, ["doc"]), Task("test", 1), Task("ship", 2)]
tasks.sort()
print([t.label for t in tasks])
print(tasks[0])
print(tasks[0] == Task("test", 1))
try:
    Task("x", -1)
except ValueError as e:
    print("error:", e)
result = [asdict(t) for t in sorted(tasks, key=lambda t: -t.priority)]
