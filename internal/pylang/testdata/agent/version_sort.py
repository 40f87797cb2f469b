versions = ["1.10.0", "1.2.3", "1.2", "2.0.0-rc1", "1.2.10"]
def key(v):
    main, _, pre = v.partition("-")
    return [int(p) for p in main.split(".")], pre == "", pre
print(sorted(versions, key=key), max(versions, key=key))
