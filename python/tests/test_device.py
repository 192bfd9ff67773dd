"""Arrays on a GPU, real or emulated: a library that has none skips these tests.

Arrays of other packages are played by a class with the CUDA array interface, whose memory plumb allocates.
"""

import ctypes
import gc
import threading

import numpy
import pytest

import plumb
from plumb import _device
from plumb._library import context

pytestmark = pytest.mark.skipif(not any(device["usable"] for device in plumb.devices()), reason="no GPU")


class Foreign:
    """An array on the device as CuPy or PyTorch have it, with the strides of the NumPy array it is a copy of."""

    def __init__(self, values, stream=None):
        values = numpy.asarray(values)
        base = values
        while base.base is not None and isinstance(base.base, numpy.ndarray):
            base = base.base
        flat = numpy.ascontiguousarray(base.ravel(order="K")).view(float)
        self.memory = plumb.to_device(flat)
        offset = values.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        self.__cuda_array_interface__ = {
            "shape": values.shape, "typestr": values.dtype.str, "version": 3, "stream": stream,
            "strides": values.strides, "data": (self.memory._pointer + offset, False)}


def problem(seed, shape=(7, 5), iscomplex=False):
    generator = numpy.random.default_rng(seed)
    A, b = generator.standard_normal(shape), generator.standard_normal(shape[:-1])
    if iscomplex:
        A, b = A + 1j * generator.standard_normal(shape), b + 1j
    return A, b


def test_there_and_back():
    for values in (numpy.arange(6.0), numpy.arange(24.0).reshape(2, 3, 4), numpy.float64(3.5),
                   numpy.arange(12.0).reshape(3, 4) + 1j):
        for precision in ("d", "dd", "qd"):
            x = plumb.array(values, precision)
            there = plumb.to_device(x)
            assert there.shape == x.shape and there.precision == precision and there.iscomplex == x.iscomplex
            assert numpy.array_equal(there.to_host().planes, x.planes)
            assert there.__cuda_array_interface__["shape"] == (len(x.planes), *x.shape)
    third = plumb.array([["1/3", "2/7"]], "qd")
    assert numpy.array_equal(plumb.to_device(third).to_host().planes, third.planes)


@pytest.mark.parametrize("iscomplex", [False, True])
@pytest.mark.parametrize("precision", ["d", "dd", "qd"])
def test_least_squares_on_the_device(precision, iscomplex):
    A, b = problem(1, iscomplex=iscomplex)
    expected = plumb.lstsq(A, b, precision, backend="cpu")
    tolerance = {"d": 1e-12, "dd": 1e-27, "qd": 1e-58}[precision]
    wide = numpy.zeros((14, 15), dtype=A.dtype)
    wide[::2, ::3] = A
    for form in (A, numpy.asfortranarray(A), wide[::2, ::3], plumb.to_device(plumb.array(A, precision))):
        left = form if isinstance(form, plumb.DeviceArray) else Foreign(form)
        r = plumb.lstsq(left, Foreign(b), precision)
        assert isinstance(r.x, plumb.DeviceArray) and r.digits > 5 and r.condition > 1
        assert float(abs(r.x.to_host() - expected.x).to_numpy().max()) < tolerance
        assert float(abs(r.residual.to_host()[0] - expected.residual)) < tolerance
    several = plumb.lstsq(Foreign(A), numpy.stack([b, 2 * b], axis=1), precision)  # b on the host
    assert several.x.shape == (5, 2)
    assert float(abs(several.x.to_host()[:, 1] - 2 * expected.x).to_numpy().max()) < 2 * tolerance


@pytest.mark.parametrize("iscomplex", [False, True])
@pytest.mark.parametrize("precision", ["d", "dd", "qd"])
def test_least_norm_on_the_device(precision, iscomplex):
    A, b = problem(6, (3, 5, 9), iscomplex=iscomplex)
    tolerance = {"d": 1e-13, "dd": 1e-28, "qd": 1e-59}[precision]
    many = plumb.lstsq(Foreign(A), Foreign(b), precision)
    assert many.x.shape == (3, 9) and many.rank.tolist() == [5, 5, 5]
    for k in range(3):
        expected = plumb.lstsq(A[k], b[k], precision, backend="cpu", rounded=False)
        r = plumb.lstsq(Foreign(A[k]), Foreign(b[k]), precision)
        assert isinstance(r.x, plumb.DeviceArray) and r.rank == 5 and abs(r.digits - expected.digits) < 1 and r.note == ""
        assert float(abs(r.x.to_host() - expected.x).to_numpy().max()) < tolerance
        assert float(abs(many.x.to_host()[k] - expected.x).to_numpy().max()) < tolerance
        assert float(r.residual.to_host()[0]) < tolerance
    with pytest.raises(plumb.SingularError):
        plumb.lstsq(Foreign(numpy.ones((2, 3))), Foreign(numpy.ones(2)), precision)


