"""Calls of NumPy with plumb arrays: what test_numpy.py checks, and docs/python-numpy.md lists.

    python3 python/tests/numpy_calls.py >docs/python-numpy.md      # with plumb installed, to write that page again

Every call has an oracle: the same call with NumPy arrays of numbers of mpmath, or, where NumPy cannot do it with them, another
expression. a and b are 3 x 4 matrices, m and s square ones, v and w vectors of length 4, z a complex one.
"""

import textwrap

import mpmath
import numpy

import plumb

PRECISION = "qd"
DIGITS = 60


def _random(shape, seed, iscomplex=False):
    """Quotients of integers with 60 digits: no double holds them."""
    import random
    generator = random.Random(seed)
    with mpmath.workdps(DIGITS + 60):
        def one():
            return mpmath.mpf(generator.randint(-10**60, 10**60)) / generator.randint(10**59, 10**60)
        out = numpy.empty(shape, dtype=object)
        for index in numpy.ndindex(*out.shape):
            out[index] = mpmath.mpc(one(), one()) if iscomplex else one()
    return out


def arrays():
    """The names of calls: as plumb arrays, and as NumPy arrays of the same numbers of mpmath."""
    ours = {name: plumb.array(_random(shape, seed, name == "z"), PRECISION) for seed, (name, shape) in enumerate(
        {"a": (3, 4), "b": (3, 4), "m": (3, 3), "s": (3, 3), "v": (4,), "w": (4,), "z": (4,)}.items())}
    ours["k"] = plumb.array(["5/2", "1/3", "5/2", "-7"], PRECISION)  # with equal numbers
    theirs = {name: numpy.array(x.to_mpmath(), dtype=object) for name, x in ours.items()}
    return ours, theirs


def _sqrt(x):
    return numpy.vectorize(mpmath.sqrt, otypes=[object])(x)


def _det(x):
    return mpmath.det(mpmath.matrix(x.tolist()))


def _inv(x):
    return numpy.array(mpmath.inverse(mpmath.matrix(x.tolist())).tolist(), dtype=object)


def _factor(x):
    return numpy.array(mpmath.cholesky(mpmath.matrix(x.tolist())).tolist(), dtype=object)


def _solved(x, y):
    return numpy.array(list(mpmath.lu_solve(mpmath.matrix(x.tolist()), mpmath.matrix(y.tolist()))), dtype=object)


