"""What asyncio builds from futures and tasks."""

from asyncio import CancelledError, Future, InvalidStateError, TimeoutError, _call_later, _monotonic
from asyncio import create_task, current_task, ensure_future, run as _run

ALL_COMPLETED = "ALL_COMPLETED"
FIRST_COMPLETED = "FIRST_COMPLETED"
FIRST_EXCEPTION = "FIRST_EXCEPTION"


class QueueEmpty(Exception):
    pass


class QueueFull(Exception):
    pass


class BrokenBarrierError(RuntimeError):
    pass


def _wake(waiters):
    for waiter in waiters:
        if not waiter.done():
            waiter.set_result(True)
            return


async def _wait_in(waiters):
    waiter = Future()
    waiters.append(waiter)
    try:
        await waiter
    finally:
        waiters.remove(waiter)


async def wait(fs, *, timeout=None, return_when=ALL_COMPLETED):
    if isinstance(fs, Future):
        raise TypeError("expect a list of futures, not Task")
    tasks = list(dict.fromkeys(ensure_future(f) for f in fs))
    if not tasks:
        raise ValueError("Set of Tasks/Futures is empty.")
    if return_when not in (FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED):
        raise ValueError(f"Invalid return_when value: {return_when}")
    waiter = Future()

    def release():
        if not waiter.done():
            waiter.set_result(None)

    left = sum(1 for t in tasks if not t.done())

    def failed(t):
        return not t.cancelled() and t.exception() is not None

    def ended(t):
        nonlocal left
        left -= 1
        if left <= 0 or return_when == FIRST_COMPLETED or return_when == FIRST_EXCEPTION and failed(t):
            release()

    now = left == 0
    if return_when == FIRST_COMPLETED and left < len(tasks):
        now = True
    if return_when == FIRST_EXCEPTION and any(t.done() and failed(t) for t in tasks):
        now = True
    if not now:
        for t in tasks:
            if not t.done():
                t.add_done_callback(ended)
        if timeout is not None:
            _call_later(timeout, release)
        try:
            await waiter
        finally:
            for t in tasks:
                t.remove_done_callback(ended)
    return {t for t in tasks if t.done()}, {t for t in tasks if not t.done()}


async def _end(task):
    task.cancel()
    if not task.done():
        waiter = Future()
        task.add_done_callback(lambda _: waiter.done() or waiter.set_result(None))
        await waiter


async def wait_for(fut, timeout):
    if timeout is None:
        return await fut
    task = ensure_future(fut)
    if timeout > 0 and not task.done():
        waiter = Future()

        def release(_=None):
            if not waiter.done():
                waiter.set_result(None)

        task.add_done_callback(release)
        _call_later(timeout, release)
        try:
            await waiter
        except CancelledError:
            if task.done():
                return task.result()
            task.remove_done_callback(release)
            await _end(task)
            raise
    if task.done():
        return task.result()
    await _end(task)
    try:
        return task.result()
    except CancelledError as e:
        raise TimeoutError() from e


def as_completed(fs, *, timeout=None):
    tasks = list(dict.fromkeys(ensure_future(f) for f in fs))
    ended, waiters, late = [], [], []

    def end(task):
        ended.append(task)
        _wake(waiters)

    def expire():
        late.append(True)
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(True)

    for t in tasks:
        t.add_done_callback(end)
    if timeout is not None:
        _call_later(timeout, expire)

    async def following():
        while not ended:
            if late:
                raise TimeoutError()
            await _wait_in(waiters)
        return ended.pop(0).result()

    for _ in tasks:
        yield following()


async def _outcome(task):
    return await task


def shield(arg):
    inner = ensure_future(arg)
    outer = Future()

    def end(task):
        if outer.done():
            return
        if task.cancelled():
            outer.cancel()
        elif task.exception() is not None:
            outer.set_exception(task.exception())
        else:
            outer.set_result(task.result())

    if inner.done():
        return inner
    inner.add_done_callback(end)
    return outer


async def to_thread(func, /, *args, **kwargs):
    return func(*args, **kwargs)


