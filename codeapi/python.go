package codeapi

// pythonText says which Python runs: for help("python") and docs/code-api.md.
const pythonText = `Programs are Python as of CPython 3.11, run with CPython's results. Each program has a process of its own, without files, network and other processes.

There is: functions with every kind of parameter, closures, generators (send, throw, yield from), async functions, generators and managers with asyncio's tasks, groups, queues and locks; classes with inheritance, properties, descriptors, __slots__, operators and context managers, deriving from dict, list, str, int, tuple and the other built-in types as well as from the abstract classes of collections.abc; dataclasses, NamedTuple, TypedDict, Protocol, ABC, enums and flags; match in all its forms, comprehensions, walrus, f-strings with specifications and =, exceptions with causes and notes, exception groups with except*; type hints, which are ignored unless the program asks for them.

There is not, and a message says so before the program runs or where it stands:
- metaclasses, type() with three arguments, make_dataclass;
- eval, exec, compile, open, input, globals, locals, id, __import__, threads and processes (concurrent.futures runs one call after the other);
- in re: possessive repetition (a++), and patterns of bytes;
- complex numbers and memoryview; := and yield in a lambda inside another lambda or a comprehension;
- files: io has StringIO; logging writes to the printed output, as do sys.stdout and sys.stderr; the workspace keeps files by name.

What differs without a message: sets of strings are ordered by insertion; a generator that a loop left early is closed at once only where the loop made it itself; a number of the program's own class (Decimal, Fraction) is another key of a dict than the equal int; the traceback of an exception names the file "program" and has no marks under the line.

Calls nest about a thousand deep, as in Python; sys.setrecursionlimit raises that to several thousand. RecursionError can be caught, but a program that overflows again and again is ended.`
