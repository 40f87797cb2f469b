"""What contextlib builds from generators and other managers."""


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return None


class ContextDecorator:
    def __call__(self, func):
        def inner(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        inner.__name__ = func.__name__
        return inner


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, kind, error, trace):
        self.thing.close()


class aclosing:
    def __init__(self, thing):
        self.thing = thing

    async def __aenter__(self):
        return self.thing

    async def __aexit__(self, kind, error, trace):
        await self.thing.aclose()


class _AsyncManager:
    def __init__(self, gen):
        self.gen = gen

    async def __aenter__(self):
        try:
            return await anext(self.gen)
        except StopAsyncIteration:
            raise RuntimeError("generator didn't yield") from None

    async def __aexit__(self, kind, error, trace):
        if kind is None:
            try:
                await anext(self.gen)
            except StopAsyncIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            await self.gen.athrow(error)
        except StopAsyncIteration as e:
            return e is not error
        except BaseException as e:
            if e is not error:
                raise
            return False
        raise RuntimeError("generator didn't stop after athrow()")


def asynccontextmanager(func):
    def helper(*args, **kwargs):
        return _AsyncManager(func(*args, **kwargs))

    helper.__name__ = func.__name__
    return helper


class _Stack:
    def __init__(self):
        self._exits = []

    def push(self, thing):
        if hasattr(thing, "__exit__"):
            self._exits.append((False, thing.__exit__))
        else:
            self._exits.append((False, thing))
        return thing

    def callback(self, func, /, *args, **kwargs):
        self._exits.append((False, lambda kind, error, trace: func(*args, **kwargs) and False))
        return func

    def enter_context(self, manager):
        if not hasattr(manager, "__enter__") or not hasattr(manager, "__exit__"):
            raise TypeError(f"'{type(manager).__name__}' object does not support the context manager protocol")
        result = manager.__enter__()
        self._exits.append((False, manager.__exit__))
        return result

    def pop_all(self):
        other = type(self)()
        other._exits = self._exits
        self._exits = []
        return other


class ExitStack(_Stack):
    def __enter__(self):
        return self

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, kind, error, trace):
        current = error
        while self._exits:
            _, leave = self._exits.pop()
            try:
                if leave(type(current) if current is not None else None, current, None):
                    current = None
            except BaseException as e:
                current = e
        if current is None:
            return error is not None
        if current is not error:
            raise current
        return False


class AsyncExitStack(_Stack):
    async def __aenter__(self):
        return self

    async def aclose(self):
        await self.__aexit__(None, None, None)

    async def enter_async_context(self, manager):
        result = await manager.__aenter__()
        self._exits.append((True, manager.__aexit__))
        return result

    def push_async_callback(self, func, /, *args, **kwargs):
        async def leave(kind, error, trace):
            await func(*args, **kwargs)

        self._exits.append((True, leave))
        return func

    async def __aexit__(self, kind, error, trace):
        current = error
        while self._exits:
            wait, leave = self._exits.pop()
            try:
                done = leave(type(current) if current is not None else None, current, None)
                if wait:
                    done = await done
                if done:
                    current = None
            except BaseException as e:
                current = e
        if current is None:
            return error is not None
        if current is not error:
            raise current
        return False
