"""Solutions of polynomial systems: a sequence with what is known about each, in the forms that other programs use."""

from __future__ import annotations

import contextlib
import csv
import ctypes
import json
import math
import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _abi, _numbers, _page, _picture
from ._array import DIGITS, Array, address
from ._library import NAMES, ArgumentError, check, lib, precision_of
from ._system import _points_view

__all__ = ["Solution", "Solutions"]

_byref = ctypes.byref
Refined = Tuple[int, List[Tuple[str, str]]]  # the number of known digits, and real and imaginary part of each unknown
_KINDS = {_abi.SOLUTION_REGULAR: "regular", _abi.SOLUTION_SINGULAR: "singular", _abi.SOLUTION_CLUSTER: "cluster"}


class Origin(NamedTuple):
    """Where solutions come from, for their page."""

    equations: List[str]
    largest: float  # of the options of the call, and nonzero, too
    nonzero: bool
    seconds: float  # that the solutions took, and their certificates
    certify_seconds: float


class Solution:
    """One solution: its unknowns, and what is known about it.

    >>> import plumb
    >>> s = plumb.solve(["x^2 = 2"])[0]
    >>> round(float(s["x"].real), 10), s.isreal, s.multiplicity
    (-1.4142135624, True, 1)
    """

    __slots__ = ("x", "unknowns", "_record", "certificate", "texts", "_known")

    def __init__(self, x: Array, unknowns: List[str], record: Any, certificate: Optional[Dict[str, Any]],
                 refined: Optional[Refined] = None):
        #: the unknowns, as a complex Array, of which str() shows the digits that are known
        self.x = Array(x._planes, x._prec, int(record["known"]) or DIGITS[int(record["prec"]) or x._prec])
        #: pairs of decimal numbers, real and imaginary part of each unknown, if more than 60 digits were requested and are known; or None
        self.texts = refined[1] if refined else None
        self._known = refined[0] if refined else int(record["known"])
        self.unknowns = unknowns  #: their names
        self._record = record
        self.certificate = certificate  #: what was proven about it, or None

    multiplicity = property(lambda self: int(self._record["multiplicity"]),
                            doc="its multiplicity; of a cluster: the number of solutions within the error, which may be one")
    error = property(lambda self: float(self._record["error"]), doc="estimated relative error; the radius of a cluster")
    residual = property(lambda self: float(self._record["residual"]), doc="largest modulus of an equation")
    isreal = property(lambda self: bool(self._record["real"]), doc="whether it equals its conjugate within its error")
    issingular = property(lambda self: self._record["kind"] == _abi.SOLUTION_SINGULAR,
                          doc="whether the Jacobian is singular there")
    iscluster = property(lambda self: self._record["kind"] == _abi.SOLUTION_CLUSTER,
                         doc="whether it is a cluster: one multiple solution or several ones, which could not be distinguished")
    kind = property(lambda self: _KINDS.get(int(self._record["kind"])),
                    doc='``"regular"``, ``"singular"``, ``"cluster"``, or None where that is not known')
    digits = property(lambda self: self._known, doc="estimated number of correct decimal digits")

    @property
    def condition(self) -> float:
        """Estimated condition number."""
        rcond = float(self._record["rcond"])
        return 1.0 / rcond if rcond > 0.0 else math.inf

    @property
    def precision(self) -> str:
        """Precision of the solution: ``"d"``, ``"dd"`` or ``"qd"``."""
        return NAMES.get(int(self._record["prec"]) or self.x._prec, self.x.precision)

    def __getitem__(self, name: Union[str, int]) -> Array:
        if isinstance(name, str) or hasattr(name, "free_symbols"):
            try:
                return self.x[self.unknowns.index(str(name))]
            except ValueError:
                raise KeyError(str(name)) from None
        return self.x[name]

    def __len__(self) -> int:
        return len(self.unknowns)

    def keys(self) -> List[str]:
        return list(self.unknowns)

    def to_dict(self) -> Dict[str, Array]:
        """The unknowns by name."""
        return {name: self.x[k] for k, name in enumerate(self.unknowns)}

    def to_mpmath(self) -> List[Any]:
        """The unknowns as a list of mpc, with all digits that are there."""
        return self.x.to_mpmath() if self.texts is None else [_numbers.mpc_of_texts(*pair) for pair in self.texts]

    def _text(self, digits: int) -> str:
        shown = self.x.real if self.isreal else self.x
        shown._shown = min(shown._shown, digits)
        values = ", ".join(f"{name} = {value}" for name, value in zip(self.unknowns, shown))
        words = ["real" if self.isreal else "", "singular" if self.issingular else "",
                 f"cluster of {self.multiplicity}" if self.iscluster else
                 f"multiplicity {self.multiplicity}" if self.multiplicity != 1 else ""]
        extra = ", ".join(word for word in words if word)
        return values + (f" ({extra})" if extra else "")

    def __str__(self) -> str:
        """All digits that are known."""
        return self._text(10000)

    def __repr__(self) -> str:
        return f"<plumb.Solution: {self._text(17)}>"


