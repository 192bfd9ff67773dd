"""Arrays: arithmetic against mpmath, views, shapes, printing that reads back, and foreign memory layouts."""

import gc
import pickle
import weakref

import mpmath
import numpy
import pytest

import plumb
from plumb import _device

DIGITS = {"d": 15, "dd": 30, "qd": 60}


def numbers(count, precision, seed, iscomplex=False):
    generator = numpy.random.default_rng(seed)
    limbs = {"d": 1, "dd": 2, "qd": 4}[precision]
    planes = numpy.zeros((limbs * (2 if iscomplex else 1), count))
    for part in range(2 if iscomplex else 1):
        planes[part * limbs] = generator.standard_normal(count)
        for k in range(1, limbs):
            planes[part * limbs + k] = planes[part * limbs + k - 1] * 2.0**-54 * generator.uniform(-0.9, 0.9, count)
    return plumb.from_planes(planes, precision, iscomplex=iscomplex)


@pytest.mark.parametrize("iscomplex", [False, True])
@pytest.mark.parametrize("precision", DIGITS)
def test_operators_agree_with_mpmath(precision, iscomplex):
    x, y = numbers(50, precision, 1, iscomplex), numbers(50, precision, 2, iscomplex)
    with mpmath.workdps(100):
        pairs = list(zip(x.to_mpmath(), y.to_mpmath()))
        tolerance = mpmath.mpf(10) ** -DIGITS[precision]
        for found, exact in [(x + y, [a + b for a, b in pairs]), (x - y, [a - b for a, b in pairs]),
                             (x * y, [a * b for a, b in pairs]), (x / y, [a / b for a, b in pairs]),
                             (-x, [-a for a, _ in pairs]), (abs(x), [abs(a) for a, _ in pairs]),
                             (x**3, [a**3 for a, _ in pairs]), (x**-2, [a**-2 for a, _ in pairs]),
                             (abs(x).sqrt(), [mpmath.sqrt(abs(a)) for a, _ in pairs]),
                             (x * 3, [a * 3 for a, _ in pairs]), (2.5 - x, [2.5 - a for a, _ in pairs]),
                             (1 / x, [1 / a for a, _ in pairs]), (x.conj(), [mpmath.conj(a) for a, _ in pairs])]:
            for a, b in zip(found.to_mpmath(), exact):
                assert abs(a - b) <= tolerance * (abs(b) + 1)
        if iscomplex:
            for a, (b, _) in zip(x.sqrt().to_mpmath(), pairs):
                assert abs(a - mpmath.sqrt(b)) <= tolerance


@pytest.mark.parametrize("iscomplex", [False, True])
def test_products_agree_with_mpmath(iscomplex):
    x = numbers(12, "qd", 3, iscomplex).reshape(3, 4)
    y = numbers(20, "qd", 4, iscomplex).reshape(4, 5)
    v = numbers(4, "qd", 5, iscomplex)
    with mpmath.workdps(90):
        X, Y, V = (mpmath.matrix(a.to_mpmath()) for a in (x, y, v))
        assert mpmath.norm(X * Y - mpmath.matrix((x @ y).to_mpmath())) < mpmath.mpf(10) ** -61
        assert mpmath.norm(X * V - mpmath.matrix((x @ v).to_mpmath())) < mpmath.mpf(10) ** -61
        assert abs(plumb.dot(v, v).to_mpmath() - sum(a * a for a in V)) < mpmath.mpf(10) ** -61
        assert abs(plumb.vdot(v, v).to_mpmath() - sum(abs(a)**2 for a in V)) < mpmath.mpf(10) ** -61
        assert abs(v.sum().to_mpmath() - sum(V)) < mpmath.mpf(10) ** -61
    assert (v @ x.T).shape == (3,) and (v @ v).shape == ()


def test_comparisons():
    x = plumb.array(["1/3", "2/3", "1"], "dd")
    y = plumb.array(["1/3", 2 / 3, "2"], "dd")
    assert (x == y).tolist() == [True, False, False]
    assert (x != y).tolist() == [False, True, True]
    assert (x <= y).tolist() == [True, False, True] and (x > y).tolist() == [False, True, False]
    assert (x < "1/2").tolist() == [True, False, False] and (x >= 1).tolist() == [False, False, True]
    assert x[0] == "1/3" and not x[0] == "no number" and x[0] != None  # noqa: E711
    z = plumb.array([1 + 1j, 2], "dd")
    assert (z == [1 + 1j, 2 + 1j]).tolist() == [True, False]
    with pytest.raises(TypeError):
        z < z
    nan = plumb.array([float("nan")], "qd")
    assert not (nan == nan).any() and not (nan < 1).any() and not (nan >= 1).any()
    with pytest.raises(TypeError):
        hash(x)


