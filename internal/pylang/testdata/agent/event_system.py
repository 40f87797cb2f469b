handlers = {}
def on(event):
    def register(fn):
        handlers.setdefault(event, []).append(fn)
        return fn
    return register
@on("save")
def first(x):
    return f"first {x}"
@on("save")
@on("load")
def second(x):
    return f"second {x}"
for ev in ("save", "load", "drop"):
    print(ev, [h("doc") for h in handlers.get(ev, [])])
