"""The shared library: where it is, what its failures become, and one context per thread.

A context may be used by one thread at a time, so every Python thread has its own, made when it is first needed and
destroyed with the thread. Long calls, during which Python goes on (_run.py), use further ones, which are kept for the
next such call. After ``os.fork`` the threads of a context do not exist in the child: the child forgets the contexts of
its parent and makes its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import sys
import threading
from typing import Any, Iterator, Optional

import numpy

from . import _abi
from ._version import __version__

__all__ = ["Error", "ArgumentError", "SizeError", "ParseError", "FileError", "UnsupportedError", "DeviceError",
           "NonfiniteError", "RangeError", "SingularError", "OutOfMemoryError", "devices", "info", "set_threads"]


class Error(Exception):
    """A call of the library failed. ``str(error)`` is its one line; ``error.status`` is its number in plumb.h."""

    status = 0


class ArgumentError(Error, ValueError):
    """An argument is not what the call accepts."""


class SizeError(Error, ValueError):
    """A size or count is too large."""


class ParseError(Error, ValueError):
    """A text is not a number, matrix or system. ``line`` and ``column`` (from 1) are the place."""

    line = 0
    column = 0


class FileError(Error, OSError):
    """A file could not be read or written."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class OutOfMemoryError(Error, MemoryError):
    """The computer or the GPU has not enough memory."""


class UnsupportedError(Error, NotImplementedError):
    """This build of the library cannot do it."""


class DeviceError(Error, RuntimeError):
    """There is no usable GPU, or it failed."""


class NonfiniteError(Error, ValueError):
    """The input holds an infinity or a NaN."""


class RangeError(Error, OverflowError):
    """A result is beyond the range of a double."""


class SingularError(Error, numpy.linalg.LinAlgError):
    """A column depends numerically on those before it."""


_CLASSES = {_abi.ERR_ARGUMENT: ArgumentError, _abi.ERR_MEMORY: OutOfMemoryError, _abi.ERR_SIZE: SizeError,
            _abi.ERR_PARSE: ParseError, _abi.ERR_IO: FileError, _abi.ERR_BUFFER: Error,
            _abi.ERR_UNSUPPORTED: UnsupportedError, _abi.ERR_NO_DEVICE: DeviceError, _abi.ERR_DEVICE: DeviceError,
            _abi.ERR_NONFINITE: NonfiniteError, _abi.ERR_RANGE: RangeError, _abi.ERR_SINGULAR: SingularError,
            _abi.ERR_STOPPED: Error}


def _load() -> ctypes.CDLL:
    """Loads the library that PLUMB_LIBRARY names (for work on plumb itself), that of the wheel, the one of the prefix that Python
    is in, or the one of the system: the first that is there."""
    path = os.environ.get("PLUMB_LIBRARY")
    if not path:
        name = "libplumb.so." + ".".join(__version__.split(".")[:2 if __version__.startswith("0.") else 1])
        places = [pathlib.Path(__file__).parent / "lib" / "libplumb.so", pathlib.Path(sys.prefix) / "lib" / name]
        path = next((str(place) for place in places if place.exists()), name)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"plumb: the library could not be loaded: {error}") from None
    library.plumb_version.restype = ctypes.c_char_p
    found = library.plumb_version().decode()
    # Before version 1.0 libraries with the same minor number are compatible.
    if found.split(".")[:2] != __version__.split(".")[:2]:
        raise ImportError(f"plumb: {path} has version {found}, expected {__version__}")
    for name, (result, parameters) in _abi.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = parameters
    return library


lib = _load()


def make_error(status: int, message: str, where: Optional[_abi.TextError] = None) -> Error:
    """The exception of a status."""
    if where is not None and where.line > 0:
        message = f"line {where.line}, column {where.column}: {where.message.decode(errors='replace')}"
    error = _CLASSES.get(status, Error)(message or lib.plumb_status_text(status).decode())
    error.status = status
    if isinstance(error, ParseError) and where is not None:
        error.line, error.column = where.line, where.column
    return error


def check(status: int, where: Optional[_abi.TextError] = None) -> None:
    """Raises the exception of a call without a context that failed."""
    if status:
        raise make_error(status, lib.plumb_last_message().decode(errors="replace"), where)


class Context:
    """A plumb_context, which one thread uses."""

    __slots__ = ("handle", "pid", "calls", "garbage")

    def __init__(self, backend: int, threads: int = 0):
        options = _abi.ContextOptions()
        lib.plumb_context_options_init(ctypes.byref(options))
        options.backend = backend
        options.threads = threads
        isa = os.environ.get("PLUMB_ISA")
        options.isa = isa.encode() if isa else None
        handle = ctypes.c_void_p()
        self.handle: Any = None
        self.pid = os.getpid()
        check(lib.plumb_context_create(ctypes.byref(options), ctypes.byref(handle)))
        self.handle = handle.value
        self.garbage: list = []  # views of memory on the device that nobody uses any more
        self.calls: dict = {}  # views of least-squares problems that are not in use, by shape

    def check(self, status: int) -> None:
        """Raises the exception of a call with this context that failed."""
        if status:
            raise make_error(status, lib.plumb_context_message(self.handle).decode(errors="replace"))

    def sweep(self) -> None:
        """Gives memory on the device back that nobody uses any more."""
        while self.garbage:
            lib.plumb_array_destroy(self.handle, ctypes.byref(self.garbage.pop()))

    def __del__(self) -> None:
        handle = getattr(self, "handle", None)
        if handle and self.pid == os.getpid():
            self.sweep()
            lib.plumb_context_destroy(handle)
            self.handle = None