def test_precisions_meet_at_the_higher_one():
    assert (plumb.array(1, "d") + plumb.array(1, "qd")).precision == "qd"
    assert (numpy.ones(2) + plumb.array([1, 2], "dd")).precision == "dd"
    assert isinstance(numpy.ones(2) * plumb.array([1, 2], "dd"), plumb.Array)
    assert (plumb.array([1, 2], "dd") + 1j).iscomplex
    third = plumb.array("1/3", "qd")
    assert third.astype("dd").to_fractions() != third.to_fractions()
    assert third.astype("dd") == plumb.array("1/3", "dd") and third.astype("dd").astype("qd").astype("dd") == third.astype("dd")
    assert numpy.sqrt(plumb.array(2, "qd")) == plumb.sqrt(plumb.array(2, "qd"))
    assert (numpy.array([0.1]) <= plumb.array(["0.1"], "dd")).tolist() == [False]  # the double is larger than one tenth
    with pytest.raises(TypeError):
        numpy.sin(third)


def test_shapes_follow_numpy():
    x = plumb.array(numpy.arange(24.0).reshape(2, 3, 4), "dd")
    n = numpy.arange(24.0).reshape(2, 3, 4)
    for index in (0, -1, (1, 2), (slice(None), 1), (..., 2), (1, slice(None, None, -1)), (0, [0, 2]), n > 7, (1, 2, 3), None):
        key = index if isinstance(index, tuple) else (index,)
        assert numpy.array_equal(x[index].to_numpy(), n[key if not isinstance(index, numpy.ndarray) else index])
    assert numpy.array_equal((x + x[0, 0]).to_numpy(), n + n[0, 0])
    assert numpy.array_equal((x * plumb.array([[2], [3], [4]], "dd")).to_numpy(), n * [[2], [3], [4]])
    assert numpy.array_equal(x.T.to_numpy(), n.T) and numpy.array_equal(x.reshape(6, -1).to_numpy(), n.reshape(6, -1))
    assert len(x) == 2 and [row.shape for row in x] == [(3, 4)] * 2 and x.ndim == 3 and x.size == 24
    assert numpy.array_equal(numpy.asarray(x.astype("d")), n) and numpy.array_equal(x.H[0].to_numpy(), n[0].T)
    with pytest.raises(IndexError):
        x[5]
    with pytest.raises(ValueError):
        x.reshape(5, 5)
    with pytest.raises(ValueError):
        x + plumb.array([1, 2], "dd")
    with pytest.raises(TypeError):
        len(x[0, 0, 0])
    empty = plumb.zeros((0, 3), "dd")
    assert (empty + 1).shape == (0, 3) and repr(empty) == "plumb.zeros((0, 3), precision='dd')" and empty.sum() == 0


def test_slices_are_views():
    x = plumb.zeros((3, 3), "qd")
    x[1] = ["1/3", 2, 3]
    row = x[1]
    row[0] = 7
    assert x[1, 0] == 7 and x[0, 0] == 0
    x[:, 2] = x[:, 1]
    assert x[1, 2] == 2
    x[0:2] = x[1:3]  # overlapping
    assert x[0, 0] == 7
    x.planes[0, 2, 2] = 5.0
    assert x[2, 2] == 5
    with pytest.raises(TypeError):
        x[0, 0] = 1j
    with pytest.raises(ValueError):
        x[0] = [1, 2]


def test_views_keep_their_memory():
    """A view of an Array, in NumPy or in plumb, keeps the memory alive; without views it is freed."""
    planes = numpy.random.default_rng(1).standard_normal((2, 1000))
    planes[1] *= 2.0**-60
    watch = weakref.ref(planes)
    x = plumb.from_planes(planes, "dd")
    expected = planes[0, 500]
    limbs = x.limbs[500]
    part = x[500:501].real
    del x, planes
    gc.collect()
    assert watch() is not None and limbs[0] == expected == float(part)
    del limbs, part
    gc.collect()
    assert watch() is None


def test_limbs_are_the_form_of_npy_files():
    x = plumb.array([["1/3", 1], [2, "0.1"]], "dd")
    assert x.limbs.shape == (2, 2, 2) and numpy.shares_memory(x.limbs, x.planes)
    assert (plumb.from_limbs(x.limbs) == x).all() and (plumb.array(x.limbs, limbs=True) == x).all()
    z = x + 1j
    assert z.limbs.shape == (2, 2, 2, 2)
    assert (plumb.from_limbs(z.limbs, iscomplex=True) == z).all()
    # Other orders of bytes and memory, and limbs that overlap.
    for form in (x.limbs.astype(">f8"), numpy.asfortranarray(x.limbs), x.limbs[::-1][::-1], x.limbs.tolist()):
        assert (plumb.from_limbs(form) == x).all()
    assert plumb.from_limbs([1.0, 1.0]) == 2 and plumb.from_limbs([0.0, 1.0, 2.0**-70, 0.0]).planes.tolist() == \
        [1.0, 2.0**-70, 0.0, 0.0]
    for bad in (numpy.zeros((2, 3)), numpy.zeros(()), numpy.zeros((2, 0))):
        with pytest.raises(plumb.ArgumentError):
            plumb.from_limbs(bad)
    with pytest.raises(TypeError):
        plumb.from_limbs(numpy.zeros((2, 2), dtype=complex))


