"""Least squares and QR: agreement with mpmath to the digits that are claimed, batches, layouts, and misuse."""

import fractions
import math
import os
import subprocess
import warnings

import mpmath
import numpy
import pytest

import plumb

LIMBS = {"d": 1, "dd": 2, "qd": 4}


def exact_solution(A, b):
    """The least-squares solution, by the normal equations in 400 digits."""
    with mpmath.workdps(400):
        A, b = mpmath.matrix(A), mpmath.matrix(b)
        return list(mpmath.lu_solve(A.H * A, A.H * b))


def correct_digits(x, exact):
    with mpmath.workdps(400):
        size = max(abs(v) for v in exact)
        error = max(abs(a - b) for a, b in zip(x.to_mpmath(), exact))
        return math.inf if error == 0 else float(-mpmath.log10(error / size))


def problem(m, n, seed, iscomplex=False, condition=1.0):
    generator = numpy.random.default_rng(seed)
    A = generator.standard_normal((m, n)) * numpy.logspace(0, -math.log10(condition), m)[:, None]
    b = generator.standard_normal(m)
    if iscomplex:
        A, b = A + 1j * generator.standard_normal((m, n)), b - 1j * generator.standard_normal(m)
    return A, b


@pytest.mark.parametrize("method", ["mgs", "refined", "lu"])
@pytest.mark.parametrize("iscomplex", [False, True])
@pytest.mark.parametrize("precision", LIMBS)
def test_claimed_digits_are_there(precision, iscomplex, method):
    for seed in range(4):
        m = 7 if method == "lu" else 9
        A, b = problem(m, 7, seed, iscomplex, 10.0 ** (3 * seed))
        r = plumb.lstsq(A, b, precision, method=method, rounded=False)
        assert correct_digits(r.x, exact_solution(A.tolist(), b.tolist())) >= r.digits - 1
        assert r.x.precision == precision and r.rank == 7 and r.info == 0 and r.condition >= 1
        assert r.digits > {"d": 0, "dd": 15, "qd": 45}[precision]
        with mpmath.workdps(80):
            rest = mpmath.matrix(A.tolist()) * mpmath.matrix(r.x.to_mpmath()) - mpmath.matrix(b.tolist())
            size = float(abs(A).max() * abs(r.x).to_numpy().max() + abs(b).max())
            assert abs(mpmath.norm(rest) - r.residual.to_mpmath()) <= size * \
                mpmath.mpf(10) ** {"d": -14, "dd": -30, "qd": -60}[precision]


def exact_least_norm(A, b):
    """The solution of least norm, A^H (A A^H)^-1 b, in 400 digits."""
    with mpmath.workdps(400):
        A, b = mpmath.matrix(A), mpmath.matrix(b)
        return list(A.H * mpmath.lu_solve(A * A.H, b))


@pytest.mark.parametrize("iscomplex", [False, True])
@pytest.mark.parametrize("precision", LIMBS)
def test_solutions_of_least_norm(precision, iscomplex):
    for seed in range(4):
        A, b = problem(5, 8, seed, iscomplex, 10.0 ** (3 * seed))  # equations of different size do no harm
        r = plumb.lstsq(A, b, precision, rounded=False)
        assert correct_digits(r.x, exact_least_norm(A.tolist(), b.tolist())) >= r.digits - 1
        assert r.x.shape == (8,) and r.x.precision == precision and r.rank == 5 and r.info == 0 and r.condition >= 1
        assert r.digits > {"d": 11, "dd": 27, "qd": 59}[precision]
        size = float(abs(A).max() * abs(r.x).to_numpy().max())
        assert float(r.residual) <= size * {"d": 1e-14, "dd": 1e-30, "qd": 1e-62}[precision]
        refined = plumb.lstsq(A, b, precision, method="refined", rounded=False)
        assert refined.method == ("mgs" if precision == "d" else "refined")
        assert correct_digits(refined.x, exact_least_norm(A.tolist(), b.tolist())) >= refined.digits - 1
        assert refined.digits > {"d": 11, "dd": 27, "qd": 59}[precision]
    for report in (True, False):
        many = plumb.lstsq(numpy.stack([A, 2 * A, -A]), numpy.stack([b, b, b]), precision, report=report, rounded=False)
        assert many.x.shape == (3, 8) and many.rank.tolist() == [5, 5, 5]
        assert numpy.array_equal(many.x[0].planes, r.x.planes) and numpy.array_equal(many.x[1].planes, r.x.planes / 2)
    assert numpy.array_equal(plumb.lstsq(A, numpy.stack([b, 2 * b], axis=1), precision).x[:, 0].planes, r.x.planes)
    found = numpy.linalg.lstsq(plumb.array(A, precision), plumb.array(b, precision))
    assert numpy.array_equal(found[0].planes, r.x.planes) and found[2] == 5


