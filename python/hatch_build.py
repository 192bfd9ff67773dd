"""The platform tag of the wheel: py3-none-manylinux_2_X_<machine>, where 2.X is the newest version of the C library
whose symbols the libraries in the wheel use, or the one that came with the C++ library they use. The package itself is
the same for every version of Python."""

import pathlib
import platform
import re
import subprocess

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# What manylinux systems have: everything else must be in the wheel.
SYSTEM = re.compile(r"(libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+|ld-linux-[a-z0-9-]+)\.so\.\d+$")
# Versions of the C++ library that systems with a version of the C library have at least.
CXX = [((3, 4, 19), (2, 17)), ((3, 4, 22), (2, 24)), ((3, 4, 24), (2, 28)), ((3, 4, 28), (2, 31)), ((3, 4, 29), (2, 34)),
       ((3, 4, 30), (2, 35)), ((3, 4, 32), (2, 38))]


def readelf(option: str, library: pathlib.Path) -> str:
    return subprocess.run(["readelf", "--wide", option, str(library)], check=True, capture_output=True, text=True).stdout


def tag_of(libraries: list) -> str:
    """The tag that the symbols used by the libraries allow."""
    newest = (2, 17)  # the oldest version that manylinux_2_X describes
    names = {library.name for library in libraries}
    for library in libraries:
        for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", library)):
            if needed not in names and not SYSTEM.match(needed):
                raise RuntimeError(f"{library.name} needs {needed}, which is not in the wheel")
        for version in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", readelf("--version-info", library)):
            newest = max(newest, (int(version[0]), int(version[1])))
        for version in re.findall(r"Name: GLIBCXX_(\d+)\.(\d+)\.?(\d*)", readelf("--version-info", library)):
            wanted = tuple(int(part or 0) for part in version)
            newest = max(newest, min(system for cxx, system in CXX if cxx >= wanted))
    return f"py3-none-manylinux_{newest[0]}_{newest[1]}_{platform.machine()}"


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        folder = pathlib.Path(self.root) / "plumb" / "lib"
        libraries = sorted(folder.glob("*.so*"))
        if not libraries:
            raise RuntimeError(f"no libraries in {folder}: build the wheel with 'make wheel'")
        build_data["pure_python"] = False
        build_data["tag"] = tag_of(libraries)
