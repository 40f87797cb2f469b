def parse_int(value):
    try:
        number = int(value)
    except (ValueError, TypeError) as exc:
        return None, type(exc).__name__
    else:
        return number, None
    finally:
        seen.append(value)


seen = []
outcomes = {}
for candidate in ["42", "x1", None, " 7 ", 3.9, [1]]:
    number, error = parse_int(candidate)
    outcomes[str(candidate)] = number if error is None else error

print(outcomes)
try:
    outcomes["missing"]
except KeyError as e:
    print("no such key:", e)

result = {"ok": sum(1 for v in outcomes.values() if isinstance(v, int)), "seen": len(seen), "outcomes": outcomes}
