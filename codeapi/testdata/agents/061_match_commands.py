def handle(command):
    match command.split():
        case ["go", direction]:
            return f"going {direction}"
        case ["take", *things] if things:
            return "taking " + " and ".join(things)
        case ["quit" | "exit"]:
            return "bye"
        case []:
            return "say something"
        case _:
            return f"unknown: {command}"


for c in ["go north", "take lamp key", "take", "exit", "", "dance"]:
    print(f"{c!r}: {handle(c)}")
result = handle("go up")