def test_least_norm_in_the_precision_it_needs():
    A = numpy.vander(numpy.arange(1, 7) / 8.0, 12)
    exact = exact_least_norm(A.tolist(), A.sum(axis=1).tolist())
    for digits, precision in ((10, "d"), (20, "dd"), (50, "qd")):
        r = plumb.lstsq(A, A.sum(axis=1), digits=digits, rounded=False)
        assert r.precision == precision and digits <= r.digits <= correct_digits(r.x, exact) + 1
    with pytest.raises(plumb.SingularError, match="row 2 depends"):
        plumb.lstsq([[1, 2, 3], [2, 4, 6]], [1, 2], "dd")
    r = plumb.lstsq([[1, 2, 3], [2, 4, 6]], [1, 2], "dd", check=False)
    assert r.info == 2 and not r.x.to_numpy().any()


def test_hilbert_matrices_in_the_precision_they_need():
    for n in (4, 10, 16):
        A = [[fractions.Fraction(1, i + j + 1) for j in range(n)] for i in range(n)]
        b = [sum(row) for row in A]
        r = plumb.lstsq(A, b)
        assert r.digits >= 15 and correct_digits(r.x, [1] * n) >= 14
        assert r.precision == {4: "dd", 10: "dd", 16: "qd"}[n]
    r = plumb.lstsq(A, b, digits=25)
    assert r.digits >= 25
    r = plumb.lstsq(A, b, digits=60)
    assert r.digits < 60 and r.note


def test_digits_of_rounded_data():
    """An array of higher precision that a call rounds promises no more than the numbers themselves do."""
    rows = [[fractions.Fraction(1, i + j + 1) for j in range(10)] for i in range(10)]
    b = [sum(row) for row in rows]  # x is 1, 1, ...
    for prec in ("d", "dd"):
        rounded = plumb.lstsq(plumb.array(rows, "qd"), plumb.array(b, "qd"), prec)
        assert rounded.digits == plumb.lstsq(rows, b, prec).digits
        error = float(abs(rounded.x - 1).to_numpy().max())
        assert error == 0.0 or rounded.digits <= 1 - math.log10(error)


def test_kinds_of_input_agree():
    rows = [["1/3", "0.1"], [2, 5], ["7/11", 1]]
    b = ["1", "1/7", 3]
    first = plumb.lstsq(rows, b, "qd")
    with mpmath.workdps(80):
        third, tenth = mpmath.mpf(1) / 3, mpmath.mpf(1) / 10
        others = [(plumb.array(rows, "qd"), plumb.array(b, "qd")),
                  ([[fractions.Fraction(1, 3), fractions.Fraction(1, 10)], [2, 5], [fractions.Fraction(7, 11), 1]],
                   [1, fractions.Fraction(1, 7), 3]),
                  (mpmath.matrix([[third, tenth], [2, 5], [mpmath.mpf(7) / 11, 1]]), [1, mpmath.mpf(1) / 7, 3])]
    for A, c in others:
        again = plumb.lstsq(A, c, "qd")
        assert numpy.array_equal(first.x.planes, again.x.planes)
        # An Array is exact; the others were rounded to it, and their digits allow for that.
        exact = isinstance(A, plumb.Array)
        assert first.digits < again.digits < first.digits + 0.5 if exact else first.digits == again.digits
    limbs = plumb.lstsq(plumb.array(rows, "qd").limbs, plumb.array(b, "qd").limbs, "qd", limbs=True)
    assert numpy.array_equal(first.x.planes, limbs.x.planes)


