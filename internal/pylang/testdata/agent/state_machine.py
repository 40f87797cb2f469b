transitions = {("idle", "start"): "running", ("running", "pause"): "paused", ("paused", "start"): "running", ("running", "stop"): "idle"}
state, history = "idle", []
for event in ["start", "pause", "stop", "start", "stop"]:
    new = transitions.get((state, event))
    if new is None:
        history.append(f"{state} --{event}--> ignored")
        continue
    history.append(f"{state} --{event}--> {new}")
    state = new
print(*history, sep="\n")
print("final:", state)
