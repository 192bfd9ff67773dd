"""The Spack recipe. The sources are the tarball that "make dist" writes, in the current folder."""

import os

from spack.package import *


class Plumb(CMakePackage, CudaPackage):
    """Polynomial systems, least squares and path tracking in double, double double and quad double precision."""

    url = f"file://{os.getcwd()}/plumb-0.3.0.tar.gz"
    manual_download = True

    license("BSD-3-Clause")

    # "make dist" prints no checksum that could stand here before a release: spack install --no-checksum.
    version("0.3.0")

    variant("arb", default=True, description="Certificates by ball arithmetic")
    variant("mpi", default=False, description="Runs on many computers")
    variant("python", default=True, description="The Python package")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.20:", type="build")
    depends_on("gmp")
    depends_on("mpfr")
    depends_on("flint@3:", when="+arb")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy@1.20:", type="run", when="+python")
    extends("python", when="+python")

    def cmake_args(self):
        args = [
            self.define("PLUMB_TESTS", False),
            self.define_from_variant("PLUMB_ARB", "arb"),
            self.define_from_variant("PLUMB_CUDA", "cuda"),
            self.define_from_variant("PLUMB_MPI", "mpi"),
        ]
        if self.spec.satisfies("+cuda") and self.spec.variants["cuda_arch"].value != ("none",):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(self.spec.variants["cuda_arch"].value)))
        return args

    @run_after("install", when="+python")
    def install_python(self):
        with working_dir(self.stage.source_path):
            Executable("scripts/python-files")(python_platlib, extra_env={"PYTHON": self.spec["python"].command.path})

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.set("PLUMB_LIBRARY", join_path(self.prefix.lib, "libplumb.so"))