def test_foreign_layouts():
    n = numpy.random.default_rng(3).standard_normal((6, 8))
    for form in (n.astype(">f8"), numpy.asfortranarray(n), n[::-1, ::2], n.T, n.astype(numpy.float32), n[:, 3:4],
                 numpy.broadcast_to(n[0], (4, 8)), n.astype(complex), (n + 1j * n)[::2].astype(">c16")):
        x = plumb.array(form, "dd")
        assert numpy.array_equal(x.to_numpy(), form) and numpy.array_equal((x + x).to_numpy(), form + form)
        assert (plumb.from_planes(x.planes[:, ::-1], "dd", iscomplex=x.iscomplex) == x[::-1]).all()


def test_memory_that_is_not_aligned_or_overlaps():
    data = numpy.zeros(8 * 24 + 4, dtype=numpy.uint8)
    odd = data[4:].view(float).reshape(2, 3, 4)
    odd[0] = numpy.arange(12.0).reshape(3, 4)
    assert not odd.flags.aligned
    for x in (plumb.from_planes(odd, "dd"), plumb.array(odd[0], "dd"), plumb.from_limbs(numpy.moveaxis(odd, 0, -1))):
        assert numpy.array_equal((x + x).to_numpy(), 2 * odd[0])
        assert plumb.lstsq(x.T, [1, 2, 3, 5], "dd", pivot=True).rank == 2
    windows = numpy.lib.stride_tricks.sliding_window_view(numpy.array([1.0, 1e-20, 0.0, 0.0]), 3)  # overlapping planes
    y = plumb.from_planes(windows, "dd")
    assert (y + 0)[0] == y[0] and plumb.lstsq(y.reshape(3, 1), y, "dd").x[0] == 1
    assert plumb.lstsq(plumb.from_planes(numpy.broadcast_to(1.0, (1, 3, 1)), "d"), [1, 2, 3], "d").x[0] == 2
    frozen = numpy.ones((2, 3))
    frozen.flags.writeable = False
    z = plumb.from_planes(frozen, "d", iscomplex=True)
    assert (z + z)[0] == 2 + 2j
    with pytest.raises(ValueError):
        z[0] = 1


@pytest.mark.parametrize("precision", DIGITS)
def test_printing_reads_back(precision):
    for x in (numbers(1, precision, 1)[0], numbers(10, precision, 2), numbers(6, precision, 3).reshape(2, 3),
              numbers(4, precision, 4, True), numbers(8, precision, 5, True).reshape(2, 2, 2)):
        again = eval(repr(x), {"plumb": plumb})
        assert again.precision == x.precision and numpy.array_equal(again.planes, x.planes), repr(x)
    assert str(plumb.array(["0.1", 2], "dd")) == "[0.1 2]" and str(plumb.array("1/4")) == "0.25"
    assert "..." in repr(plumb.zeros((200, 200), precision))
    assert plumb.array("1/3", "dd").to_strings(5) == "0.33333"


def test_conversions_of_single_numbers():
    x = plumb.array("1e20", "dd") + plumb.array("1/2", "dd")
    assert float(x) == 1e20 and int(x) == 10**20 and complex(x) == 1e20 and bool(x)
    assert not plumb.array(0, "qd") and float(plumb.array([3], "qd")) == 3.0
    for bad in (plumb.array([1, 2], "dd"), plumb.array(1j, "dd")):
        with pytest.raises(TypeError):
            float(bad)
    with pytest.raises(ValueError):
        bool(plumb.array([1, 2], "dd"))


def test_pickle():
    x = numbers(8, "qd", 5, True).reshape(2, 4)
    again = pickle.loads(pickle.dumps(x))
    assert again.precision == "qd" and numpy.array_equal(again.planes, x.planes)