def test_layouts_give_the_same_bits():
    A, b = problem(8, 5, 1)
    B = numpy.stack([b, 2 * b, b[::-1]], axis=1)
    expected = plumb.lstsq(A, B, "dd")
    wide = numpy.zeros((16, 20))
    wide[::2, ::4] = A
    for form in (numpy.asfortranarray(A), wide[::2, ::4], A.astype(">f8"), A.tolist(), plumb.array(A, "dd"),
                 plumb.array(A[::-1], "dd")[::-1], plumb.array(numpy.pad(A, 3), "dd")[3:-3, 3:-3], plumb.array(A, "d"),
                 plumb.array(A.T, "dd").T, plumb.from_limbs(plumb.array(A, "dd").limbs)):
        for right in (B, numpy.asfortranarray(B), plumb.array(B, "dd"), plumb.array(B.T, "dd").T, B.astype(">f8")):
            found = plumb.lstsq(form, right, "dd")
            assert numpy.array_equal(found.x.planes, expected.x.planes)
            assert numpy.array_equal(found.residual.planes, expected.residual.planes)
    assert numpy.array_equal(plumb.lstsq(A, B[:, 0], "dd").x.planes, expected.x[:, 0].planes)
    assert numpy.array_equal(plumb.lstsq(A, B[:, :1], "dd").x.planes, expected.x[:, :1].planes)


def test_inputs_are_not_changed():
    A, b = problem(6, 4, 2, True)
    x, y = plumb.array(A, "dd"), plumb.array(b, "dd")
    before = x.planes.copy(), y.planes.copy(), A.copy(), b.copy()
    plumb.lstsq(x, y, "dd")
    plumb.lstsq(A, b, "dd")
    plumb.qr(x)
    assert all(numpy.array_equal(p, q) for p, q in zip(before, (x.planes, y.planes, A, b)))


@pytest.mark.parametrize("report", [False, True])
@pytest.mark.parametrize("iscomplex", [False, True])
@pytest.mark.parametrize("precision", LIMBS)
def test_batches_have_the_bits_of_single_problems(precision, iscomplex, report):
    A = numpy.stack([problem(6, 4, k, iscomplex)[0] for k in range(6)]).reshape(2, 3, 6, 4)
    b = numpy.stack([problem(6, 4, k, iscomplex)[1] for k in range(6)]).reshape(2, 3, 6)
    r = plumb.lstsq(A, b, precision, report=report)
    assert r.x.shape == (2, 3, 4) and r.residual.shape == (2, 3) and r.info.shape == (2, 3) and not r.info.any()
    for index in numpy.ndindex(2, 3):
        one = plumb.lstsq(A[index], b[index], precision)
        assert numpy.array_equal(r.x[index].planes, one.x.planes)
        assert numpy.array_equal(r.residual[index].planes, one.residual.planes)
        if report:
            assert r.digits[index] == one.digits and r.condition[index] == one.condition
    # One matrix with a batch of vectors, a batch of matrices with one vector, several right-hand sides, Arrays.
    shared = plumb.lstsq(A[0, 0], numpy.stack([b[0, 0], b[0, 1]])[:, :, None], precision, report=report)
    assert numpy.array_equal(shared.x[0, :, 0].planes, r.x[0, 0].planes) and shared.x.shape == (2, 4, 1)
    broad = plumb.lstsq(A[:, :1], b[0, 0], precision, report=report)
    assert broad.x.shape == (2, 1, 4) and numpy.array_equal(broad.x[0, 0].planes, r.x[0, 0].planes)
    kept = plumb.lstsq(plumb.array(A, precision), plumb.array(b, precision), precision, report=report)
    assert numpy.array_equal(kept.x.planes, r.x.planes)
    none = plumb.lstsq(A[:0], b[:0], precision, report=report)
    assert none.x.shape == (0, 3, 4) and none.info.shape == (0, 3)