class _Contexts(threading.local):
    def __init__(self) -> None:
        self.of: dict = {}


_contexts = _Contexts()
_idle: dict = {}  # contexts of long calls that have ended, by backend


def _forget() -> None:
    global _contexts, _idle
    _contexts, _idle = _Contexts(), {}


os.register_at_fork(after_in_child=_forget)

_threads = 0


def set_threads(count: int) -> None:
    """Sets how many threads a call may use, in contexts that are made from now on: 0 for one per core.

    Every Python thread has its own context. Programs that call plumb from several threads or processes at once gain from
    fewer threads per call. The results do not depend on it.

    >>> import plumb
    >>> plumb.set_threads(1)
    >>> plumb.info()["threads"]
    1
    >>> plumb.set_threads(0)
    """
    global _threads, _idle
    if isinstance(count, bool) or not isinstance(count, (int, numpy.integer)) or not 0 <= count <= 1024:
        raise ArgumentError(f"the number of threads is {count!r}, expected an integer from 0 to 1024")
    _threads = int(count)
    _contexts.of = {}
    _idle = {}


_BACKENDS = {"auto": _abi.BACKEND_AUTO, "cpu": _abi.BACKEND_CPU, "gpu": _abi.BACKEND_GPU}


def context(backend: str = "auto") -> Context:
    """The context of this thread for a backend."""
    try:
        return _contexts.of[backend]
    except KeyError:
        pass
    except TypeError:  # not hashable
        raise TypeError(f"backend is {backend!r}, expected 'auto', 'cpu' or 'gpu'") from None
    if backend not in _BACKENDS:
        raise ArgumentError(f"backend is {backend!r}, expected 'auto', 'cpu' or 'gpu'")
    made = _contexts.of[backend] = Context(_BACKENDS[backend], _threads)
    return made


def new_context(backend: str = "auto") -> Context:
    """A context that nobody else uses."""
    if not isinstance(backend, str) or backend not in _BACKENDS:
        context(backend)  # says what is wrong
    return Context(_BACKENDS[backend], _threads)


@contextlib.contextmanager
def working_context(backend: str = "auto") -> Iterator[Context]:
    """A context that nobody else uses until the end of the block: for calls that run while Python code runs, which may call
    plumb in its turn, such as a function that shows progress, or a signal handler."""
    idle = _idle.setdefault(backend, []) if isinstance(backend, str) and backend in _BACKENDS else []
    own = idle.pop() if idle else new_context(backend)
    try:
        yield own
    finally:
        if len(idle) < 2:
            idle.append(own)


_PRECISIONS = {"d": _abi.D, "dd": _abi.DD, "qd": _abi.QD, 1: _abi.D, 2: _abi.DD, 4: _abi.QD}
NAMES = {_abi.D: "d", _abi.DD: "dd", _abi.QD: "qd"}


def precision_of(name: Any, what: str = "precision", auto: bool = False) -> int:
    """The number of limbs of a precision; 0 for "auto" where that is allowed."""
    try:
        return _PRECISIONS[name]
    except (KeyError, TypeError):
        if auto and isinstance(name, str) and name == "auto":
            return 0
        expected = "'d', 'dd', 'qd' or 'auto'" if auto else "'d', 'dd' or 'qd'"
        raise ArgumentError(f"{what} is {name!r}, expected {expected}") from None


def devices() -> list:
    """The GPUs, as a list of dictionaries; empty where there is none or the library was built without CUDA."""
    found = []
    for index in range(lib.plumb_device_count(None, 0)):
        device = _abi.DeviceInfo()
        check(lib.plumb_device_query(index, ctypes.byref(device)))
        found.append({"name": device.name.decode(errors="replace"), "memory": device.memory_total,
                      "capability": (device.capability_major, device.capability_minor),
                      "usable": bool(device.usable), "why": device.why.decode(errors="replace")})
    return found


def info() -> dict:
    """What the library uses on this computer: its version, instruction set, threads and GPUs.

    >>> import plumb
    >>> plumb.info()["version"] == plumb.__version__
    True
    """
    own = context()
    return {"version": lib.plumb_version().decode(), "isa": lib.plumb_context_isa(own.handle).decode(),
            "threads": lib.plumb_context_threads(own.handle), "gpus": devices()}
