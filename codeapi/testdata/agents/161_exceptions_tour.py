class ValidationError(Exception):
    def __init__(self, field, message):
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message
class MissingField(ValidationError):
    pass
def validate(rec):
    errs = []
    for name, typ in {"id": int, "email": str, "tags": list}.items():
        if name not in rec:
            errs.append(MissingField(name, "is required"))
        elif not isinstance(rec[name], typ):
            errs.append(ValidationError(name, f"expected {typ.__name__}, got {type(rec[name]).__name__}"))
    return errs
for rec in ({"id": 1, "email": "a@b.c", "tags": []}, {"id": "1", "tags": ()}, {}):
    errors = validate(rec)
    print(len(errors), [str(e) for e in errors], [type(e).__name__ for e in errors])
try:
    raise MissingField("x", "gone")
except ValidationError as e:
    print(e.field, e.message, e.args, isinstance(e, Exception), repr(e))
try:
    try:
        {}["a"]
    except KeyError as e:
        raise RuntimeError("wrapped") from e
except RuntimeError as e:
    print(e, repr(e.__cause__), e.__context__ is e.__cause__)
def cleanup():
    try:
        return "try"
    finally:
        print("finally runs")
print(cleanup())
class Ctx:
    def __enter__(self):
        print("enter"); return self
    def __exit__(self, et, ev, tb):
        print("exit", et.__name__ if et else None)
        return et is ValueError
with Ctx() as c, Ctx():
    pass
with Ctx():
    raise ValueError("swallowed")
print("done")