def test_batches_in_the_precision_they_need():
    A = numpy.stack([numpy.vander(numpy.linspace(1, 2, n))[:, -4:] for n in (8, 8)])
    r = plumb.lstsq(A, A.sum(axis=2))
    assert (r.digits >= 15).all() and r.x.shape == (2, 4) and set(r.precision) <= {"d", "dd", "qd"}


def test_problems_that_cannot_be_solved():
    A = numpy.ones((3, 2))
    with pytest.raises(plumb.SingularError) as error:
        plumb.lstsq(A, [1, 2, 3], "dd")
    assert isinstance(error.value, numpy.linalg.LinAlgError) and "column 2" in str(error.value)
    r = plumb.lstsq(A, [1, 2, 3], "dd", check=False)
    assert r.info == 2 and (r.x == 0).all()
    r = plumb.lstsq(A, [1, 2, 3], "dd", pivot=True)
    assert r.rank == 1 and r.info == 0 and abs(float(r.x[0] + r.x[1]) - 2) < 1e-30
    for report in (False, True):
        batch = numpy.stack([numpy.eye(3)[:, :2], A])
        with pytest.raises(plumb.SingularError):
            plumb.lstsq(batch, numpy.ones((2, 3)), "dd", report=report)
        r = plumb.lstsq(batch, numpy.ones((2, 3)), "dd", report=report, check=False)
        assert r.info.tolist() == [0, 2] and (r.x[1] == 0).all() and (r.x[0] == 1).all()
    A[1, 1] = math.nan
    with pytest.raises(plumb.NonfiniteError):
        plumb.lstsq(A, [1, 2, 3], "qd")
    with pytest.raises(plumb.NonfiniteError):
        plumb.lstsq(numpy.eye(2), [1, math.inf])


def test_a_rank_by_rounding_claims_no_digits():
    r = plumb.lstsq([[1e20, 1e20], [1, 2]], [1e20, 3], "d", pivot=True)  # the solution is (-1, 2)
    assert r.rank == 1 and r.digits == 0 and "rank" in r.note
    r = plumb.lstsq([[1, 2], [2, 4], [3, 6]], ["0.1", "0.2", "0.4"], "dd", pivot=True)  # only b was rounded
    assert r.rank == 1 and r.digits > 25 and not r.note
    r = plumb.lstsq([["0.1", "0.2"], ["0.2", "0.4"]], [1, 2], "dd", pivot=True)
    assert r.rank == 1 and r.digits == 0 and "rounded" in r.note


@pytest.mark.parametrize("precision", ["auto", "d", "dd", "qd"])
def test_what_was_rounded_is_allowed_for(precision):
    A, b = problem(6, 4, 1)
    wanted = 60 if precision == "auto" else None
    digits = {said: plumb.lstsq(A, b, precision, wanted, rounded=said).digits for said in (None, False, True, "b")}
    assert digits[True] < digits[False] == digits[None] and digits["b"] <= digits[False]  # doubles are exact
    batch = plumb.lstsq([A, A], [b, b], precision, wanted, rounded=True)
    assert batch.digits.tolist() == [digits[True]] * 2
    for wrong in ("a", 1, 0.5, []):
        with pytest.raises(plumb.ArgumentError):
            plumb.lstsq(A, b, precision, rounded=wrong)


