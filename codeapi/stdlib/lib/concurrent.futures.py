"""Executors as in Python, without threads: a call runs when it is submitted."""

FIRST_COMPLETED = "FIRST_COMPLETED"
FIRST_EXCEPTION = "FIRST_EXCEPTION"
ALL_COMPLETED = "ALL_COMPLETED"


class Error(Exception):
    pass


class CancelledError(Error):
    pass


class InvalidStateError(Error):
    pass


class BrokenExecutor(RuntimeError):
    pass


_TimeoutError = TimeoutError


class Future:
    def __init__(self):
        self._done = False
        self._result = None
        self._error = None
        self._callbacks = []

    def cancel(self):
        return False

    def cancelled(self):
        return False

    def running(self):
        return False

    def done(self):
        return self._done

    def result(self, timeout=None):
        if not self._done:
            raise _TimeoutError()
        if self._error is not None:
            raise self._error
        return self._result

    def exception(self, timeout=None):
        if not self._done:
            raise _TimeoutError()
        return self._error

    def add_done_callback(self, fn):
        if self._done:
            fn(self)
        else:
            self._callbacks.append(fn)

    def _end(self, result, error):
        self._result, self._error, self._done = result, error, True
        for fn in self._callbacks:
            fn(self)

    def set_result(self, result):
        if self._done:
            raise InvalidStateError("FINISHED: the future has a result already")
        self._end(result, None)

    def set_exception(self, exception):
        if self._done:
            raise InvalidStateError("FINISHED: the future has a result already")
        self._end(None, exception)


class Executor:
    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._max_workers = max_workers
        self._closed = False
        if initializer is not None:
            initializer(*initargs)

    def submit(self, fn, /, *args, **kwargs):
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        f = Future()
        try:
            result = fn(*args, **kwargs)
        except Exception as e:
            f._end(None, e)
        else:
            f._end(result, None)
        return f

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        futures = [self.submit(fn, *args) for args in zip(*iterables)]
        return (f.result() for f in futures)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._closed = True

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.shutdown()
        return False


class ThreadPoolExecutor(Executor):
    pass


class ProcessPoolExecutor(Executor):
    pass


def as_completed(fs, timeout=None):
    yield from list(dict.fromkeys(fs))


class DoneAndNotDoneFutures:
    def __init__(self, done, not_done):
        self.done = done
        self.not_done = not_done

    def __iter__(self):
        return iter((self.done, self.not_done))

    def __getitem__(self, i):
        return (self.done, self.not_done)[i]


def wait(fs, timeout=None, return_when=ALL_COMPLETED):
    fs = set(fs)
    return DoneAndNotDoneFutures({f for f in fs if f.done()}, {f for f in fs if not f.done()})
