"""Solutions of polynomial systems: a sequence with what is known about each, in the forms that other programs use."""

from __future__ import annotations

import contextlib
import csv
import ctypes
import json
import math
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy

from . import _abi
from ._array import Array, address
from ._library import NAMES, ArgumentError, check, lib, precision_of
from ._system import _points_view

__all__ = ["Solution", "Solutions"]

_byref = ctypes.byref
_KINDS = {_abi.SOLUTION_REGULAR: "regular", _abi.SOLUTION_SINGULAR: "singular", _abi.SOLUTION_CLUSTER: "cluster"}


class Solution:
    """One solution: its unknowns, and what is known about it.

    >>> import plumb
    >>> s = plumb.solve(["x^2 = 2"])[0]
    >>> round(float(s["x"].real), 10), s.isreal, s.multiplicity
    (-1.4142135624, True, 1)
    """

    __slots__ = ("x", "unknowns", "_record", "certificate")

    def __init__(self, x: Array, unknowns: List[str], record: Any, certificate: Optional[Dict[str, Any]]):
        self.x = x  #: the unknowns, as a complex Array
        self.unknowns = unknowns  #: their names
        self._record = record
        self.certificate = certificate  #: what was proven about it, or None

    multiplicity = property(lambda self: int(self._record["multiplicity"]),
                            doc="its multiplicity; of a cluster: the number of solutions within the error, which may be one")
    error = property(lambda self: float(self._record["error"]), doc="estimated relative error; the radius of a cluster")
    residual = property(lambda self: float(self._record["residual"]), doc="largest |f_i|")
    isreal = property(lambda self: bool(self._record["real"]), doc="whether it equals its conjugate within its error")
    issingular = property(lambda self: self._record["kind"] == _abi.SOLUTION_SINGULAR,
                          doc="whether the Jacobian is singular there")
    iscluster = property(lambda self: self._record["kind"] == _abi.SOLUTION_CLUSTER,
                         doc="whether it is a cluster: one multiple solution or several ones, which could not be told apart")
    kind = property(lambda self: _KINDS.get(int(self._record["kind"])),
                    doc='``"regular"``, ``"singular"``, ``"cluster"``, or None where that is not known')
    digits = property(lambda self: int(self._record["known"]), doc="estimated number of correct decimal digits")

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

    def __repr__(self) -> str:
        digits = min(max(self.digits, 1), 17) if self.digits else 17
        shown = self.x.real if self.isreal else self.x
        values = ", ".join(f"{name} = {text}" for name, text in zip(self.unknowns, shown.to_strings(digits)))
        words = ["real" if self.isreal else "", "singular" if self.issingular else "",
                 f"cluster of {self.multiplicity}" if self.iscluster else
                 f"multiplicity {self.multiplicity}" if self.multiplicity != 1 else ""]
        extra = ", ".join(word for word in words if word)
        return f"<plumb.Solution: {values}{' (' + extra + ')' if extra else ''}>"


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
                 certificates: Optional[List[Optional[Dict[str, Any]]]] = None):
        self._x = x
        self._records = records
        self._unknowns = list(unknowns)
        self._report = report
        self._certificates = certificates

    # ---- what it is ----

    @property
    def unknowns(self) -> List[str]:
        """The names of the unknowns."""
        return list(self._unknowns)

    @property
    def report(self) -> Dict[str, Any]:
        """What the call did: the start system, the paths and how they ended, the seed. ``"incomplete"`` is one line about
        what may be missing, or None. ``"clusters"`` is the number of clusters that could not be resolved; ``"dependent"``
        and ``"lowered"`` tell how equations were simplified exactly; ``"misses"`` counts points that nearly solve more
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
            return Solution(self._x[index], self._unknowns, self._records[index], certificate)
        if isinstance(index, str):
            if index not in self._unknowns:
                raise KeyError(index)
            return self._x[:, self._unknowns.index(index)]
        return self._chosen(index)

    def _chosen(self, index: Any) -> "Solutions":
        places = numpy.arange(len(self))[index]
        certificates = [self._certificates[k] for k in places] if self._certificates else None
        return Solutions(self._x[places], self._unknowns, self._records[places], self._report, certificates)

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
        """The clusters: each stands for one multiple solution or several ones, which could not be told apart."""
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
        """All solutions as lists of mpc, exactly as computed."""
        return self._x.to_mpmath()

    def to_fractions(self) -> List[List[Any]]:
        """All solutions as lists of pairs (real, imaginary) of Fractions, exactly as computed."""
        return self._x.to_fractions()

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with one row per solution, rounded to double."""
        import pandas
        return pandas.DataFrame(self._columns())

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
        """Writes all digits to a file: PHCpack's format (.sol, .phc), JSON (.json) or a table (.csv).

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
            if self._certificates and os.fspath(path).endswith(".json"):
                self._save_certified(handle, path)
            else:
                check(lib.plumb_solutions_write_file(handle, os.fsencode(path), _abi.FORMAT_AUTO))
        finally:
            lib.plumb_solutions_destroy(handle)

    def _save_certified(self, handle: ctypes.c_void_p, path: Union[str, os.PathLike]) -> None:
        """The library's JSON with the certificates added. Those of combined equations are left out: without the
        combinations they cannot be checked."""
        size = ctypes.c_size_t()
        lib.plumb_solutions_write(handle, _abi.FORMAT_JSON, None, 0, _byref(size))
        text = ctypes.create_string_buffer(size.value)
        check(lib.plumb_solutions_write(handle, _abi.FORMAT_JSON, text, size.value, None))
        whole = json.loads(text.value)
        for one, proof in zip(whole["solutions"], self._certificates):
            found = json.loads(proof["json"])
            if found["verdict"] in ("squared up", "excluded"):
                found = None
            elif found.get("distinct") is False:  # from which solution, is numbered as it was in the list of all
                found.update(distinct=None, same_as=None)
            one["certificate"] = found
        lines = [json.dumps(one) for one in whole.pop("solutions")]
        whole["square_up"] = None
        begin = json.dumps(whole)[:-1] + ', "solutions": ['
        fresh = f"{os.fspath(path)}.{os.getpid()}.part"
        try:
            with open(fresh, "w", encoding="utf-8") as file:
                file.write(begin + "\n" + ",\n".join(lines) + "\n]}\n")
            os.replace(fresh, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(fresh)
            raise

    def _save_table(self, path: Union[str, os.PathLike]) -> None:
        """One row per solution; real and imaginary parts in columns of their own, as decimals with all digits."""
        columns = self._columns()
        extra = [name for name in columns if name not in self._unknowns]
        with open(path, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow([f"{part}({name})" for name in self._unknowns for part in ("re", "im")] + extra)
            re, im = self._x.real.to_strings(), self._x.imag.to_strings()
            for k in range(len(self)):
                parts = [text for pair in zip(re[k], im[k]) for text in pair]
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
        lines.append(f"{int(regular.sum())} regular solutions ({int((isreal & regular).sum())} real)")
        if singular.any():
            lines.append(f"{int(singular.sum())} singular solutions ({int((isreal & singular).sum())} real)")
        if cluster.any():
            lines.append(f"{int(cluster.sum())} clusters ({int((isreal & cluster).sum())} real)")
        if self._certificates:
            lines.append(f"{sum(bool(one and one['certified']) for one in self._certificates)} certified")
        if report:
            lines.append(f"{report['paths']} paths tracked, start system: {report['start']}")
            ends = [(report["infinite"], "to infinity"), (report["beyond"], "beyond the largest size"),
                    (report["not_isolated"], "to solutions that are not isolated"),
                    (report["extraneous"], "extraneous"), (report["undecided"], "undecided"),
                    (report["unfinished"], "not finished"), (report["failed"] - report["unfinished"], "failed")]
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
        import html
        columns = self._columns()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)

        def cell(value: Any) -> str:
            if isinstance(value, (complex, numpy.complexfloating)):
                text = f"{value.real:.8g}" if abs(value.imag) < 1e-14 * max(1.0, abs(value.real)) else f"{value:.8g}"
            elif isinstance(value, (float, numpy.floating)):
                text = f"{value:.3g}"
            else:
                text = str(value)
            return f"<td>{html.escape(text)}</td>"
        shown = min(len(self), 50)
        rows = "".join(f"<tr><td>{k}</td>" + "".join(cell(column[k]) for column in columns.values()) + "</tr>"
                       for k in range(shown))
        more = f"<p>and {len(self) - shown} more</p>" if len(self) > shown else ""
        notes = "".join(f"<li>{html.escape(line)}</li>" for line in self._summary())
        return (f"<p>{len(self)} solutions</p><ul>{notes}</ul><table><thead><tr><th></th>{head}</tr></thead>"
                f"<tbody>{rows}</tbody></table>{more}")

    def plot(self, unknown: Optional[str] = None, axes: Any = None) -> Any:
        """Draws the solutions in the complex plane, one panel per unknown or the one that is named, with matplotlib.

        Real solutions are filled, singular ones and clusters are crosses. Returns the axes.
        """
        import matplotlib.pyplot as pyplot
        names = self._unknowns if unknown is None else [unknown]
        for name in names:
            if name not in self._unknowns:
                raise ArgumentError(f"'{name}' is not an unknown: expected one of {', '.join(self._unknowns)}")
        if axes is None:
            wide = min(len(names), 3)
            tall = -(-len(names) // wide)
            _, axes = pyplot.subplots(tall, wide, figsize=(4 * wide, 4 * tall), squeeze=False)
        panels = list(numpy.ravel(numpy.asarray(axes, dtype=object)))
        if len(panels) < len(names):
            raise ArgumentError(f"there are {len(panels)} axes, expected {len(names)}")
        points = self.points
        isreal = self._records["real"] != 0
        singular = self._is(_abi.SOLUTION_SINGULAR) | self._is(_abi.SOLUTION_CLUSTER)
        for name, panel in zip(names, panels):
            z = points[:, self._unknowns.index(name)]
            for mask, style in ((~isreal & ~singular, {"marker": "o", "facecolors": "none", "edgecolors": "tab:blue"}),
                                (isreal & ~singular, {"marker": "o", "color": "tab:orange"}),
                                (singular, {"marker": "x", "color": "tab:red"})):
                panel.scatter(z.real[mask], z.imag[mask], s=24, **style)
            panel.set_title(name)
            panel.set_xlabel("real part")
            panel.set_ylabel("imaginary part")
            panel.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        for panel in panels[len(names):]:
            panel.set_visible(False)
        return panels[0] if len(names) == 1 else panels[:len(names)]


def solutions_of(handle: int, report: Dict[str, Any]) -> Solutions:
    """Takes a plumb_solutions over and destroys it."""
    try:
        count, unknowns = lib.plumb_solutions_count(handle), lib.plumb_solutions_unknowns(handle)
        prec = lib.plumb_solutions_prec(handle)
        planes = numpy.zeros((2 * prec, count, unknowns))
        if count and unknowns:
            check(lib.plumb_solutions_get(handle, 0, _byref(_points_view(planes, unknowns, count, prec, 2))))
        records = numpy.zeros(count, dtype=numpy.dtype(_abi.SolutionRecord))
        for k in range(count):
            check(lib.plumb_solutions_get_record(handle, k, address(records) + k * records.itemsize))
        names = [lib.plumb_solutions_name(handle, k).decode() for k in range(unknowns)]
        return Solutions(Array(planes, prec), names, records, report)
    finally:
        lib.plumb_solutions_destroy(handle)