def hilbert(n):
    A = numpy.array([[1 / (i + j + 1) for j in range(n)] for i in range(n)])
    return A, A.sum(axis=1)


def test_doubles_that_were_rounded():
    A, b = hilbert(15)
    with pytest.warns(plumb.RoundingWarning, match="about 0 correct digits"):
        r = plumb.lstsq(A, b)
    assert r.digits > 40 and "rounded to double" in r.note and r.condition > 1e16
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exact, rounded = plumb.lstsq(A, b, rounded=False), plumb.lstsq(A, b, rounded=True)
        assert exact.digits == r.digits and not exact.note and rounded.digits < 1 and "rounded to d" in rounded.note
        assert plumb.lstsq(A, b, "qd", rounded=True).digits < 1 and plumb.lstsq(A.tolist(), b.tolist(), rounded=True).digits < 1
        V = numpy.vander(numpy.arange(1, 13) / 16.0)  # powers that doubles hold
        assert plumb.lstsq(V, V.sum(axis=1)).digits >= 15
        well, c = problem(6, 4, 1)
        assert plumb.lstsq(well, c, "dd").digits > 25 > 16 > plumb.lstsq(well, c, "dd", rounded=True).digits > 13
    with pytest.warns(plumb.RoundingWarning):
        batch = plumb.lstsq(numpy.stack([A, numpy.eye(15)]), numpy.stack([b, b]))
    assert batch.digits.min() >= 15
    # What is claimed for rounded data is true of the data before they were rounded.
    for n in range(2, 12):
        A, b = hilbert(n)
        rows = [[fractions.Fraction(1, i + j + 1) for j in range(n)] for i in range(n)]
        true = plumb.lstsq(rows, b.tolist(), "qd", rounded=False).x
        found = plumb.lstsq(A, b, "dd", rounded=True)
        error = float(abs(found.x - true).max() / abs(true).max())
        assert error == 0.0 or found.digits <= 1 - math.log10(error)


def test_pivoting_and_methods_without_a_precision():
    A = numpy.array([[1.0, 2.0, 3.0], [2.0, 4.0, 1.0], [3.0, 6.0, 2.0], [4.0, 8.0, 7.0]])
    r = plumb.lstsq(A, A @ [1, 1, 1], pivot=True)
    assert r.rank == 2 and r.digits >= 15 and r.x.precision == "qd" and abs(float(numpy.linalg.norm(A @ r.x - A @ [1, 1, 1]))) < 1e-13
    H = [[fractions.Fraction(1, i + j + 1) for j in range(10)] for i in range(10)]
    for method in ("lu", "refined"):
        r = plumb.lstsq(H, [sum(row) for row in H], method=method)
        assert r.digits >= 15 and r.precision in ("d", "dd", "qd") and numpy.allclose(r.x, 1, rtol=1e-14)
    with pytest.raises(plumb.SingularError):
        plumb.lstsq(numpy.ones((2, 2)), [1, 2], method="lu")
    assert plumb.lstsq(I2, ONE, pivot=True).precision == "d"


@pytest.mark.parametrize("iscomplex", [False, True])
@pytest.mark.parametrize("precision", LIMBS)
def test_standard_errors(precision, iscomplex):
    A, b = problem(8, 3, 4, iscomplex)
    r = plumb.lstsq(A, b, precision, errors=True)
    with mpmath.workdps(100):
        M, x = mpmath.matrix(A.tolist()), mpmath.matrix(exact_solution(A.tolist(), b.tolist()))
        rest = mpmath.norm(mpmath.matrix(b.tolist()) - M * x)
        exact = mpmath.inverse(M.H * M) * rest**2 / 5
        for i in range(3):
            assert abs(r.errors[i].to_mpmath() - mpmath.sqrt(exact[i, i].real)) < 10.0**-{"d": 13, "dd": 28, "qd": 58}[precision]
            for j in range(3):
                assert abs(r.covariance[i, j].to_mpmath() - exact[i, j]) < 10.0**-{"d": 13, "dd": 28, "qd": 58}[precision]
    many = plumb.lstsq(A, numpy.stack([b, 2 * b], axis=1), precision, errors=True)
    assert many.errors.shape == (3, 2) and many.covariance.shape == (2, 3, 3)
    assert numpy.allclose(many.errors[:, 0], r.errors, rtol=1e-12) and numpy.allclose(many.covariance[1], 4 * r.covariance, rtol=1e-12)
    batch = plumb.lstsq(numpy.stack([A, A]), numpy.stack([b, b]), precision, errors=True)
    assert batch.errors.shape == (2, 3) and batch.covariance.shape == (2, 3, 3) and plumb.lstsq(A, b).errors is None


