class TransientError(Exception):
    """Raised for failures that may go away."""
attempts = []
def flaky():
    attempts.append(1)
    if len(attempts) < 3:
        raise TransientError(f"attempt {len(attempts)} failed")
    return "ok"
delay = 1
for attempt in range(5):
    try:
        value = flaky()
        break
    except TransientError as e:
        print(f"Retry {attempt + 1}: {e} (wait {delay}s)")
        delay *= 2
else:
    value = None
print(value, len(attempts))
