"""Values printed over several lines."""

import re
from collections import OrderedDict, Counter, defaultdict, deque
from dataclasses import fields, is_dataclass
from io import StringIO


class PrettyPrinter:
    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
        if indent < 0:
            raise ValueError("indent must be >= 0")
        if depth is not None and depth <= 0:
            raise ValueError("depth must be > 0")
        if not width:
            raise ValueError("width must be != 0")
        self._indent = indent
        self._width = width
        self._depth = depth
        self._stream = stream
        self._compact = compact
        self._sort = sort_dicts
        self._underscore = underscore_numbers

    def pprint(self, object):
        text = self.pformat(object)
        if self._stream is not None:
            self._stream.write(text + "\n")
        else:
            print(text)

    def pformat(self, object):
        out = StringIO()
        self._format(object, out, 0, 0, [], 0)
        return out.getvalue()

    def isreadable(self, object):
        return True

    def isrecursive(self, object):
        return "<Recursion on " in self._repr(object, [], 0)

    def _items(self, d):
        items = list(d.items())
        if self._sort:
            try:
                items.sort(key=lambda kv: kv[0])
            except TypeError:
                items.sort(key=lambda kv: (str(type(kv[0])), repr(kv[0])))
        return items

    def _repr(self, object, open, level):
        if isinstance(object, (dict, list, tuple)) and type(object) in (dict, list, tuple):
            if any(o is object for o in open):
                return f"<Recursion on {type(object).__name__} with id={0}>"
            if self._depth is not None and level >= self._depth and object:
                return {dict: "{...}", list: "[...]", tuple: "(...,)" if len(object) == 1 else "(...)"}[type(object)]
            open = open + [object]
            if isinstance(object, dict):
                return "{" + ", ".join(f"{self._repr(k, open, level + 1)}: {self._repr(v, open, level + 1)}" for k, v in self._items(object)) + "}"
            inner = ", ".join(self._repr(x, open, level + 1) for x in object)
            if isinstance(object, list):
                return "[" + inner + "]"
            return "(" + inner + (",)" if len(object) == 1 else ")")
        if self._underscore and type(object) is int:
            return f"{object:_d}"
        return repr(object)

    def _format(self, object, out, indent, allowance, open, level):
        text = self._repr(object, open, level)
        if len(text) <= self._width - indent - allowance or any(o is object for o in open):
            out.write(text)
            return
        open = open + [object]
        level += 1
        kind = type(object)
        if kind is dict:
            self._write_dict("{", "}", object, out, indent, allowance, open, level)
        elif kind is OrderedDict and object:
            out.write("OrderedDict(")
            self._format(list(object.items()), out, indent + len("OrderedDict("), allowance + 1, open, level)
            out.write(")")
        elif kind is Counter and object:
            out.write("Counter({")
            if self._indent > 1:
                out.write((self._indent - 1) * " ")
            self._write_items(object.most_common(), out, indent + len("Counter("), allowance + 2, open, level)
            out.write("})")
        elif kind is defaultdict and object:
            out.write("defaultdict(" + repr(object.default_factory) + ",\n" + " " * (indent + len("defaultdict(")))
            self._write_dict("{", "}", object, out, indent + len("defaultdict("), allowance + 1, open, level)
            out.write(")")
        elif kind is list:
            out.write("[")
            self._write_list(object, out, indent, allowance + 1, open, level)
            out.write("]")
        elif kind is tuple:
            out.write("(")
            end = ",)" if len(object) == 1 else ")"
            self._write_list(object, out, indent, allowance + len(end), open, level)
            out.write(end)
        elif kind in (set, frozenset) and object:
            begin, end = "{", "}"
            if kind is frozenset:
                begin, end = "frozenset({", "})"
                indent += len(begin) - 1
            out.write(begin)
            try:
                ordered = sorted(object)
            except TypeError:
                ordered = sorted(object, key=repr)
            self._write_list(ordered, out, indent, allowance + len(end), open, level)
            out.write(end)
        elif kind is deque:
            out.write("deque([")
            self._write_list(list(object), out, indent + len("deque("), allowance + 2, open, level)
            out.write("])" if object.maxlen is None else f"],\n{' ' * (indent + 6)}maxlen={object.maxlen})")
        elif kind is str and object:
            self._write_str(object, out, indent, allowance, level)
        elif is_dataclass(object) and not isinstance(object, type):
            name = kind.__name__
            out.write(name + "(")
            shown = [f.name for f in fields(object) if f.repr]
            indent += len(name) + 1
            for i, field in enumerate(shown):
                last = i == len(shown) - 1
                out.write(field + "=")
                self._format(getattr(object, field), out, indent + len(field) + 1, allowance if last else 1, open, level)
                if not last:
                    out.write(",\n" + " " * indent)
            out.write(")")
        else:
            out.write(text)

    def _write_dict(self, begin, end, object, out, indent, allowance, open, level):
        out.write(begin)
        if self._indent > 1:
            out.write((self._indent - 1) * " ")
        if object:
            self._write_items(self._items(object), out, indent, allowance + 1, open, level)
        out.write(end)

    def _write_items(self, items, out, indent, allowance, open, level):
        indent += self._indent
        for i, (key, value) in enumerate(items):
            last = i == len(items) - 1
            k = self._repr(key, open, level)
            out.write(k + ": ")
            self._format(value, out, indent + len(k) + 2, allowance if last else 1, open, level)
            if not last:
                out.write(",\n" + " " * indent)

    def _write_list(self, items, out, indent, allowance, open, level):
        indent += self._indent
        if self._indent > 1:
            out.write((self._indent - 1) * " ")
        room = width = self._width - indent + 1
        between = ""
        items = list(items)
        for i, x in enumerate(items):
            last = i == len(items) - 1
            if last:
                room -= allowance
                width -= allowance
            if self._compact:
                text = self._repr(x, open, level)
                need = len(text) + 2
                if room < need:
                    room = width
                    if between:
                        between = ",\n" + " " * indent
                if room >= need:
                    room -= need
                    out.write(between + text)
                    between = ", "
                    continue
            out.write(between)
            between = ",\n" + " " * indent
            self._format(x, out, indent, allowance if last else 1, open, level)

    def _write_str(self, object, out, indent, allowance, level):
        parts = []
        lines = object.splitlines(True)
        if level == 1:
            indent += 1
            allowance += 1
        room = width = self._width - indent
        text = ""
        for i, line in enumerate(lines):
            text = repr(line)
            if i == len(lines) - 1:
                width -= allowance
            if len(text) <= width:
                parts.append(text)
                continue
            words = re.findall(r"\S*\s*", line)
            words.pop()
            width2 = room
            current = ""
            for j, word in enumerate(words):
                longer = current + word
                if j == len(words) - 1 and i == len(lines) - 1:
                    width2 -= allowance
                if len(repr(longer)) > width2:
                    if current:
                        parts.append(repr(current))
                    current = word
                else:
                    current = longer
            if current:
                parts.append(repr(current))
        if len(parts) == 1:
            out.write(text)
            return
        if level == 1:
            out.write("(")
        out.write(("\n" + " " * indent).join(parts))
        if level == 1:
            out.write(")")


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    PrettyPrinter(indent, width, depth, stream, compact=compact, sort_dicts=sort_dicts, underscore_numbers=underscore_numbers).pprint(object)


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    return PrettyPrinter(indent, width, depth, compact=compact, sort_dicts=sort_dicts, underscore_numbers=underscore_numbers).pformat(object)


def pp(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=False, underscore_numbers=False):
    pprint(object, stream, indent, width, depth, compact=compact, sort_dicts=sort_dicts, underscore_numbers=underscore_numbers)


def saferepr(object):
    return PrettyPrinter()._repr(object, [], 0)