def test_a_matrix_in_our_layout_is_not_copied():
    A, b = problem(2)
    left = Foreign(numpy.asfortranarray(A))
    own = context("auto")
    used = _device.on_device(own, _device.foreign(left), 1, 1)
    assert used._pointer == left.__cuda_array_interface__["data"][0]
    moved = _device.on_device(own, _device.foreign(Foreign(A)), 1, 1)
    assert numpy.array_equal(moved.to_host().to_numpy(), A)


def test_batches_on_the_device():
    A, b = problem(3, (6, 7, 5))
    r = plumb.lstsq(Foreign(A), Foreign(b), "dd")
    expected = plumb.lstsq(A, b, "dd", backend="cpu")
    assert r.x.shape == (6, 5) and float(abs(r.x.to_host() - expected.x).to_numpy().max()) < 1e-26
    B = numpy.stack([b, b + 1], axis=2)
    r = plumb.lstsq(Foreign(A), Foreign(B), "d")
    assert r.x.shape == (6, 5, 2)
    assert numpy.allclose(r.x.to_host().to_numpy(), plumb.lstsq(A, B, "d", backend="cpu").x.to_numpy())


def test_qr_and_evaluation_on_the_device():
    A, _ = problem(4)
    f = plumb.qr(Foreign(A), "dd")
    assert float(abs(f.Q.to_host() @ f.R.to_host() - A).to_numpy().max()) < 1e-28
    system = plumb.System("x^2 - y; x*y - 1; x + y^3")
    points = numpy.random.default_rng(5).standard_normal((10, 2))
    for given in (points, points + 1j, numpy.asfortranarray(points)):
        found = plumb.evaluate(system, Foreign(given), jacobian=True)
        expected = plumb.evaluate(system, given, jacobian=True, backend="cpu")
        assert isinstance(found.values, plumb.DeviceArray) and found.jacobian.shape == (10, 3, 2)
        assert numpy.allclose(found.values.to_host().to_numpy(), expected.values.to_numpy())
        assert numpy.allclose(found.jacobian.to_host().to_numpy(), expected.jacobian.to_numpy())


def test_dlpack_of_the_device():
    values = numpy.arange(12.0).reshape(3, 4)
    there = plumb.to_device(values.ravel())

    class Producer:
        device = 0

        def __dlpack_device__(self):
            return (2, self.device)

        def __dlpack__(self, stream=None):
            self.shape = (ctypes.c_int64 * 2)(3, 4)
            self.tensor = _device._DLManagedTensor(
                _device._DLTensor(there._pointer, 2, self.device, 2, 2, 64, 1, self.shape, None, 0), None, None)
            new = ctypes.pythonapi.PyCapsule_New
            new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
            return new(ctypes.addressof(self.tensor), b"dltensor", None)

    assert numpy.array_equal(plumb.to_device(Producer()).to_host().to_numpy(), values)
    other = Producer()
    other.device = 1
    with pytest.raises(plumb.ArgumentError, match="GPU 1"):
        plumb.to_device(other)


def take(capsule):
    """What a consumer does: it renames the capsule and owns the tensor."""
    rename = ctypes.pythonapi.PyCapsule_SetName
    rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer = _device._capsule_pointer(id(capsule), b"dltensor")
    take.name = b"used_dltensor"  # PyCapsule_SetName keeps the pointer
    assert rename(capsule, take.name) == 0
    return _device._DLManagedTensor.from_address(pointer)