def test_standard_errors_are_those_of_the_program(tmp_path):
    program = os.environ.get("PLUMB_PROGRAM")
    if not program:
        pytest.skip("PLUMB_PROGRAM is not set")
    A, b = problem(8, 3, 5)
    for name, data in (("A.txt", A), ("b.txt", b.reshape(-1, 1))):
        (tmp_path / name).write_text("\n".join(" ".join(float(x).hex() for x in row) for row in data) + "\n")
    done = subprocess.run([program, "lsq", "A.txt", "b.txt", "-p", "dd", "--covariance", "C.npy", "-q"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    theirs = plumb.from_limbs(numpy.load(tmp_path / "C.npy"))
    ours = plumb.lstsq(A, b, "dd", errors=True).covariance
    assert float(abs(theirs - ours).max() / abs(theirs).max()) < 1e-29


def test_x_prints_the_digits_that_are_known():
    A = [[fractions.Fraction(1, i + j + 1) for j in range(10)] for i in range(10)]
    r = plumb.lstsq(A, [fractions.Fraction(k, 7) for k in range(10)])
    shown = str(r.x[0])
    assert len(shown.strip("-").replace(".", "").partition("e")[0]) <= int(r.digits) < len(r.x[0].to_strings())
    assert str(plumb.lstsq(numpy.eye(2), [0.1, 0.3]).x) == "[0.1 0.3]"


@pytest.mark.parametrize("iscomplex", [False, True])
@pytest.mark.parametrize("precision", LIMBS)
def test_qr(precision, iscomplex):
    A, _ = problem(9, 5, 3, iscomplex)
    tolerance = {"d": 1e-14, "dd": 1e-29, "qd": 1e-60}[precision]
    x = plumb.array(A, precision)
    f = plumb.qr(x)
    assert float(abs(f.Q @ f.R - x).to_numpy().max()) < tolerance
    assert float(abs(f.Q.H @ f.Q - numpy.eye(5)).to_numpy().max()) < tolerance * f.condition
    assert f.permutation is None and f.rank == 5 and f.condition > 1
    assert not numpy.tril(f.R.to_numpy(), -1).any() and (f.R.to_numpy().diagonal().real > 0).all()
    g = plumb.qr(A, precision, pivot=True)
    assert sorted(g.permutation) == list(range(5))
    assert float(abs(g.Q @ g.R - x[:, g.permutation]).to_numpy().max()) < tolerance
    batch = plumb.qr(numpy.stack([A, 2 * A]), precision, reorthogonalize=True)
    assert batch.Q.shape == (2, 9, 5) and batch.condition.shape == (2,)
    assert float(abs(batch.Q[1] @ batch.R[1] - 2 * x).to_numpy().max()) < 2 * tolerance
    assert plumb.qr(x.limbs, limbs=True).Q.precision == precision if not iscomplex else True
    with pytest.raises(plumb.SingularError):
        plumb.qr(numpy.ones((3, 2)), precision)


I2, ONE = numpy.eye(2), numpy.ones(2)


@pytest.mark.parametrize("call", [
    lambda: plumb.lstsq(None, ONE), lambda: plumb.lstsq(I2, None), lambda: plumb.lstsq(1, 1), lambda: plumb.lstsq(I2, 1.0),
    lambda: plumb.lstsq(ONE, ONE), lambda: plumb.lstsq(I2, numpy.ones(3)), lambda: plumb.lstsq(I2, numpy.ones((3, 2))),
    lambda: plumb.lstsq(numpy.eye(2, 3), ONE, pivot=True), lambda: plumb.lstsq(numpy.eye(2, 3), ONE, errors=True),
    lambda: plumb.lstsq(numpy.eye(2, 3), ONE, "dd", method="lu"), lambda: plumb.lstsq(numpy.ones((0, 3)), numpy.ones(0)), lambda: plumb.lstsq(numpy.ones((0, 0)), numpy.ones(0)),
    lambda: plumb.lstsq(numpy.ones((2, 0)), ONE), lambda: plumb.lstsq(numpy.ones((3, 2, 2)), numpy.ones((4, 2, 1))),
    lambda: plumb.lstsq(I2, ONE, "x"), lambda: plumb.lstsq(I2, ONE, 7), lambda: plumb.lstsq(I2, ONE, None),
    lambda: plumb.lstsq(I2, ONE, []), lambda: plumb.lstsq(I2, ONE, "dd", 20), lambda: plumb.lstsq(I2, ONE, digits=-1),
    lambda: plumb.lstsq(I2, ONE, digits="x"), lambda: plumb.lstsq(I2, ONE, digits=math.nan),
    lambda: plumb.lstsq(I2, ONE, "dd", method="svd"), lambda: plumb.lstsq(I2, ONE, "dd", method=None),
    lambda: plumb.lstsq(I2, ONE, errors=True), lambda: plumb.lstsq(I2, ONE, method="svd"),
    lambda: plumb.lstsq(numpy.ones((3, 2)), numpy.ones(3), "dd", method="lu"), lambda: plumb.lstsq(I2, ONE, backend="tpu"),
    lambda: plumb.lstsq(I2, ONE, backend=None), lambda: plumb.lstsq(I2, ONE, backend=[]), lambda: plumb.lstsq("x", ONE),
    lambda: plumb.lstsq([["a", "b"]], [1]), lambda: plumb.lstsq([[1, 2], [3]], ONE), lambda: plumb.lstsq(I2, ONE, limbs=True),
    lambda: plumb.lstsq(numpy.array([[None]]), [1]), lambda: plumb.lstsq(numpy.array([["x"]]), [1]),
    lambda: plumb.lstsq(numpy.broadcast_to(1.0, (2**40, 2**20)), numpy.broadcast_to(1.0, 2**40)),
    lambda: plumb.lstsq(numpy.broadcast_to(1.0, (2**62, 2)), numpy.broadcast_to(1.0, 2**62)),
    lambda: plumb.lstsq(numpy.array([["2020-01-01"]], dtype="datetime64[D]"), [1]), lambda: plumb.lstsq(I2, ONE, "dd", None, "mgs"),
    lambda: plumb.qr(None), lambda: plumb.qr(1), lambda: plumb.qr(ONE), lambda: plumb.qr(numpy.ones((2, 3))),
    lambda: plumb.qr(numpy.ones((0, 0))), lambda: plumb.qr(numpy.ones((2, 0))), lambda: plumb.qr(I2, "x"),
    lambda: plumb.qr(I2, "auto"), lambda: plumb.qr(I2, backend="x"), lambda: plumb.qr([["x"]]),
    lambda: plumb.qr(numpy.full((2, 2), math.inf))])
def test_misuse_is_an_exception(call):
    with pytest.raises((TypeError, ValueError, MemoryError)):
        call()


def test_right_hand_sides_of_no_columns():
    try:
        r = plumb.lstsq(I2, numpy.ones((2, 0)), "dd")
    except ValueError:
        return
    assert r.x.shape == (2, 0)