class TaskGroup:
    def __init__(self):
        self._tasks = []
        self._errors = []
        self._state = "new"
        self._parent = None
        self._parent_cancelled = False
        self._aborting = False
        self._waiter = None

    async def __aenter__(self):
        if self._state != "new":
            raise RuntimeError(f"TaskGroup {self!r} has been already entered")
        self._state = "entered"
        self._parent = current_task()
        return self

    def create_task(self, coro, *, name=None, context=None):
        if self._state == "new":
            raise RuntimeError(f"TaskGroup {self!r} has not been entered")
        if self._state == "exiting" and not self._tasks:
            raise RuntimeError(f"TaskGroup {self!r} is finished")
        task = create_task(coro, name=name)
        self._tasks.append(task)
        task.add_done_callback(self._ended)
        return task

    def _abort(self):
        self._aborting = True
        for task in self._tasks:
            if not task.done():
                task.cancel()

    def _ended(self, task):
        self._tasks.remove(task)
        if self._waiter is not None and not self._tasks and not self._waiter.done():
            self._waiter.set_result(True)
        if task.cancelled() or task.exception() is None:
            return
        self._errors.append(task.exception())
        if not self._aborting:
            self._abort()
            if self._state == "entered" and self._parent is not None and not self._parent.done():
                self._parent_cancelled = True
                self._parent.cancel()

    async def __aexit__(self, kind, error, trace):
        self._state = "exiting"
        cancelled = error if kind is CancelledError else None
        if self._parent_cancelled:
            cancelled = None
        if error is not None and not self._aborting:
            self._abort()
        while self._tasks:
            self._waiter = Future()
            try:
                await self._waiter
            except CancelledError as e:
                if not self._aborting:
                    cancelled = e
                    self._abort()
            self._waiter = None
        if cancelled is not None and not self._errors:
            raise cancelled
        if error is not None and kind is not CancelledError:
            self._errors.append(error)
        if self._errors:
            raise BaseExceptionGroup("unhandled errors in a TaskGroup", self._errors)


class Timeout:
    def __init__(self, seconds):
        self._seconds = seconds
        self._task = None
        self._expired = False
        self._done = False

    def _expire(self):
        if not self._done:
            self._expired = True
            self._task.cancel()

    def expired(self):
        return self._expired

    async def __aenter__(self):
        self._task = current_task()
        if self._task is None:
            raise RuntimeError("Timeout should be used inside a task")
        if self._seconds is not None:
            _call_later(self._seconds, self._expire)
        return self

    async def __aexit__(self, kind, error, trace):
        self._done = True
        if self._expired and kind is CancelledError:
            raise TimeoutError from error


def timeout(delay):
    return Timeout(delay)


class _Held:
    async def __aenter__(self):
        await self.acquire()

    async def __aexit__(self, kind, error, trace):
        self.release()


class Lock(_Held):
    def __init__(self):
        self._locked = False
        self._waiters = []

    def locked(self):
        return self._locked

    async def acquire(self):
        if self._locked or not all(w.cancelled() for w in self._waiters):
            try:
                await _wait_in(self._waiters)
            except CancelledError:
                if not self._locked:
                    _wake(self._waiters)
                raise
        self._locked = True
        return True

    def release(self):
        if not self._locked:
            raise RuntimeError("Lock is not acquired.")
        self._locked = False
        _wake(self._waiters)


class Semaphore(_Held):
    def __init__(self, value=1):
        if value < 0:
            raise ValueError("Semaphore initial value must be >= 0")
        self._value = value
        self._waiters = []

    def locked(self):
        return self._value == 0 or any(not w.cancelled() for w in self._waiters)

    async def acquire(self):
        if not self.locked():
            self._value -= 1
            return True
        waiter = Future()
        self._waiters.append(waiter)
        try:
            await waiter
        except CancelledError:
            if not waiter.cancelled():
                self._value += 1
                self._pass_on()
            raise
        finally:
            self._waiters.remove(waiter)
        if self._value > 0:
            self._pass_on()
        return True

    def _pass_on(self):
        for waiter in self._waiters:
            if not waiter.done():
                self._value -= 1
                waiter.set_result(True)
                return

    def release(self):
        self._value += 1
        self._pass_on()