def _var(x, axis=None, ddof=0):
    mean = numpy.mean(x, axis=axis, keepdims=True)
    return numpy.sum(abs(x - mean)**2, axis=axis) / (x.size // max(numpy.size(numpy.sum(x, axis=axis)), 1) - ddof)


def _each(function, *given):
    return numpy.vectorize(function, otypes=[object])(*given)


def _quantile(x, share):
    ranked = sorted(x.flat)
    place = share * (len(ranked) - 1)
    low = int(place)
    return ranked[low] + (ranked[min(low + 1, len(ranked) - 1)] - ranked[low]) * (place - low)


HELPERS = {"numpy": numpy, "mpmath": mpmath, "root": _sqrt, "det": _det, "inv": _inv, "factor": _factor, "solved": _solved, "variance": _var,
           "each": _each, "quantile": _quantile}

SAME = None  # the oracle is the call itself
KEPT = {
    "Arithmetic": {
        "numpy.add(a, b)": SAME, "numpy.subtract(a, 1)": SAME, "numpy.multiply(a, v)": SAME, "numpy.divide(a, b)": SAME,
        "numpy.negative(a)": SAME, "numpy.positive(a)": SAME, "numpy.absolute(z)": SAME, "numpy.fabs(a)": "abs(a)",
        "numpy.sqrt(abs(a))": "root(abs(a))", "numpy.square(a)": SAME, "numpy.reciprocal(a)": "1 / a", "numpy.power(a, 3)": SAME, "a**2.0": SAME,
        "numpy.power(a, [1, 2, 3, -1])": "numpy.power(a, numpy.array([1, 2, 3, -1], dtype=object))",
        "numpy.conjugate(z)": "each(mpmath.conj, z)", "numpy.sign(a)": "each(mpmath.sign, a)",
        "numpy.hypot(a, b)": "each(mpmath.hypot, a, b)", "numpy.ldexp(a, 3)": "a * 8", "numpy.copysign(a, b)":
        "each(lambda x, y: abs(x) if y > 0 else -abs(x), a, b)", "numpy.floor(7 * a)": "each(mpmath.floor, 7 * a)",
        "numpy.ceil(7 * a)": "each(mpmath.ceil, 7 * a)", "numpy.trunc(7 * a)": "each(lambda x: mpmath.mpf(int(x)), 7 * a)",
        "numpy.rint(7 * a)": "each(mpmath.nint, 7 * a)", "numpy.floor_divide(a, b)": "each(mpmath.floor, a / b)",
        "numpy.remainder(a, b)": "a - b * each(mpmath.floor, a / b)", "numpy.fmod(a, b)":
        "a - b * each(lambda x: mpmath.mpf(int(x)), a / b)", "numpy.maximum(a, b)": SAME, "numpy.minimum(a, 0)": SAME,
        "numpy.fmax(a, b)": "numpy.maximum(a, b)", "numpy.fmin(a, b)": "numpy.minimum(a, b)",
        "numpy.clip(a, -1, '1/3')": "numpy.clip(a, -1, mpmath.mpf(1) / 3)", "numpy.round(a, 20)":
        "each(lambda x: mpmath.nint(x * mpmath.mpf(10)**20) / mpmath.mpf(10)**20, a)",
        "numpy.real(z)": "each(mpmath.re, z)", "numpy.imag(z)": "each(mpmath.im, z)"},
    "Comparison": {
        "numpy.less(a, b)": SAME, "numpy.less_equal(a, b)": SAME, "numpy.greater(a, b)": SAME, "numpy.greater_equal(a, b)": SAME,
        "numpy.equal(k, k[::-1])": SAME, "numpy.not_equal(k, k[::-1])": SAME, "numpy.isfinite(a)": "numpy.full((3, 4), True)",
        "numpy.isnan(a)": "numpy.full((3, 4), False)", "numpy.isinf(a)": "numpy.full((3, 4), False)", "numpy.signbit(a)": "a < 0",
        "numpy.logical_and(a > 0, b)": "a > 0", "numpy.logical_not(a)": "numpy.full((3, 4), False)",
        "numpy.isclose(a, a + 1e-30, rtol=1e-40, atol=0)": "numpy.full((3, 4), False)",
        "numpy.allclose(a, a + 1e-50)": "True", "numpy.array_equal(a, b)": SAME, "numpy.any(a > 1)": SAME, "numpy.all(a)": "True",
        "numpy.isreal(z)": "numpy.full(4, False)", "numpy.iscomplexobj(z)": "True", "numpy.nonzero(k - 2.5)": SAME,
        "numpy.count_nonzero(k - 2.5)": "2", "numpy.flatnonzero(k == 2.5)": SAME, "numpy.argwhere(k == 2.5)": SAME},
    "Reductions": {
        "numpy.sum(a)": SAME, "numpy.sum(a, axis=0)": SAME, "numpy.sum(a, axis=1, keepdims=True)": SAME,
        "numpy.sum(a, where=a > 0, initial=1)": "1 + sum(x for x in a.flat if x > 0)", "numpy.sum(z)": SAME, "numpy.prod(a)": SAME,
        "numpy.prod(a, axis=-1)": SAME, "numpy.mean(a)": SAME, "numpy.mean(a, axis=1)": SAME, "numpy.var(a)": "variance(a)",
        "numpy.var(a, axis=0, ddof=1)": "variance(a, 0, 1)", "numpy.std(a)": "mpmath.sqrt(variance(a))",
        "numpy.average(v, weights=abs(w))": "numpy.sum(v * abs(w)) / numpy.sum(abs(w))", "numpy.max(a)": SAME, "numpy.max(a, axis=0)": SAME,
        "numpy.min(a, axis=1)": SAME, "numpy.ptp(a, axis=0)": "numpy.max(a, axis=0) - numpy.min(a, axis=0)",
        "numpy.argmax(a)": SAME, "numpy.argmin(a, axis=1)": SAME, "numpy.median(a)": "quantile(a, mpmath.mpf(1) / 2)",
        "numpy.quantile(a, '1/3')": "quantile(a, mpmath.mpf(1) / 3)", "numpy.percentile(a, 30)": "quantile(a, mpmath.mpf(3) / 10)",
        "numpy.cumsum(a)": SAME, "numpy.cumsum(a, axis=1)": SAME, "numpy.cumprod(a, axis=0)": SAME, "numpy.diff(a)": SAME,
        "numpy.diff(v, 2)": SAME, "numpy.trace(m)": SAME, "numpy.cov(a)":
        "(a - numpy.mean(a, axis=1, keepdims=True)) @ (a - numpy.mean(a, axis=1, keepdims=True)).T / 3",
        "numpy.cov(v, w)": "numpy.array([[sum((x - numpy.mean(x)) * (y - numpy.mean(y))) / 3 for x in (v, w)] for y in (v, w)])",
        "numpy.sum(a, 0, None, None, True)": SAME, "numpy.max(a, 1, None, True)": SAME, "numpy.var(a, 0, None, None, 1)": "variance(a, 0, 1)",
        "numpy.add.reduce(a, axis=1)": SAME, "numpy.multiply.accumulate(v)": SAME, "numpy.maximum.reduce(a)": SAME,
        "numpy.subtract.outer(v, w)": SAME},
    "Products and linear algebra": {
        "numpy.dot(v, w)": SAME, "numpy.dot(a, v)": SAME, "numpy.dot(m, s)": SAME, "numpy.matmul(m, a)": SAME,
        "numpy.matmul(m.reshape(1, 3, 3), a)": SAME, "a @ v": SAME, "numpy.vdot(z, v)": "sum(mpmath.conj(x) * y for x, y in zip(z, v))",
        "numpy.inner(a, b)": SAME, "numpy.outer(v, w)": SAME, "numpy.tensordot(a, b, axes=([0, 1], [0, 1]))": "numpy.sum(a * b)",
        "numpy.einsum('ij,j->i', a, v)": "a @ v", "numpy.einsum('ij,kj', a, b)": "a @ b.T", "numpy.einsum('ii', m)": "numpy.trace(m)",
        "numpy.einsum('ij,jk,kl->il', m, s, a)": "m @ s @ a", "numpy.kron(m, v)": "numpy.kron(m, v.reshape(1, 4))",
        "numpy.cross(m, s)": "numpy.array([[x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]] "
                             "for x, y in zip(m, s)])", "numpy.convolve(v, w)": "numpy.array([sum(v[i] * w[k - i] for i in "
                             "range(4) if 0 <= k - i < 4) for k in range(7)])", "numpy.polyval(v, w)":
        "((v[0] * w + v[1]) * w + v[2]) * w + v[3]", "numpy.linalg.norm(a)": "mpmath.sqrt(numpy.sum(a * a))",
        "numpy.linalg.norm(a, axis=1)": "root(numpy.sum(a * a, axis=1))", "numpy.linalg.norm(a, 1)": "max(numpy.sum(abs(a), axis=0))",
        "numpy.linalg.norm(v, numpy.inf)": "max(abs(v))", "numpy.linalg.solve(m, s)": "inv(m) @ s",
        "numpy.linalg.solve(m, v[:3])": "solved(m, v[:3])", "numpy.linalg.inv(m)": "inv(m)", "numpy.linalg.det(m)": "det(m)",
        "numpy.linalg.cholesky(m @ m.T)": "factor(m @ m.T)",
        "numpy.linalg.lstsq(a.T, v)[0]": "solved(a @ a.T, a @ v)",
        "numpy.linalg.lstsq(a, v[:3])[0]": "a.T @ solved(a @ a.T, v[:3])", "numpy.matmul(*numpy.linalg.qr(m))": "m",
        "numpy.linalg.matrix_power(m, 3)": "m @ m @ m", "numpy.linalg.matrix_power(m, -1)": "inv(m)",
        "numpy.linalg.matrix_rank(m)": "3", "numpy.linalg.matrix_rank(a)": "3", "numpy.linalg.multi_dot([m, s, a])": "m @ s @ a"},
    "Sorting": {
        "numpy.sort(v)": SAME, "numpy.sort(a, axis=0)": SAME, "numpy.argsort(v)": SAME, "numpy.argsort(a, axis=0)": SAME,
        "numpy.searchsorted(numpy.sort(v), w)": SAME, "numpy.unique(k)": SAME, "numpy.unique(k, return_counts=True)[1]": SAME},
    "Shapes": {
        "numpy.reshape(a, (2, 6))": SAME, "numpy.ravel(a)": SAME, "numpy.transpose(a)": SAME, "numpy.swapaxes(a, 0, 1)": SAME,
        "numpy.moveaxis(a, 0, 1)": SAME, "numpy.squeeze(a[:1])": SAME, "numpy.expand_dims(a, 0)": SAME,
        "numpy.broadcast_to(v, (2, 4))": SAME, "numpy.concatenate([a, b])": SAME, "numpy.concatenate([v, [1, 2]])": SAME,
        "numpy.stack([v, w], axis=1)": SAME, "numpy.vstack([a, v])": SAME, "numpy.hstack([a, b])": SAME, "numpy.column_stack([v, w])": SAME,
        "numpy.block([[m, s], [s, m]])": SAME, "numpy.append(v, [5])": SAME, "numpy.insert(v, 1, 5)": SAME, "numpy.delete(v, 1)": SAME,
        "numpy.split(a, 3)[1]": SAME, "numpy.array_split(v, 3)[0]": SAME, "numpy.tile(v, 2)": SAME, "numpy.repeat(a, 2, axis=0)": SAME,
        "numpy.flip(a, axis=0)": SAME, "numpy.rot90(m)": SAME, "numpy.roll(a, 1)": SAME, "numpy.take(v, [0, 2])": SAME,
        "numpy.compress([True, False, True], a, axis=0)": SAME, "numpy.diag(m)": SAME, "numpy.diag(v)": SAME, "numpy.tril(m)": SAME,
        "numpy.triu(m, 1)": SAME, "numpy.where(a > b, a, 0)": SAME, "numpy.pad(v, 2)": SAME, "numpy.meshgrid(v, w)[1]": SAME,
        "numpy.copy(a)": SAME, "numpy.zeros_like(a)": SAME, "numpy.ones_like(a)": SAME, "numpy.full_like(a, 3)": SAME,
        "numpy.shape(a)": SAME, "numpy.size(a)": SAME, "numpy.linspace(v[0], v[1], 5)":
        "numpy.array([v[0] + (v[1] - v[0]) * j / 4 for j in range(5)])", "numpy.zeros(3, like=a)": "numpy.zeros(3)"},
    "Indexing and methods": {
        "a[1]": SAME, "a[:, ::-2]": SAME, "a[[0, 2], [1, 3]]": SAME, "a[a > 0]": SAME, "a[..., None]": SAME, "a.T": SAME, "a.sum(axis=0)": SAME,
        "a.mean()": SAME, "a.std()": "mpmath.sqrt(variance(a))", "a.max(axis=1)": SAME, "a.argmin()": SAME, "a.cumsum()": SAME,
        "a.ravel()": SAME, "a.transpose(1, 0)": SAME, "a.clip(0, 1)": SAME, "a.clip(max=0)":
        "numpy.minimum(a, 0)", "a.dot(v)": SAME, "a.swapaxes(0, 1)": SAME, "a.take([0, 3])": SAME,
        "v.argsort()": SAME, "m.diagonal()": SAME, "m.trace()": SAME, "a.round(5)":
        "each(lambda x: mpmath.nint(x * 10**5) / mpmath.mpf(10)**5, a)", "v.repeat(2)": SAME, "a.flatten()": SAME},
}
REFUSED = [
    "numpy.sin(a)", "numpy.exp(a)", "numpy.log(abs(a))", "numpy.arctan2(a, b)", "numpy.cbrt(a)", "numpy.power(a, a)", "numpy.modf(a)",
    "numpy.nextafter(a, b)", "numpy.angle(z)", "numpy.sinc(a)", "numpy.emath.sqrt(a)", "numpy.gradient(v)", "numpy.interp(v, w, w)",
    "numpy.histogram(v)", "numpy.digitize(v, w)", "numpy.polyfit(v, w, 1)", "numpy.roots(v)", "numpy.corrcoef(a)", "numpy.nansum(a)", "numpy.nan_to_num(a)",
    "numpy.fft.fft(v)", "numpy.linalg.svd(m)", "numpy.linalg.eig(m)", "numpy.linalg.eigvalsh(m)", "numpy.linalg.cond(m)",
    "numpy.linalg.pinv(m)", "numpy.linalg.norm(m, 2)", "numpy.linalg.slogdet(m)", "numpy.sum(a, dtype=float)",
    "numpy.add(a, b, out=numpy.zeros((3, 4)))", "numpy.add.at(a, [0], 1)", "numpy.apply_along_axis(sum, 0, a)", "numpy.asarray(a)",
    "numpy.asarray(a, dtype=float)", "numpy.array([v[0], v[1]])", "numpy.array([v[0]], dtype=float)", "numpy.full(3, v[0])",
    "numpy.insert(numpy.ones(4), 1, [v[0]])", "numpy.copyto(numpy.ones(4), v)", "numpy.random.normal(v)", "numpy.ma.cov(v)", "numpy.ones(4).dot(v)",
    "numpy.pad(v, 1, mode='mean')", "numpy.bitwise_and(a, b)", "numpy.save('x.npy', a)"]


def called(call, names):
    return eval(call, {**HELPERS, **names})


def message_of(call, names):
    """The TypeError of a call, or None."""
    try:
        called(call, names)
    except TypeError as error:
        return str(error)
    return None


def wrapped(text):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def page():
    """docs/python-numpy.md."""
    ours, _ = arrays()
    lines = ["# NumPy's functions of plumb arrays", "",
             *wrapped("This page is written by `python/tests/numpy_calls.py`, and a test checks every line of it. A function of NumPy either keeps "
                      "the precision of a plumb array, which is compared with mpmath, or raises a TypeError. None rounds to double unless a "
                      "call says so. That includes `numpy.asarray(x, dtype=float)`, which functions of NumPy and SciPy call for themselves: "
                      "`x.to_numpy()` rounds. A single number becomes a float where Python or NumPy asks that number for one: `float(x[0])`, "
                      "`math.sin(x[0])`, `'%f' % x[0]`, `doubles[0] = x[0]`, `doubles.sum(initial=x[0])`, `numpy.fromiter(x, float)`. In "
                      "the calls below, `a` and `b` are 3 x 4 matrices, `m` and `s` are square, `v`, `w` and `k` vectors, and `z` is a complex vector. Functions that move numbers return copies; slices, `x.T`, `x.real` and `x.imag` "
                      "are views."), ""]
    count = sum(map(len, KEPT.values()))
    lines += [f"## {count} calls that keep the precision", ""]
    for title, calls in KEPT.items():
        lines += [*wrapped(f"**{title}.** " + ", ".join(f"`{call}`" for call in calls)), ""]
    lines += [f"## {len(REFUSED)} calls that are refused", "", "| call | TypeError |", "|---|---|"]
    lines += [f"| `{call}` | {message_of(call, ours)} |" for call in REFUSED]
    lines += ["", "Functions that are on neither list, such as those of SciPy, call `numpy.asarray(a)`, which is a TypeError."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
