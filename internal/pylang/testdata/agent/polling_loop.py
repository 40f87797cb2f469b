status = iter(["pending", "pending", "running", "complete"])
polls, found = 0, False
while not found:
    polls += 1
    state = next(status)
    found = state == "complete"
    if polls > 10:
        raise TimeoutError("gave up")
print(f"Deployment {state} after {polls} polls")
