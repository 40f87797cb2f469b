def show(title, *values, sep=", ", **extra):
    print(title + ":", sep.join(str(v) for v in values), extra or "")
show("plain")
show("vals", 1, 2, 3, sep="|")
show("mixed", *range(2), *"xy", unit="kg", n=2)
opts = {"sep": " / ", "z": 1}
show("opts", "a", "b", **opts)