def test_dlpack_to_others():
    x = plumb.to_device(plumb.array([["1/3", "2/7", 5], ["0.1", 1, 2]], "qd"))
    assert x.__dlpack_device__() == (2, 0)
    capsule = x.__dlpack__()
    managed = take(capsule)
    tensor = managed.tensor
    assert (tensor.device_type, tensor.device_id, tensor.code, tensor.bits, tensor.lanes) == (2, 0, 2, 64, 1)
    assert [tensor.shape[k] for k in range(tensor.ndim)] == [4, 2, 3] and tensor.data == x._pointer
    assert [8 * tensor.strides[k] for k in range(tensor.ndim)] == list(x.__cuda_array_interface__["strides"])
    del capsule
    gc.collect()
    assert len(_device._exported) == 1  # the consumer still has it
    pointer = x._pointer
    holder = x._owner
    del x
    gc.collect()
    assert holder.view.data == pointer
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(ctypes.addressof(managed))
    assert not _device._exported
    y = plumb.to_device([1.5, 2.5])
    unused = y.__dlpack__(stream=2)
    assert len(_device._exported) == 1
    del unused  # nobody took it
    assert not _device._exported
    assert numpy.array_equal(plumb.to_device(NoInterface(y)).to_host().to_numpy(), [[1.5, 2.5]])  # our own tensor as a guest
    gc.collect()
    assert not _device._exported


class NoInterface:
    """A DeviceArray that shows nothing but DLPack."""

    def __init__(self, x):
        self.__dlpack__, self.__dlpack_device__ = x.__dlpack__, x.__dlpack_device__


def test_memory_comes_back():
    def work():
        for _ in range(5):
            plumb.lstsq(plumb.to_device(numpy.eye(8)), numpy.ones(8), "d")
    work()
    kept = plumb.to_device(numpy.ones(10))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    gc.collect()
    assert not context("auto").garbage
    holder = [kept]
    del kept
    other = threading.Thread(target=holder.clear)  # the last reference goes in another thread
    other.start()
    other.join()
    gc.collect()
    assert len(context("auto").garbage) == 1
    plumb.to_device(numpy.ones(3))
    assert not context("auto").garbage


@pytest.mark.parametrize("call", [
    lambda: plumb.lstsq(Foreign(numpy.eye(3, dtype=numpy.float32)), numpy.ones(3)),
    lambda: plumb.lstsq(Foreign(numpy.eye(3)), numpy.ones(4)), lambda: plumb.lstsq(Foreign(numpy.ones(3)), numpy.ones(3)),
    lambda: plumb.lstsq(Foreign(numpy.ones((3, 2))), numpy.ones(3), "dd"), lambda: plumb.lstsq(Foreign(numpy.eye(3)), None),
    lambda: plumb.lstsq(Foreign(numpy.eye(3)), numpy.ones(3), backend="x"), lambda: plumb.qr(Foreign(numpy.ones(3))),
    lambda: plumb.evaluate("x^2 - 1", Foreign(numpy.ones((3, 2)))), lambda: plumb.evaluate("x^2 - 1", Foreign(numpy.ones(3))),
    lambda: plumb.lstsq(plumb.to_device(plumb.array([["1/3"]], "qd")), [1], "d")])
def test_misuse_is_an_exception(call):
    with pytest.raises((TypeError, ValueError, MemoryError, plumb.Error)):
        call()


@pytest.mark.parametrize("precision", ["d", "dd", "qd"])
@pytest.mark.parametrize("kind", [float, complex])
def test_products_are_those_of_the_host(precision, kind):
    r = numpy.random.default_rng(3)

    def random(*shape):
        x = r.standard_normal(shape) + (1j * r.standard_normal(shape) if kind is complex else 0)
        return plumb.array(x, precision) / 3

    x, y, v = random(4, 70), random(70, 3), random(70)
    for left, right in ((x, y), (x, v), (v, y), (v, v)):
        expected = left @ right
        for a, b in ((plumb.to_device(left), plumb.to_device(right)), (left, plumb.to_device(right)),
                     (plumb.to_device(left), right)):
            found = a @ b
            assert isinstance(found, plumb.DeviceArray) and found.shape == expected.shape
            assert numpy.array_equal(found.to_host()._planes, expected._planes)  # the same bits for small matrices
    with pytest.raises(plumb.ArgumentError):
        plumb.to_device(x) @ plumb.to_device(x)
