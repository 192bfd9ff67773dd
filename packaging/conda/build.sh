#!/bin/sh
# build.sh - run by conda build, which sets PREFIX, SP_DIR, PYTHON, CPU_COUNT and CMAKE_ARGS.
set -eu
# shellcheck disable=SC2086
cmake -S . -B build-conda ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_PREFIX_PATH="$PREFIX" -DPLUMB_TESTS=OFF -DPLUMB_CUDA=OFF -DPLUMB_MPI=OFF
cmake --build build-conda -j"${CPU_COUNT:-2}"
cmake --install build-conda
scripts/python-files "$SP_DIR"
