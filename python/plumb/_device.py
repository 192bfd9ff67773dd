"""Arrays on a GPU: those of other packages, by __cuda_array_interface__ or DLPack, and plumb's own.

Data on the device stay there: arrays whose layout is that of plumb.h are used as they are, others are copied on the
device. Results are :class:`DeviceArray`, whose planes CuPy, PyTorch, Numba and JAX can use without a copy, because it has
the CUDA array interface and DLPack.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any, List, Sequence, Tuple

import numpy

from . import _abi
from ._abi import View
from ._array import Array, address, array, empty_planes
from ._library import NAMES, ArgumentError, Context, context, lib, precision_of

__all__ = ["DeviceArray", "to_device"]

_byref = ctypes.byref


class _Foreign:
    """An array of another package on the device: address, shape, strides in doubles, and whether it is complex."""

    def __init__(self, pointer: int, shape: Sequence[int], strides: Sequence[int], iscomplex: bool, stream: Any,
                 owner: Any):
        self.pointer, self.shape, self.strides = pointer, tuple(shape), tuple(strides)
        self.iscomplex, self.stream, self.owner = iscomplex, stream, owner

    @property
    def ndim(self) -> int:
        return len(self.shape)


def _c_strides(shape: Sequence[int]) -> List[int]:
    strides, step = [0] * len(shape), 1
    for axis in range(len(shape) - 1, -1, -1):
        strides[axis], step = step, step * max(shape[axis], 1)
    return strides


_KINDS = {"<f8": False, "=f8": False, "<c16": True, "=c16": True}


def _from_interface(given: Any) -> _Foreign:
    said = given.__cuda_array_interface__
    shape, kind = tuple(said["shape"]), said["typestr"]
    if kind not in _KINDS:
        raise TypeError(f"an array on the device has the type {kind}, expected float64 or complex128")
    if said.get("mask") is not None:
        raise TypeError("masked arrays are not supported")
    size = 16 if _KINDS[kind] else 8
    strides = said.get("strides") or [size * step for step in _c_strides(shape)]
    if any(step % 8 for step in strides):
        raise ArgumentError("an array on the device has strides that are not multiples of 8 bytes")
    return _Foreign(int(said["data"][0] or 0), shape, [step // 8 for step in strides], _KINDS[kind],
                    said.get("stream"), given)


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_CUDA, _CUDA_MANAGED = 2, 13  # kDLCUDA and kDLCUDAManaged
_FLOAT, _COMPLEX = 2, 5  # kDLFloat and kDLComplex


def _from_dlpack(given: Any) -> _Foreign:
    """Takes the tensor of a DLPack capsule; the capsule is kept, and gives its memory back when it is destroyed."""
    capsule = given.__dlpack__(stream=1)  # work of the producer is ordered before the legacy default stream
    tensor = _DLTensor.from_address(_capsule_pointer(id(capsule), b"dltensor"))
    if (tensor.code, tensor.bits, tensor.lanes) not in ((_FLOAT, 64, 1), (_COMPLEX, 128, 1)):
        raise TypeError("an array on the device has another type than float64 and complex128")
    if tensor.device_id != 0:
        raise ArgumentError(f"an array is on GPU {tensor.device_id}, expected GPU 0, which plumb uses")
    iscomplex = tensor.code == _COMPLEX
    shape = [tensor.shape[k] for k in range(tensor.ndim)]
    steps = [tensor.strides[k] for k in range(tensor.ndim)] if tensor.strides else _c_strides(shape)
    strides = [step * (2 if iscomplex else 1) for step in steps]
    return _Foreign((tensor.data or 0) + tensor.byte_offset, shape, strides, iscomplex, 1, (given, capsule))


def foreign(given: Any) -> Any:
    """The argument as an array on the device; None if it is not on one."""
    if isinstance(given, (DeviceArray, _Foreign)):
        return given
    if isinstance(given, (numpy.ndarray, Array, list, tuple, str)):
        return None
    if hasattr(given, "__cuda_array_interface__"):
        return _from_interface(given)
    if hasattr(given, "__dlpack_device__") and int(given.__dlpack_device__()[0]) in (_CUDA, _CUDA_MANAGED):
        return _from_dlpack(given)
    return None


# Tensors that were handed out: by the address of the managed tensor, all that must live as long as their consumer.
_exported: dict = {}


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _delete(managed: int) -> None:
    """The consumer of a tensor does not need it any more. This may come from any thread."""
    _exported.pop(managed, None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _drop(capsule: int) -> None:
    """A capsule ends: nobody has taken its tensor if it still has its first name."""
    if _capsule_is_valid(capsule, b"dltensor"):
        _delete(_capsule_pointer(capsule, b"dltensor"))


# The capsule is passed as an address: an object that is being destroyed must not get another reference.
_capsule_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
_capsule_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))


class _Memory:
    """Memory on the device that belongs to plumb, made with the context of a thread and given back by that thread."""

    def __init__(self, own: Context, prec: int, parts: int, size: int):
        self.own, self.thread = own, threading.get_ident()
        self.view = View()
        own.sweep()
        own.check(lib.plumb_array_create(own.handle, _abi.DEVICE, prec, parts, size, 1, 1, _byref(self.view)))

    def __del__(self) -> None:
        if self.view.data:
            # Another thread may be using its context: it gives the memory back when it next makes some.
            self.own.garbage.append(self.view)
            if threading.get_ident() == self.thread:
                self.own.sweep()


class DeviceArray:
    """An array of d, dd or qd numbers on a GPU.

    ``cupy.asarray(x)``, ``torch.as_tensor(x)``, ``numba.cuda.as_cuda_array(x)`` and, by DLPack, ``jax.dlpack.from_dlpack(x)``
    are its planes without a copy: limbs along the first axis, those of the real parts first. ``x.to_host()`` is an
    :class:`plumb.Array`.
    """

    def __init__(self, pointer: int, shape: Tuple[int, ...], strides: Tuple[int, ...], plane: int, prec: int, parts: int,
                 owner: Any):
        self._pointer, self._strides, self._plane = pointer, strides, plane
        self._prec, self._parts, self._owner = prec, parts, owner
        self.shape = shape

    ndim = property(lambda self: len(self.shape))
    precision = property(lambda self: NAMES[self._prec], doc='``"d"``, ``"dd"`` or ``"qd"``')
    iscomplex = property(lambda self: self._parts == 2, doc="whether the numbers have an imaginary part")

    @property
    def __cuda_array_interface__(self) -> dict:
        return {"shape": (self._prec * self._parts, *self.shape), "typestr": "<f8", "version": 3, "stream": None,
                "data": (self._pointer, False), "strides": tuple(8 * s for s in (self._plane, *self._strides))}

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (_CUDA, 0)

    def __dlpack__(self, stream: Any = None) -> Any:
        """The planes for other packages. Nothing is queued on a stream: every call waits for its results."""
        shape = (self._prec * self._parts, *self.shape)
        sizes = (ctypes.c_int64 * len(shape))(*shape)
        steps = (ctypes.c_int64 * len(shape))(self._plane, *self._strides)
        managed = _DLManagedTensor(
            _DLTensor(self._pointer, _CUDA, 0, len(shape), _FLOAT, 64, 1, sizes, steps, 0), None,
            ctypes.cast(_delete, ctypes.c_void_p).value)
        where = ctypes.addressof(managed)
        _exported[where] = (managed, sizes, steps, self)
        return _capsule_new(where, b"dltensor", ctypes.cast(_drop, ctypes.c_void_p).value)

    def to_host(self) -> Array:
        """A copy on the host."""
        planes = empty_planes(self._prec * self._parts, self.shape)
        own = context("auto")
        for plane in range(self._prec * self._parts):
            stored = planes[plane, ...]
            _copy(own, self._pointer + 8 * plane * self._plane, self._strides, _abi.DEVICE, address(stored),
                  tuple(s // 8 for s in stored.strides), _abi.HOST, self.shape)
        return Array(planes, self._prec)

    def __matmul__(self, other: Any) -> "DeviceArray":
        return _product(self, other)

    def __rmatmul__(self, other: Any) -> "DeviceArray":
        return _product(other, self)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        kind = "complex" if self.iscomplex else "real"
        return f"<plumb.DeviceArray: {kind} {self.precision}, shape {self.shape}>"


def _copy(own: Context, source: int, source_strides: Sequence[int], source_place: int, target: int,
          target_strides: Sequence[int], target_place: int, shape: Sequence[int]) -> None:
    """Copies one plane of doubles between any strides. A view has two free strides besides contiguous rows, so further
    axes, the shortest ones, are a loop."""
    if 0 in shape:
        return
    axes = sorted(range(len(shape)), key=lambda axis: shape[axis], reverse=True)
    inner, outer = axes[:2], axes[2:]
    lengths = [shape[axis] for axis in inner] + [1] * (2 - len(inner))
    a = [source_strides[axis] for axis in inner] + [1] * (2 - len(inner))
    b = [target_strides[axis] for axis in inner] + [1] * (2 - len(inner))
    x = View(source, 1, lengths[0], lengths[1], 1, a[0], a[1], 1, 1, source_place, 0)
    y = View(target, 1, lengths[0], lengths[1], 1, b[0], b[1], 1, 1, target_place, 0)
    for index in numpy.ndindex(*[shape[axis] for axis in outer]):
        x.data = source + 8 * sum(i * source_strides[axis] for i, axis in zip(index, outer))
        y.data = target + 8 * sum(i * target_strides[axis] for i, axis in zip(index, outer))
        own.check(lib.plumb_copy(own.handle, _byref(x), _byref(y), None))


def layout(shape: Sequence[int], points: bool) -> List[int]:
    """The strides of one plane: column by column, or for points row by row."""
    strides = _c_strides(shape)
    if not points and len(shape) > 1:
        strides[-2], strides[-1] = 1, shape[-2]
    return strides


def empty(own: Context, shape: Sequence[int], prec: int, parts: int, points: bool = False) -> DeviceArray:
    """A DeviceArray of zeros with the layout of plumb.h."""
    size = int(numpy.prod(shape, dtype=object)) if len(shape) else 1
    memory = _Memory(own, prec, parts, size)
    return DeviceArray(memory.view.data or 0, tuple(shape), tuple(layout(shape, points)), size, prec, parts, memory)


def on_device(own: Context, given: Any, prec: int, parts: int, points: bool = False) -> DeviceArray:
    """The numbers on the device, in a precision, with this number of parts, and with the layout of plumb.h: the array itself if
    it is so, otherwise a copy that is made on the device (of arrays on the host a copy to it)."""
    if isinstance(given, DeviceArray):
        if given._prec == prec and given._parts == parts and list(given._strides) == layout(given.shape, points):
            return given
        if given._prec > prec:
            raise ArgumentError(f"an array on the device has the precision {given.precision}, expected at most "
                                f"{NAMES[prec]}")
        made = empty(own, given.shape, prec, parts, points)
        for part in range(given._parts):
            for limb in range(given._prec):
                _copy(own, given._pointer + 8 * (part * given._prec + limb) * given._plane, given._strides, _abi.DEVICE,
                      made._pointer + 8 * (part * prec + limb) * made._plane, made._strides, _abi.DEVICE, given.shape)
        own.check(lib.plumb_stream_wait(own.handle, None))
        return made
    if isinstance(given, _Foreign):
        if given.stream:
            own.check(lib.plumb_stream_wait(own.handle, given.stream))
        if prec * parts == 1 and not given.iscomplex and list(given.strides) == layout(given.shape, points):
            return DeviceArray(given.pointer, given.shape, given.strides, 1, 1, 1, given)
        made = empty(own, given.shape, prec, parts, points)
        for part in range(2 if given.iscomplex else 1):
            _copy(own, given.pointer + 8 * part, given.strides, _abi.DEVICE,
                  made._pointer + 8 * part * prec * made._plane, made._strides, _abi.DEVICE, given.shape)
        own.check(lib.plumb_stream_wait(own.handle, None))
        return made
    host = array(given, prec)
    host = host._as(prec, parts)
    made = empty(own, host.shape, prec, parts, points)
    for plane in range(prec * parts):
        stored = host._planes[plane, ...]
        if not stored.flags.c_contiguous and not stored.flags.f_contiguous or not stored.flags.aligned:
            stored = stored.copy()
        _copy(own, address(stored), [s // 8 for s in stored.strides], _abi.HOST, made._pointer + 8 * plane * made._plane,
              made._strides, _abi.DEVICE, host.shape)
    return made


def to_device(numbers: Any, precision: Any = None) -> DeviceArray:
    """Copies numbers (anything that :func:`plumb.array` takes) to the GPU."""
    there = foreign(numbers)
    if there is not None:
        prec = there._prec if isinstance(there, DeviceArray) else _abi.D
        prec = prec if precision is None else precision_of(precision)
        return on_device(context("auto"), there, prec, 2 if there.iscomplex else 1)
    host = array(numbers, precision)
    return on_device(context("auto"), host, host._prec, 2 if host.iscomplex else 1)


def _product(x: Any, y: Any) -> DeviceArray:
    """x @ y on the device: matrices and vectors. What is on the host is copied to it, and a lower precision is raised."""
    operands = [foreign(one) for one in (x, y)]
    operands = [array(one) if there is None else there for one, there in zip((x, y), operands)]
    prec = max(getattr(one, "_prec", _abi.D) for one in operands)
    parts = 2 if any(one.iscomplex for one in operands) else 1
    shapes = [tuple(one.shape) for one in operands]
    if any(len(shape) not in (1, 2) for shape in shapes) or shapes[0][-1] != shapes[1][0]:
        raise ArgumentError(f"operands of @ on the device have the shapes {shapes[0]} and {shapes[1]}, expected vectors or matrices "
                            "with matching inner lengths")
    own = context("auto")
    a, b = (on_device(own, one, prec, parts) for one in operands)
    made = empty(own, shapes[0][:-1] + shapes[1][1:], prec, parts)
    rows, inner = (1, shapes[0][0]) if a.ndim == 1 else shapes[0]
    cols = 1 if b.ndim == 1 else shapes[1][1]

    def view_of(one: DeviceArray, m: int, n: int) -> View:
        return View(one._pointer, m, n, 1, one._plane, m, m * n, prec, parts, _abi.DEVICE, 0)

    left, right, result = view_of(a, rows, inner), view_of(b, inner, cols), view_of(made, rows, cols)
    own.check(lib.plumb_gemm(own.handle, _byref(left), _byref(right), _byref(result), None, None))
    own.check(lib.plumb_stream_wait(own.handle, None))
    return made


def matrix_view(x: DeviceArray, vector: bool, batch: bool) -> View:
    """The view of a matrix or vector, or of a batch of them: axes (batch, rows, columns)."""
    shape = x.shape[1:] if batch else x.shape
    count = x.shape[0] if batch else 1
    rows, cols = (shape[0], 1) if vector else shape
    return View(x._pointer, rows, cols, count, x._plane, rows, rows * cols, x._prec, x._parts, _abi.DEVICE, 0)
