"""Numbers as bytes."""

_sizes = {"x": 1, "c": 1, "b": 1, "B": 1, "?": 1, "h": 2, "H": 2, "i": 4, "I": 4, "l": 4, "L": 4, "q": 8, "Q": 8, "f": 4, "d": 8}


class error(Exception):
    pass


def _parse(format):
    order = "native"
    if format[:1] in ("@", "=", "<", ">", "!"):
        order, format = format[0], format[1:]
    big = order in (">", "!")
    aligned = order in ("native", "@")
    items, count = [], ""
    for c in format:
        if c.isdigit():
            count += c
        elif c.isspace():
            continue
        elif c == "s" or c == "p":
            items.append((c, int(count or "1")))
            count = ""
        elif c in _sizes:
            items.extend([(c, 1)] * int(count or "1"))
            count = ""
        else:
            raise error("bad char in struct format")
    return big, aligned, items


def _layout(format):
    big, aligned, items = _parse(format)
    at, out = 0, []
    for c, n in items:
        size = n if c in "sp" else 8 if aligned and c in "lL" else _sizes[c]
        if aligned and c not in "spxcbB?":
            at += -at % size
        out.append((c, at, size))
        at += size
    return big, out, at


def calcsize(format):
    return _layout(format)[2]


def pack(format, *values):
    big, items, total = _layout(format)
    want = sum(1 for c, _, _ in items if c != "x")
    if want != len(values):
        raise error(f"pack expected {want} items for packing (got {len(values)})")
    order = "big" if big else "little"
    out = bytearray(total)
    left = list(values)
    for c, at, size in items:
        if c == "x":
            continue
        v = left.pop(0)
        if c == "s":
            data = bytes(v)[:size]
            data += bytes(size - len(data))
        elif c == "c":
            data = bytes(v)
        elif c == "?":
            data = bytes([1 if v else 0])
        elif c in "fd":
            data = _float_bytes(float(v), size, order)
        else:
            try:
                data = int(v).to_bytes(size, order, signed=c.islower())
            except OverflowError:
                low = -(1 << size * 8 - 1) if c.islower() else 0
                high = (1 << size * 8 - (1 if c.islower() else 0)) - 1
                name = {"b": "byte", "B": "ubyte"}.get(c, f"'{c}'")
                raise error(f"{name} format requires {low} <= number <= {high}") from None
        for k, byte in enumerate(data):
            out[at + k] = byte
    return bytes(out)


def unpack(format, buffer):
    big, items, total = _layout(format)
    if len(buffer) != total:
        raise error(f"unpack requires a buffer of {total} bytes")
    return _values(big, items, bytes(buffer), 0)


def unpack_from(format, buffer, offset=0):
    big, items, total = _layout(format)
    if len(buffer) - offset < total:
        raise error(f"unpack_from requires a buffer of at least {total + offset} bytes for unpacking {total} bytes at offset {offset} (actual buffer size is {len(buffer)})")
    return _values(big, items, bytes(buffer), offset)


def iter_unpack(format, buffer):
    big, items, total = _layout(format)
    for offset in range(0, len(buffer), total):
        yield _values(big, items, bytes(buffer), offset)


def _values(big, items, data, offset):
    order = "big" if big else "little"
    out = []
    for c, at, size in items:
        raw = data[offset + at:offset + at + size]
        if c == "x":
            continue
        if c in "sc":
            out.append(raw)
        elif c == "?":
            out.append(raw != b"\0")
        elif c in "fd":
            out.append(_bytes_float(int.from_bytes(raw, order), size))
        else:
            out.append(int.from_bytes(raw, order, signed=c.islower()))
    return tuple(out)


def _float_bytes(v, size, order):
    import math

    bits, bias = (52, 1023) if size == 8 else (23, 127)
    sign = 1 if math.copysign(1, v) < 0 else 0
    top = 2 * bias + 1
    if math.isnan(v):
        exponent, fraction = top, 1 << bits - 1
    elif math.isinf(v):
        exponent, fraction = top, 0
    elif v == 0:
        exponent = fraction = 0
    else:
        m, e = math.frexp(abs(v))
        e -= 1
        if e < 1 - bias:
            exponent, fraction = 0, round(math.ldexp(abs(v), bias - 1 + bits))
        else:
            exponent, fraction = e + bias, round((m * 2 - 1) * (1 << bits))
        if fraction == 1 << bits:
            exponent, fraction = exponent + 1, 0
        if exponent >= top:
            raise OverflowError("float too large to pack with f format")
    return (sign << size * 8 - 1 | exponent << bits | fraction).to_bytes(size, order)


def _bytes_float(n, size):
    import math

    bits, bias = (52, 1023) if size == 8 else (23, 127)
    sign = -1.0 if n >> size * 8 - 1 else 1.0
    exponent = n >> bits & 2 * bias + 1
    fraction = n & (1 << bits) - 1
    if exponent == 2 * bias + 1:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(fraction, 1 - bias - bits)
    return sign * math.ldexp(fraction | 1 << bits, exponent - bias - bits)
