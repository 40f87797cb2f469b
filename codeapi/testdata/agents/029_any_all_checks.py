rules = [
    ("has digits", lambda s: any(c.isdigit() for c in s)),
    ("has upper", lambda s: any(c.isupper() for c in s)),
    ("long enough", lambda s: len(s) >= 8),
    ("no spaces", lambda s: not any(c.isspace() for c in s)),
]

report = {}
for pw in ["secret", "Secret123", "Has Space 1", "ALLUPPER99"]:
    failed = [name for name, check in rules if not check(pw)]
    report[pw] = failed
    print(f"{pw:<12} {'OK' if not failed else 'FAIL: ' + ', '.join(failed)}")

__result__ = {
    "strong": [p for p, f in report.items() if not f],
    "all_ok": all(not f for f in report.values()),
    "any_ok": any(not f for f in report.values()),
}
