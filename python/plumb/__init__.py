"""plumb: least squares, Newton's method and polynomial systems in double, double double and quad double precision.

>>> import plumb
>>> A = plumb.array([["1/3", "1/7"], ["1/11", "1/13"]], precision="qd")
>>> r = plumb.lstsq(A, A @ plumb.array([1, 2], "qd"), "qd")
>>> bool(r.digits > 55)
True
"""

from ._array import Array, array, dot, from_limbs, from_planes, matmul, sqrt, vdot, zeros
from ._library import (ArgumentError, DeviceError, Error, FileError, NonfiniteError, OutOfMemoryError, ParseError,
                       RangeError, SingularError, SizeError, UnsupportedError, devices, info)
from ._linear import LstsqResult, QRResult, lstsq, qr
from ._version import __version__
