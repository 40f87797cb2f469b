def handle(cmd):
    match cmd.split():
        case ["go", ("north" | "south") as d]:
            return f"going {d}"
        case ["take", item, *rest] if rest:
            return f"taking {item} and {len(rest)} more"
        case ["take", item]:
            return f"taking {item}"
        case []:
            return "nothing"
        case _:
            return f"unknown: {cmd!r}"
for c in ["go north", "go up", "take lamp", "take lamp sword", ""]:
    print(handle(c))