class BoundedSemaphore(Semaphore):
    def __init__(self, value=1):
        super().__init__(value)
        self._bound = value

    def release(self):
        if self._value >= self._bound:
            raise ValueError("BoundedSemaphore released too many times")
        super().release()


class Event:
    def __init__(self):
        self._set = False
        self._waiters = []

    def is_set(self):
        return self._set

    def set(self):
        self._set = True
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(True)

    def clear(self):
        self._set = False

    async def wait(self):
        if not self._set:
            await _wait_in(self._waiters)
        return True


class Condition(_Held):
    def __init__(self, lock=None):
        self._lock = lock if lock is not None else Lock()
        self._waiters = []

    def locked(self):
        return self._lock.locked()

    async def acquire(self):
        return await self._lock.acquire()

    def release(self):
        self._lock.release()

    async def wait(self):
        if not self.locked():
            raise RuntimeError("cannot wait on un-acquired lock")
        self.release()
        try:
            await _wait_in(self._waiters)
        finally:
            await self.acquire()
        return True

    async def wait_for(self, predicate):
        result = predicate()
        while not result:
            await self.wait()
            result = predicate()
        return result

    def notify(self, n=1):
        if not self.locked():
            raise RuntimeError("cannot notify on un-acquired lock")
        for _ in range(n):
            _wake(self._waiters)

    def notify_all(self):
        self.notify(len(self._waiters))


class Queue:
    def __init__(self, maxsize=0):
        self._maxsize = maxsize
        self._items = []
        self._getters = []
        self._putters = []
        self._unfinished = 0
        self._finished = Event()
        self._finished.set()

    @property
    def maxsize(self):
        return self._maxsize

    def _add(self, item):
        self._items.append(item)

    def _take(self):
        return self._items.pop(0)

    def qsize(self):
        return len(self._items)

    def empty(self):
        return not self._items

    def full(self):
        return 0 < self._maxsize <= len(self._items)

    def put_nowait(self, item):
        if self.full():
            raise QueueFull
        self._add(item)
        self._unfinished += 1
        self._finished.clear()
        _wake(self._getters)

    def get_nowait(self):
        if not self._items:
            raise QueueEmpty
        item = self._take()
        _wake(self._putters)
        return item

    async def put(self, item):
        while self.full():
            await _wait_in(self._putters)
        self.put_nowait(item)

    async def get(self):
        while not self._items:
            await _wait_in(self._getters)
        return self.get_nowait()

    def task_done(self):
        if self._unfinished <= 0:
            raise ValueError("task_done() called too many times")
        self._unfinished -= 1
        if self._unfinished == 0:
            self._finished.set()

    async def join(self):
        if self._unfinished > 0:
            await self._finished.wait()


class LifoQueue(Queue):
    def _take(self):
        return self._items.pop()


class PriorityQueue(Queue):
    def _add(self, item):
        at = 0
        while at < len(self._items) and not item < self._items[at]:
            at += 1
        self._items.insert(at, item)


class _Loop:
    """The one event loop, for programs that ask for it."""

    def run_until_complete(self, future):
        return _run(future)

    def create_task(self, coro, *, name=None):
        return create_task(coro, name=name)

    def create_future(self):
        return Future()

    def call_later(self, delay, callback, *args):
        _call_later(delay, lambda: callback(*args))

    def call_soon(self, callback, *args):
        _call_later(0, lambda: callback(*args))

    async def run_in_executor(self, executor, func, *args):
        return func(*args)

    def time(self):
        return _monotonic()

    def is_running(self):
        return current_task() is not None

    def is_closed(self):
        return False

    def close(self):
        pass


_loop = _Loop()


def get_event_loop():
    return _loop


def get_running_loop():
    return _loop


def new_event_loop():
    return _loop


def set_event_loop(loop):
    pass
