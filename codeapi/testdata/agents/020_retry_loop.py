import time


class TransientError(Exception):
    def __init__(self, message, code=503):
        super().__init__(message)
        self.code = code


attempts = 0


def unstable():
    global attempts
    attempts += 1
    if attempts < 3:
        raise TransientError(f"attempt {attempts} failed")
    return {"status": "ok", "attempts": attempts}


delay = 0.001
while True:
    try:
        outcome = unstable()
        break
    except TransientError as err:
        print(f"{err} (code {err.code}), waiting {delay}")
        time.sleep(delay)
        delay *= 2

__result__ = outcome
