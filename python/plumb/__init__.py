"""plumb: polynomial systems, least squares and Newton's method where doubles do not have enough digits.

>>> import plumb
>>> for s in plumb.solve(["x^2 + y^2 = 5", "x*y = 2"]).real():
...     print(s["x"].real.to_strings(5), s["y"].real.to_strings(5))
-2.0000 -1.0000
-1.0000 -2.0000
1.0000 2.0000
2.0000 1.0000

>>> A = plumb.array([["1/3", "1/7"], ["1/11", "1/13"]], precision="qd")
>>> r = plumb.lstsq(A, A @ plumb.array([1, 2], "qd"), "qd")
>>> bool(r.digits > 55)
True
"""

from ._array import (Array, arange, array, dot, eye, from_limbs, from_planes, full, linspace, matmul, ones, sqrt, vdot,
                     zeros)
from ._certify import certificates_available, certify
from ._decompose import Component, Components, Curves, Members, decompose, read_components
from ._device import DeviceArray, to_device
from ._digits import RefinedResult, refine
from ._family import Family, FamilySolutions, Monodromy
from ._maps import Branch, Branches, FamilyMap
from ._library import (ArgumentError, DeviceError, Error, FileError, NonfiniteError, OutOfMemoryError, ParseError,
                       RangeError, SingularError, SizeError, UnsupportedError, devices, info, set_threads)
from ._linear import LstsqResult, QRResult, RoundingWarning, lstsq, qr
from . import _numpy  # gives Arrays the functions of NumPy
from ._run import Interrupted
from ._solutions import Solution, Solutions
from ._solve import IncompleteWarning, Plan, SolutionStream, plan, rank, solve, solve_stream
from ._system import Evaluation, NewtonResult, System, evaluate, mixed_volume, newton
from ._track import Paths, track
from ._triangular import cholesky, cholesky_solve, solve_triangular
from ._version import __version__

__all__ = ["Array", "ArgumentError", "Branch", "Branches", "Component", "Components", "Curves", "DeviceArray", "DeviceError", "Error", "Evaluation", "Family", "FamilyMap", "FamilySolutions", "FileError", "IncompleteWarning", "Interrupted", "LstsqResult", "Members", "Monodromy",
           "NewtonResult", "NonfiniteError", "OutOfMemoryError", "ParseError", "Paths", "Plan", "QRResult", "RangeError", "RefinedResult", "RoundingWarning",
           "SingularError", "SizeError", "Solution", "SolutionStream", "Solutions", "System", "UnsupportedError", "arange", "array",
           "certificates_available", "certify", "cholesky", "cholesky_solve", "decompose", "devices",
           "dot", "evaluate", "eye", "from_limbs", "from_planes", "full", "info", "linspace", "lstsq", "matmul", "mixed_volume", "newton",
           "ones", "plan", "qr", "rank", "read_components",
           "refine", "set_threads", "solve", "solve_stream", "solve_triangular", "sqrt", "to_device", "track", "vdot", "zeros", "__version__"]
