events = []
def work(fail):
    events.append("start")
    try:
        if fail:
            raise ValueError("x")
        return "value"
    except ValueError:
        events.append("except")
        return "handled"
    else:
        events.append("else")
    finally:
        events.append("finally")
print(work(False), work(True), events)
