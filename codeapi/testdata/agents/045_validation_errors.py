from typing import Any, Dict, List, Optional, Tuple

SCHEMA: Dict[str, type] = {"name": str, "age": int, "email": str, "active": bool}


def validate(record: Dict[str, Any]) -> Tuple[bool, List[str]]:
    errors: List[str] = []
    for key, expected in SCHEMA.items():
        if key not in record:
            errors.append(f"missing: {key}")
        elif not isinstance(record[key], expected):
            errors.append(f"{key}: expected {expected.__name__}, got {type(record[key]).__name__}")
    unknown = [k for k in record if k not in SCHEMA]
    if unknown:
        errors.append("unknown: " + ", ".join(unknown))
    return not errors, errors


records = [
    {"name": "A", "age": 3, "email": "a@x", "active": True},
    {"name": "B", "age": "3", "active": None},
    {"name": 5.0, "age": 1, "email": "", "active": False, "zip": 1},
]
report = {}
for i, r in enumerate(records):
    ok, errs = validate(r)
    report[f"record {i}"] = "valid" if ok else errs
result = report
