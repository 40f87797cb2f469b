from enum import Enum


class State(Enum):
    IDLE = "idle"
    RUNNING = "running"
    DONE = "done"


TRANSITIONS = {
    (State.IDLE, "start"): State.RUNNING,
    (State.RUNNING, "finish"): State.DONE,
    (State.RUNNING, "pause"): State.IDLE,
}

state = State.IDLE
trace = [state.value]
rejected = []
for event in ["finish", "start", "pause", "start", "finish", "start"]:
    nxt = TRANSITIONS.get((state, event))
    if nxt is None:
        rejected.append((state.name, event))
        continue
    state = nxt
    trace.append(state.value)

print(state is State.DONE, state.name)
result = {"trace": trace, "rejected": rejected}
