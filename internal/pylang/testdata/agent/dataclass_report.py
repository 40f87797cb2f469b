from dataclasses import dataclass, field
@dataclass(order=True)
class Task:
    priority: int
    name: str = field(compare=False)
    tags: list[str] = field(default_factory=list, compare=False)
    done: bool = False
    def finish(self) -> "Task":
        self.done = True
        return self
tasks = [Task(3, "write"), Task(1, "plan", ["urgent"]), Task(2, "test")]
tasks[1].finish()
print(sorted(tasks)[0])
print([t.name for t in sorted(tasks, reverse=True) if not t.done], min(tasks).tags)
