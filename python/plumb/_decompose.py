"""plumb.decompose: the irreducible components of the solutions of a system."""

from __future__ import annotations

import ctypes
import os
import time
import warnings
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from . import _abi, _page
from ._certify import certificates_available
from ._library import check, lib, working_context
from ._run import Interrupted, run
from ._solutions import Solutions, _page_to, copy_of
from ._solve import MOST_SOLUTIONS, MOST_UNKNOWNS, IncompleteWarning
from ._system import System, _integer

__all__ = ["Component", "Components", "decompose"]

_byref = ctypes.byref


class Component(NamedTuple):
    """One component, or points of components that could not be decomposed (``irreducible`` is False)."""

    dimension: int  #: over the complex numbers
    degree: int  #: the number of its witness points
    multiplicity: int  #: of the component in the solution set
    multiplicity_is_bound: bool  #: the multiplicity is only an upper bound
    irreducible: bool  #: the trace test closes, which is numerical evidence
    trace_digits: float  #: decimal digits to which it does
    points: Solutions  #: the witness points: those that it has in common with the slice of its dimension
    certified: int = 0  #: how many of them are certified


class Components:
    """The components of positive dimension, and the isolated solutions: what :func:`plumb.decompose` returns."""

    def __init__(self, components: List[Component], isolated: Optional[Solutions], slices: Dict[int, str],
                 incomplete: Optional[str], text: str, unknowns: List[str], seconds: float = 0.0, proofs: Optional[Dict[int, Tuple[int, bool]]] = None):
        self.unknowns = unknowns  #: their names
        self.components = components  #: :class:`Component`, those of higher dimension first
        self.isolated = isolated  #: :class:`plumb.Solutions`, or None if dimension 0 was not looked at
        self.slices = slices  #: the linear equations of each dimension, as text
        self.incomplete = incomplete  #: what may be missing, or None
        #: for each dimension with certified points their number, which the sum of the degrees (in dimension 0 the number of solutions) is
        #: proven not to be below, and whether it is proven to be equal
        self.proofs = proofs or {}
        self.certificates = False  #: whether the witness points were certified, as far as that is possible
        self._text, self._seconds = text, seconds

    @property
    def complete(self) -> bool:
        """Whether every path is accounted for, and every witness point belongs to a component."""
        return self.incomplete is None

    def __len__(self) -> int:
        return len(self.components)

    def __getitem__(self, index: Any) -> Any:
        return self.components[index]

    def of_dimension(self, dimension: int) -> List[Component]:
        """The components of a dimension."""
        return [c for c in self.components if c.dimension == dimension]

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a file of components (JSON), as ``plumb decompose -o`` does."""
        handle = ctypes.c_void_p()
        text = self._text.encode()
        check(lib.plumb_components_read(text, len(text), _byref(handle), None))
        try:
            check(lib.plumb_components_write_file(handle, os.fsencode(path)))
        finally:
            lib.plumb_components_destroy(handle)

    def __repr__(self) -> str:
        lines = ["Components"]
        for k in sorted({c.dimension for c in self.components}, reverse=True):
            found = [c for c in self.of_dimension(k) if c.irreducible]
            degrees = ", ".join(str(c.degree) for c in found)
            lines.append(f"- dimension {k}: {len(found)} component{'' if len(found) == 1 else 's'} of degree {degrees or 'unknown'}")
        if self.isolated is not None and len(self.isolated):
            lines.append(f"- dimension 0: {len(self.isolated)} point{'' if len(self.isolated) == 1 else 's'}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _page.short_components(self)

    def html(self, path: Union[str, "os.PathLike[str]", None] = None, title: str = "plumb.decompose") -> Optional[str]:
        """Writes one page with all of it: the system and the slices, tables of the components and of their witness points, a picture, and the
        account of the paths, as ``plumb decompose --html`` does. Without a path the page is returned as a text.

        >>> import plumb
        >>> "1 component of positive dimension: 1 of dimension 1" in plumb.decompose(["x*y - x", "x^2"]).html()
        True
        """
        return _page_to(path, _page.data_of_components(self, title))


def _buffer(write: Any) -> str:
    """What a function writes that takes a buffer, its size and the size that is needed."""
    needed = ctypes.c_size_t()
    write(None, 0, _byref(needed))
    text = ctypes.create_string_buffer(needed.value)
    check(write(text, needed.value, None))
    return text.value.decode()


def _components_of(handle: ctypes.c_void_p, unknowns: List[str], seconds: float) -> Components:
    found, slices, proofs = [], {}, {}
    for k in range(lib.plumb_components_count(handle)):
        info = _abi.Component()
        check(lib.plumb_components_get(handle, k, _byref(info)))
        found.append(Component(info.dimension, info.degree, info.multiplicity, bool(info.bound), info.state == _abi.COMPONENT_IRREDUCIBLE,
                               info.trace_digits, copy_of(lib.plumb_components_points(handle, k), {}), info.certified))
    for k in range(lib.plumb_components_dimensions(handle)):
        account = _abi.ComponentDimension()
        check(lib.plumb_components_get_dimension(handle, k, _byref(account)))
        if account.certified:
            proofs[account.dimension] = (account.certified, account.proof == _abi.DEGREE_PROVEN)
        part = lib.plumb_components_slice(handle, account.dimension)
        if part:
            slices[account.dimension] = _buffer(lambda *room, part=part: lib.plumb_system_write(part, _abi.FORMAT_TXT, *room))
    isolated = lib.plumb_components_isolated(handle)
    line = ctypes.create_string_buffer(256)
    lib.plumb_components_verdict(handle, line, len(line))
    return Components(found, copy_of(isolated, {}) if isolated else None, slices, line.value.decode(errors="replace") or None,
                      _buffer(lambda *room: lib.plumb_components_write(handle, *room)), unknowns, seconds, proofs)


def _certify(own: Any, handle: ctypes.c_void_p, unknowns: int, certify: Union[bool, str]) -> bool:
    """By the rule of the program."""
    count = sum(lib.plumb_solutions_count(lib.plumb_components_points(handle, k)) for k in range(lib.plumb_components_count(handle)))
    count += lib.plumb_solutions_count(lib.plumb_components_isolated(handle))
    if certify is True or (certify and certificates_available() and count <= MOST_SOLUTIONS and unknowns <= MOST_UNKNOWNS):
        own.check(lib.plumb_components_certify(own.handle, handle, None))
        return True
    return False


def decompose(equations: Any, unknowns: Optional[Iterable[Any]] = None, *, dimension: int = 0, seed: int = 1,
              progress: Any = None, backend: str = "auto", checkpoint: Any = None,
              certify: Union[bool, str] = "auto") -> Components:
    """Finds the irreducible components of the solutions of a polynomial system, over the complex numbers, in every dimension.

    Parameters
    ----------
    equations : a text, a list of texts or of SymPy expressions, or a :class:`plumb.System`; any number of equations
    unknowns : their order
    dimension : the lowest dimension to look at
    seed : random seed; the same seed gives the same bits
    progress : as for :func:`plumb.solve`; the paths are those of one dimension after the other
    checkpoint : a folder for the ends of paths. If it exists, the call continues from there; it is removed when the call returns
    certify : certify the witness points of components of multiplicity 1, as ``plumb decompose`` does; "auto": where that is quick

    Components are irreducible by trace tests, which is numerical evidence; docs/components.md says what is certain. If
    something may be missing, there is an :class:`plumb.IncompleteWarning`. Embedded components are not reported. Ctrl-C raises
    :class:`plumb.Interrupted`, whose ``partial`` has the components of the dimensions that were finished.

    >>> import plumb
    >>> c = plumb.decompose(["x*(x^2 + y^2 + z^2 - 1)", "x*(y - 2*z)"])
    >>> c
    Components
    - dimension 2: 1 component of degree 1
    - dimension 1: 1 component of degree 2
    >>> c[1].irreducible, c[1].multiplicity, len(c[1].points), c.complete
    (True, 1, 2, True)
    """
    system = equations if isinstance(equations, System) and unknowns is None else System(equations, unknowns)
    options = _abi.DecomposeOptions()
    lib.plumb_decompose_options_init(_byref(options))
    options.dimension = _integer(dimension, "dimension", 0)
    options.seed = _integer(seed, "seed", 0, 2**64 - 1)
    if checkpoint is not None:
        options.journal = os.fsencode(checkpoint)
        options.resume = os.path.exists(checkpoint)
    handle = ctypes.c_void_p()

    def finish(status: int, stopped: bool) -> Components:
        if stopped and not handle.value:
            raise Interrupted("the call was stopped")
        own.check(status)
        try:
            proven = not stopped and _certify(own, handle, len(system.unknowns), certify)
            found = _components_of(handle, system.unknowns, time.monotonic() - began)
            found.certificates = proven
        finally:
            lib.plumb_components_destroy(handle)
        if stopped:
            error = Interrupted("stopped; " + (found.incomplete or "all dimensions were finished"))
            error.partial = found
            raise error
        if checkpoint is not None:
            check(lib.plumb_decompose_remove_journal(os.fsencode(checkpoint)))
        return found

    began = time.monotonic()
    with working_context(backend) as own:
        def call(callback: Any) -> int:
            options.progress = callback
            return lib.plumb_decompose(own.handle, system._handle, _byref(options), _byref(handle))

        components = run(call, progress, "paths", finish)
    if components.incomplete:
        warnings.warn(components.incomplete, IncompleteWarning, stacklevel=2)
    return components