class Solutions(Sequence):
    """The solutions of a system: a sequence of :class:`Solution`.

    >>> import plumb
    >>> solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"])
    >>> len(solutions), len(solutions.real()), solutions.points.shape
    (4, 4, (4, 2))
    >>> sorted(solutions.points.real.round(9).tolist())
    [[-2.0, -1.0], [-1.0, -2.0], [1.0, 2.0], [2.0, 1.0]]
    """

    def __init__(self, x: Array, unknowns: List[str], records: numpy.ndarray, report: Dict[str, Any],
                 certificates: Optional[List[Optional[Dict[str, Any]]]] = None,
                 refined: Optional[List[Optional[Refined]]] = None):
        known = int(records["known"].max(initial=0)) if len(records) else 0
        self._x = Array(x._planes, x._prec, known or DIGITS.get(int(records["prec"].max(initial=0)), 0) if len(records) else 0)
        self._refined = refined
        self._records = records
        self._unknowns = list(unknowns)
        self._report = report
        self._certificates = certificates
        self._origin: Optional[Origin] = None
        self.uncertified: Optional[str] = None  #: why there are no certificates, where that was to be decided; otherwise None

    # ---- what it is ----

    @property
    def unknowns(self) -> List[str]:
        """The names of the unknowns."""
        return list(self._unknowns)

    @property
    def report(self) -> Dict[str, Any]:
        """What the call did: the start system, the paths and how they ended, the seed. ``"incomplete"`` is one line about
        what may be missing, or None. ``"clusters"`` is the number of clusters that could not be resolved; ``"dependent"``
        and ``"lowered"`` count exact simplifications of equations; ``"misses"`` counts points that nearly solve more
        equations than unknowns, and the best of them misses one by ``"miss"``, relative to the size of its terms."""
        return dict(self._report)

    @property
    def complete(self) -> bool:
        """Whether every path ended in a known way. If not, there may be further solutions; so it is for solutions that were
        read from a file, of whose paths nothing is known."""
        return "incomplete" in self._report and self._report["incomplete"] is None

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, (int, numpy.integer)):
            if not -len(self) <= index < len(self):
                raise IndexError(f"there are {len(self)} solutions")
            index = int(index) % len(self)
            certificate = self._certificates[index] if self._certificates else None
            refined = self._refined[index] if self._refined else None
            return Solution(self._x[index], self._unknowns, self._records[index], certificate, refined)
        if isinstance(index, str):
            if index not in self._unknowns:
                raise KeyError(index)
            return self._x[:, self._unknowns.index(index)]
        return self._chosen(index)

    def _chosen(self, index: Any) -> "Solutions":
        places = numpy.arange(len(self))[index]
        certificates = [self._certificates[k] for k in places] if self._certificates else None
        refined = [self._refined[k] for k in places] if self._refined else None
        chosen = Solutions(self._x[places], self._unknowns, self._records[places], self._report, certificates, refined)
        chosen.uncertified, chosen._origin = self.uncertified, self._origin
        return chosen

    def filter(self, test: Callable[[Solution], bool]) -> "Solutions":
        """The solutions for which a function is true."""
        return self._chosen(numpy.array([bool(test(one)) for one in self], dtype=bool))

    def real(self) -> "Solutions":
        """The real solutions."""
        return self._chosen(self._records["real"] != 0)

    def regular(self) -> "Solutions":
        """The solutions that are neither singular nor clusters."""
        return self._chosen(~self._is(_abi.SOLUTION_SINGULAR) & ~self._is(_abi.SOLUTION_CLUSTER))

    def singular(self) -> "Solutions":
        """The singular solutions."""
        return self._chosen(self._is(_abi.SOLUTION_SINGULAR))

    def clusters(self) -> "Solutions":
        """The clusters: each stands for one multiple solution or several ones, which could not be distinguished."""
        return self._chosen(self._is(_abi.SOLUTION_CLUSTER))

    def _is(self, kind: int) -> numpy.ndarray:
        return self._records["kind"] == kind

    # ---- in other forms ----

    @property
    def x(self) -> Array:
        """All solutions as a complex Array (solutions, unknowns) with all limbs."""
        return self._x

    @property
    def points(self) -> numpy.ndarray:
        """All solutions rounded to double: a complex NumPy array (solutions, unknowns)."""
        return self._x.to_numpy()

    @property
    def limbs(self) -> numpy.ndarray:
        """All limbs: a NumPy array (solutions, unknowns, 2, limbs), real and imaginary parts."""
        return self._x.limbs

    @property
    def multiplicities(self) -> numpy.ndarray:
        return self._records["multiplicity"].copy()

    def to_mpmath(self) -> List[List[Any]]:
        """All solutions as lists of mpc, exactly as computed, with all digits that are there."""
        return [one.to_mpmath() for one in self] if self._refined else self._x.to_mpmath()

    def to_fractions(self) -> List[List[Any]]:
        """All solutions as lists of pairs (real, imaginary) of Fractions, exactly as computed."""
        return self._x.to_fractions()

    def to_pandas(self, exact: bool = False) -> Any:
        """A pandas DataFrame with one row per solution. The unknowns are rounded to double, unless they are to be ``exact``: then they are
        complex Arrays without axes, with all digits."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas, which is not installed: pip install pandas; solutions.save('f.csv') writes a "
                              "table without it") from None
        columns = self._columns()
        if exact:
            columns.update((name, [one[name] for one in self]) for name in self._unknowns)
        return pandas.DataFrame(columns)

    to_dataframe = to_pandas

    def _columns(self) -> Dict[str, Any]:
        points = self.points
        columns: Dict[str, Any] = {name: points[:, k] for k, name in enumerate(self._unknowns)}
        with numpy.errstate(divide="ignore"):
            condition = 1.0 / self._records["rcond"]
        extra = {"real": self._records["real"] != 0, "singular": self._is(_abi.SOLUTION_SINGULAR),
                 "cluster": self._is(_abi.SOLUTION_CLUSTER), "multiplicity": self._records["multiplicity"], "digits": self._records["known"],
                 "error": self._records["error"], "condition": condition, "residual": self._records["residual"]}
        if self._certificates:
            extra["certified"] = [bool(one and one["certified"]) for one in self._certificates]
        for name, values in extra.items():
            columns[name if name not in columns else name + "_"] = values
        return columns

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes a file: PHCpack's format (.sol, .phc; at most the 64 digits of a quad double), JSON (.json) with all digits, or a table
        (.csv) with the digits that are known.

        JSON has the certificates, if there are any, and ``plumb certify --check FILE SYSTEM`` proves them again.
        """
        if os.fspath(path).endswith(".csv"):
            self._save_table(path)
            return
        names = (ctypes.c_char_p * len(self._unknowns))(*[name.encode() for name in self._unknowns])
        handle = ctypes.c_void_p()
        check(lib.plumb_solutions_create(len(self), len(self._unknowns), self._x._prec, names, _byref(handle)))
        try:
            if len(self):
                planes = numpy.ascontiguousarray(self._x._planes)
                view = _points_view(planes, len(self._unknowns), len(self), self._x._prec, 2)
                check(lib.plumb_solutions_set(handle, 0, _byref(view)))
            record = _abi.SolutionRecord()
            for k in range(len(self)):
                ctypes.memmove(_byref(record), self._records[k:k + 1].tobytes(), ctypes.sizeof(record))
                check(lib.plumb_solutions_set_record(handle, k, _byref(record)))
            if (self._certificates or self._refined) and os.fspath(path).endswith(".json"):
                self._save_more(handle, path)
            else:
                check(lib.plumb_solutions_write_file(handle, os.fsencode(path), _abi.FORMAT_AUTO))
        finally:
            lib.plumb_solutions_destroy(handle)

    def _save_more(self, handle: ctypes.c_void_p, path: Union[str, os.PathLike]) -> None:
        """The library's JSON with the certificates added, and with digits beyond those of limbs. Certificates of combined equations are left out: without the
        combinations they cannot be checked."""
        size = ctypes.c_size_t()
        lib.plumb_solutions_write(handle, _abi.FORMAT_JSON, None, 0, _byref(size))
        text = ctypes.create_string_buffer(size.value)
        check(lib.plumb_solutions_write(handle, _abi.FORMAT_JSON, text, size.value, None))
        whole = json.loads(text.value)
        for one, refined in zip(whole["solutions"], self._refined or []):
            if refined:
                one["x"], one["digits"] = [list(pair) for pair in refined[1]], refined[0]
        for one, proof in zip(whole["solutions"], self._certificates or []):
            found = json.loads(proof["json"])
            if found["verdict"] in ("squared up", "excluded"):
                found = None
            elif found.get("distinct") is False:  # from which solution, is numbered as it was in the list of all
                found.update(distinct=None, same_as=None)
            one["certificate"] = found
        lines = [json.dumps(one) for one in whole.pop("solutions")]
        if self._certificates:
            whole["square_up"] = None
        begin = json.dumps(whole)[:-1] + ', "solutions": ['
        _write_whole(path, begin + "\n" + ",\n".join(lines) + "\n]}\n")

    def _save_table(self, path: Union[str, os.PathLike]) -> None:
        """One row per solution; real and imaginary parts in columns of their own, as decimals with the digits that are known, at least
        those of the precision in which it was computed."""
        columns = self._columns()
        extra = [name for name in columns if name not in self._unknowns]
        with open(path, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow([f"{part}({name})" for name in self._unknowns for part in ("re", "im")] + extra)
            for k, one in enumerate(self):
                one.x._shown = max(one.digits, DIGITS[precision_of(one.precision)])
                pairs = one.texts or [(number.real, number.imag) for number in one.x]
                parts = [str(part) for pair in pairs for part in pair]
                table.writerow(parts + [columns[name][k] for name in extra])

    @classmethod
    def read(cls, path: Union[str, os.PathLike], precision: Any = "qd") -> "Solutions":
        """Reads solutions from a file in PHCpack's format or JSON."""
        handle, error = ctypes.c_void_p(), _abi.TextError()
        check(lib.plumb_solutions_read_file(os.fsencode(path), precision_of(precision), _byref(handle), _byref(error)),
              error)
        return solutions_of(handle.value, {})

    # ---- to look at ----

    def _summary(self) -> List[str]:
        report = self._report
        lines = []
        isreal = self._records["real"] != 0
        singular, cluster = self._is(_abi.SOLUTION_SINGULAR), self._is(_abi.SOLUTION_CLUSTER)
        regular = ~singular & ~cluster
        for chosen, what in ((regular, "regular solution"), (singular, "singular solution"), (cluster, "cluster")):
            if chosen.any() or chosen is regular:
                lines.append(f"{_several(chosen.sum(), what)} ({int((isreal & chosen).sum())} real)")
        if self._certificates:
            lines.append(f"{sum(bool(one and one['certified']) for one in self._certificates)} certified")
        elif self.uncertified:
            lines.append(f"not certified: {self.uncertified}")
        if report:
            if report["direct"]:
                lines.append("solved without paths: " + ("the roots of one equation were isolated" if report["direct"] == 1 else
                                                         f"{report['direct']} unknowns of a triangular system, one after the other"))
            elif report["paths"]:
                tracked = _several(report["paths"] - report["unfinished"], "path")
                of = f" of {report['paths']}" if report["unfinished"] else ""
                lines.append(f"{tracked}{of} tracked, start system: {report['start']}")
            ends = [(report["infinite"], "to infinity"), (report["beyond"], "beyond the largest size"),
                    (report["not_isolated"], "to solutions that are not isolated"),
                    (report["extraneous"], "extraneous"), (report["undecided"], "undecided"),
                    (report["unfinished"], "not tracked"), (report["failed"] - report["unfinished"], "failed")]
            words = [f"{count} {word}" for count, word in ends if count]
            if words:
                lines.append("paths: " + ", ".join(words))
            if report["misses"]:
                lines.append(f"near misses: {report['misses']}, the best misses an equation by {report['miss']:.1e}")
            if report["incomplete"]:
                lines.append(report["incomplete"])
            lines.append(f"random seed: {report['seed']}")
        return lines

    def __repr__(self) -> str:
        title = f"Solutions with {len(self)} {'entry' if len(self) == 1 else 'entries'} in {', '.join(self._unknowns)}"
        if len(title) > 100:
            title = f"Solutions with {len(self)} entries in {len(self._unknowns)} unknowns"
        return "\n".join([title, "=" * len(title)] + ["- " + line for line in self._summary()])

    def _repr_html_(self) -> str:
        return _page.short(self)

    def html(self, path: Union[str, os.PathLike, None] = None, title: str = "plumb.solve") -> Optional[str]:
        """Writes one page with all of it: the system, a table to sort and filter, a picture, the account of the paths, and what is proven, as
        ``plumb solve --html`` does. Without a path the page is returned as a text.

        >>> import plumb
        >>> page = plumb.solve("x^5 = x + 1").html()
        >>> "5 isolated solutions, 1 real" in page
        True
        """
        return _page_to(path, _page.data_of(self, title))

    def plot(self, unknown: Union[str, Tuple[str, str], Sequence[Any], None] = None, axes: Any = None) -> Any:
        """Draws the solutions with matplotlib: the complex plane of each unknown (of the first 12), or of the one that is named. A pair
        ``("x", "y")`` draws y against x for the real solutions, and a list draws several of these.

        Real solutions are filled. Circles are regular solutions, diamonds singular ones with their multiplicities, squares clusters. More
        than 400 of a kind are drawn as shades. Returns the axes; ``axes`` are drawn into if they are given, without title and legend.
        """
        return _picture.plot(self, unknown, axes)


def _page_to(path: Union[str, os.PathLike, None], data: Dict[str, Any]) -> Optional[str]:
    """A page as a file, or as a text if there is no path."""
    text = _page.page(data)
    if path is None:
        return text
    _write_whole(path, text)
    return None


def _write_whole(path: Union[str, os.PathLike], text: str) -> None:
    """A file that appears when it is complete; one that was there stays as it was if anything fails."""
    fresh = f"{os.fspath(path)}.{os.getpid()}.part"
    try:
        with open(fresh, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(fresh, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(fresh)
        raise


def _several(count: Any, what: str) -> str:
    return f"{int(count)} {what}{'' if count == 1 else 's'}"


def _refined_of(digits: int, index: int, unknowns: int) -> Optional[Refined]:
    """What is known of a solution beyond its limbs."""
    said = _abi.DigitsReport()
    check(lib.plumb_digits_get(digits, index, _byref(said)))
    if said.known <= 0:
        return None
    return said.known, [(lib.plumb_digits_re(digits, index, i).decode(), lib.plumb_digits_im(digits, index, i).decode())
                        for i in range(unknowns)]


def copy_of(handle: int, report: Dict[str, Any]) -> Solutions:
    """The contents of a plumb_solutions, which stays."""
    count, unknowns = lib.plumb_solutions_count(handle), lib.plumb_solutions_unknowns(handle)
    prec = lib.plumb_solutions_prec(handle)
    planes = numpy.zeros((2 * prec, count, unknowns))
    if count and unknowns:
        check(lib.plumb_solutions_get(handle, 0, _byref(_points_view(planes, unknowns, count, prec, 2))))
    records = numpy.zeros(count, dtype=numpy.dtype(_abi.SolutionRecord))
    for k in range(count):
        check(lib.plumb_solutions_get_record(handle, k, address(records) + k * records.itemsize))
    names = [lib.plumb_solutions_name(handle, k).decode() for k in range(unknowns)]
    digits = lib.plumb_solutions_digits(handle)
    refined = [_refined_of(digits, k, unknowns) for k in range(count)] if digits else None
    return Solutions(Array(planes, prec), names, records, report, None, refined)


def solutions_of(handle: int, report: Dict[str, Any]) -> Solutions:
    """Takes a plumb_solutions over and destroys it."""
    try:
        return copy_of(handle, report)
    finally:
        lib.plumb_solutions_destroy(handle)
