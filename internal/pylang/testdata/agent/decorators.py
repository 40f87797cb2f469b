def log_calls(fn):
    def wrapper(*args, **kwargs):
        print(f"-> {fn.__name__}{args}")
        result = fn(*args, **kwargs)
        print(f"<- {result!r}")
        return result
    return wrapper
@log_calls
def area(w, h=2):
    return w * h
area(3)
area(2, h=5)