@pytest.mark.parametrize("call", [
    lambda: plumb.array(1, "td"), lambda: plumb.array(1, 3), lambda: plumb.array(1, []), lambda: plumb.zeros(-1, "dd"),
    lambda: plumb.zeros("x", "dd"), lambda: plumb.zeros((2**62, 2**62), "dd"), lambda: plumb.zeros(2**50, "qd"),
    lambda: plumb.from_planes(numpy.zeros((3, 2)), "dd"), lambda: plumb.from_planes(numpy.zeros(()), "d"),
    lambda: plumb.from_planes(numpy.zeros((2, 2), dtype=int), "dd"), lambda: plumb.array([1, 2]) @ plumb.array([1, 2, 3]),
    lambda: plumb.array(1) @ plumb.array(1), lambda: plumb.vdot([1], [1, 2]), lambda: plumb.array([1, 2], "dd") ** 1.5,
    lambda: plumb.array([1, 2], "dd") ** "2", lambda: plumb.array([1], "dd") + None, lambda: plumb.array([1], "dd") + object(),
    lambda: plumb.array([1], "dd").to_strings(-1), lambda: plumb.array([1], "dd").to_strings("x"),
    lambda: plumb.array([1], "dd").astype("x"), lambda: plumb.array(1, "dd").H, lambda: plumb.array([1], "dd") + "x"])
def test_misuse_is_an_exception(call):
    with pytest.raises((TypeError, ValueError, MemoryError)):
        call()


def test_dlpack_is_the_planes():
    x = plumb.array([["1/3", 2], ["0.1", 5]], "dd")
    assert x.__dlpack_device__()[0] == 1  # the host
    planes = numpy.from_dlpack(x)
    assert planes.shape == (2, 2, 2) and numpy.shares_memory(planes, x.planes)
    assert numpy.array_equal(planes, x.planes)
    z = plumb.array([1 + 2j, 3], "d")
    assert numpy.array_equal(numpy.from_dlpack(z[::2]), [[1.0], [2.0]])


def test_dlpack_keeps_memory_for_its_consumer():
    """The export of a DeviceArray, on memory of the host that is called so: NumPy takes it and gives it back."""
    numbers = numpy.arange(24.0)

    class Host:
        def __init__(self, given):
            self.given = given

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, stream=None):
            capsule = self.given.__dlpack__(stream=stream)
            where = _device._capsule_pointer(id(capsule), b"dltensor")
            _device._DLTensor.from_address(where).device_type = 1
            return capsule

    taken = numpy.from_dlpack(Host(_device.DeviceArray(numbers.ctypes.data, (2, 3), (1, 2), 6, 4, 1, numbers)))
    assert numpy.array_equal(taken, numbers.reshape(4, 3, 2).swapaxes(1, 2)) and len(_device._exported) == 1
    del taken
    gc.collect()
    assert not _device._exported
    _device.DeviceArray(numbers.ctypes.data, (24,), (1,), 24, 1, 1, numbers).__dlpack__()  # nobody takes this one
    assert not _device._exported


MASKED = numpy.ma.array([[1.0, 2.0], [3.0, 5.0]], mask=[[False, True], [False, False]])


@pytest.mark.parametrize("call", [
    lambda: plumb.array(MASKED), lambda: plumb.array(MASKED, "qd"), lambda: plumb.array([MASKED[0], [1, 2]]),
    lambda: plumb.array([[1, numpy.ma.masked], [1, 2]]), lambda: plumb.array(numpy.ma.masked),
    lambda: plumb.array(MASKED.astype(int)), lambda: plumb.array(MASKED.astype(object)),
    lambda: plumb.from_limbs(MASKED), lambda: plumb.from_planes(MASKED, "dd"), lambda: plumb.array(MASKED, limbs=True),
    lambda: plumb.lstsq(MASKED, [1, 2]), lambda: plumb.lstsq(numpy.eye(2), MASKED[0], "dd"), lambda: plumb.qr(MASKED),
    lambda: plumb.lstsq(MASKED, [1, 2], limbs=True), lambda: plumb.sqrt(MASKED),
    lambda: plumb.evaluate("x^2 - y; x*y - 1", MASKED), lambda: plumb.newton("x^2 - y; x*y - 1", MASKED),
    lambda: plumb.track("x^2 - y; x*y - 1", "x^2 - 1; y^2 - 1", MASKED), lambda: plumb.certify("x^2 - y; x*y - 1", MASKED),
    lambda: plumb.array([1, 2], "dd") + MASKED[0],
    lambda: plumb.array([1, 2], "dd").__setitem__(slice(None), MASKED[0]), lambda: plumb.array([[1, 2]]) @ MASKED])
def test_masked_values_are_refused(call):
    with pytest.raises(plumb.ArgumentError, match="masked value"):
        call()


def test_arrays_without_masked_values_are_numbers():
    whole = numpy.ma.array([[1.0, 2.0], [3.0, 5.0]])
    assert numpy.array_equal(plumb.array(whole).to_numpy(), whole.data)
    assert float(plumb.lstsq(whole, numpy.ma.array([3.0, 8.0]), "dd").x[0]) == pytest.approx(1.0)
