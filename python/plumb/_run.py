"""Long calls: Ctrl-C stops them, and their progress is shown.

A signal handler of Python runs only in the main thread, between two instructions of Python. So the call runs in a
thread of its own while the main thread waits, shows progress and notices Ctrl-C; the callback of the call then returns
1, the call ends with what it has, and :class:`Interrupted` is raised. Until that is done, the exceptions of the handler are
kept back: the first Ctrl-C asks to stop, and further ones change nothing. Outside the main thread no signals arrive,
and the call is made directly.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
from typing import Any, Callable, Optional

__all__ = ["Interrupted"]

ProgressCallback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a call. ``partial`` is what it would have returned, with what was finished by then; it is None if
    nothing was."""

    partial: Any = None


PATIENCE = 0.5  # seconds; calls that take less show nothing


class _Bar:
    """A line with the progress of a call, written again and again on standard error."""

    def __init__(self, what: str, forced: bool):
        self.what = what
        self.begin = time.monotonic()
        self.patience = 0.0 if forced else PATIENCE
        self.length = 0
        self.shown = 0.0

    def show(self, done: int, failed: int, total: int) -> None:
        now = time.monotonic()
        if now - self.begin < self.patience or now - self.shown < 0.1 or total <= 0:
            return
        self.shown = now
        width = 24
        full = int(width * done / total)
        left = (now - self.begin) * (total - done) / done if done else 0.0
        line = f"{self.what}: |{'#' * full}{'.' * (width - full)}| {done}/{total}"
        if failed:
            line += f", {failed} failed"
        line += f" [{now - self.begin:.0f} s, about {left:.0f} s left]" if done else ""
        self._write("\r" + line.ljust(self.length))
        self.length = len(line)

    def end(self) -> None:
        if self.length:
            self._write("\r" + " " * self.length + "\r")

    @staticmethod
    def _write(text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (AttributeError, OSError, ValueError):
            pass


def _is_watched() -> bool:
    """Whether somebody looks: a terminal, or a notebook."""
    try:
        return sys.stderr.isatty() or "ipykernel" in sys.modules
    except (AttributeError, ValueError):
        return False


def run(call: Callable[[Any], int], progress: Any, what: str, finish: Callable[[int, bool], Any]) -> Any:
    """Makes a call that takes a progress callback, and returns what ``finish(status, stopped)`` makes of its results.

    progress is None (show it where somebody looks and the call takes long), True, False, or a function of the numbers
    of finished, failed and all paths. An exception in that function stops the call. If Ctrl-C has stopped it, finish
    raises :class:`Interrupted` with the partial result. The call must use a context that nobody else uses meanwhile
    (:func:`plumb._library.working_context`): the main thread goes on to run Python.
    """
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress is {progress!r}, expected True, False, None or a function")
    state = _State(progress, what)
    if threading.current_thread() is not threading.main_thread():
        state.direct = True
        state.status = call(state.callback)
        return _finished(state, finish)
    with _KeptBack(state):
        _in_thread(call, state)
        return _finished(state, finish)


def undisturbed(function: Callable[[], Any]) -> Any:
    """The result of a short function, which Ctrl-C does not stop."""
    if threading.current_thread() is not threading.main_thread():
        return function()
    with _KeptBack(_State(False, "")):
        return function()


def _finished(state: "_State", finish: Callable[[int, bool], Any]) -> Any:
    if state.bar:
        state.bar.end()
    if state.error is not None and not isinstance(state.error, KeyboardInterrupt):
        raise state.error
    stopped = state.error is not None
    result = finish(state.status, stopped)
    if state.error is not None and not stopped:  # Ctrl-C while the results were fetched
        error = Interrupted("stopped after the end of the call")
        error.partial = result
        raise error
    return result


class _KeptBack:
    """Keeps the exceptions of the handler of SIGINT in the state of a call."""

    def __init__(self, state: "_State"):
        self.state = state
        self.before: Any = None

    def __enter__(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        if callable(before):  # neither ignored nor left to the system nor a handler of C
            self.before = before
            signal.signal(signal.SIGINT, self._handle)

    def __exit__(self, *error: Any) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)

    def _handle(self, number: int, frame: Any) -> None:
        try:
            self.before(number, frame)
        except BaseException as error:
            self.state.keep(error)


class _State:
    def __init__(self, progress: Any, what: str):
        self.counts = (0, 0, 0)
        self.error: Optional[BaseException] = None
        self.status = 0
        self.direct = False
        self.function = progress if callable(progress) else None
        self.bar = _Bar(what, progress is True) if progress is True or progress is None and _is_watched() else None
        self.told = None
        self.callback = ProgressCallback(self._called)

    def _called(self, data: Any, done: int, failed: int, total: int) -> int:
        """Called by a thread of the library."""
        self.counts = (done, failed, total)
        if self.direct:
            self.tell()
        return 1 if self.error is not None else 0

    def keep(self, error: BaseException) -> None:
        """Remembers the first exception that is to stop the call."""
        if self.error is None:
            self.error = error

    def tell(self) -> None:
        """Tells the user where the call stands, unless an error has ended that."""
        if self.error is not None or self.counts == self.told:
            return
        self.told = self.counts
        try:
            if self.function:
                self.function(*self.counts)
            if self.bar:
                self.bar.show(*self.counts)
        except BaseException as error:
            self.keep(error)


def _in_thread(call: Callable[[Any], int], state: _State) -> None:
    ended = threading.Event()
    failure = []

    def work() -> None:
        try:
            state.status = call(state.callback)
        except BaseException as error:
            failure.append(error)
        finally:
            ended.set()

    thread = threading.Thread(target=work, name="plumb", daemon=True)
    thread.start()
    while True:
        try:
            if ended.wait(0.02 if state.function or state.bar else 0.1):
                thread.join()
                break
            state.tell()
        except BaseException as error:  # of handlers of other signals: the call must end before its memory may go
            state.keep(error)
    if failure:
        raise failure[0]
    state.tell()
