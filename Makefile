# Shortcuts for CMake, which does the work in build/ (see also CMakePresets.json).
#
#   make            release build, leaves build/plumb      make install PREFIX=/usr/local [DESTDIR=...]; make uninstall
#   make cuda       the same with CUDA, on a machine that has nvcc but no GPU
#   make demo       show what plumb does                   make format    format the sources
#   make test       build and run the tests                make lint      check style and look for mistakes
#   make test-long  the tests that take long               make clean
#   make test-deep  arithmetic on 10^7 operands
#   make bench      time the arithmetic                    make cuda-limits   accept the resources of the CUDA kernels
#   make paper      draw docs/paper/ from bench/results/   make tables    put the tables of bench/results/ into the documents
#   make docs       the site, in build/docs/html/           make test-docs run the commands of the documentation
#   make wheel      the Python package, in build/wheel/    make python-test   install it into a fresh environment and test it
#   make dist       the source tarball, in build/          make dist-test build it without git
#   make deb        the Debian packages, in build/deb/     make deb-test  build and install them on a fresh Debian
#   make recipes-test   do what conda and Spack would do with their recipes
#
# JOBS=n sets how many compilers run at once; CMAKE_ARGS=... is passed on to CMake.

# Do not print which folder make enters and leaves.
MAKEFLAGS += --no-print-directory

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_ARGS ?=
DEEP_COUNT ?= 10000000
# Debian's Python, whose packages scripts/install-deps installs.
PYTHON ?= /usr/bin/python3
# The Python whose environment "make python-test" makes: the same, or another that has NumPy, or for which pip finds it.
TEST_PYTHON ?= $(PYTHON)

.PHONY: all cuda dist dist-test deb deb-test deps-deb recipes-test deps-recipes demo test test-long test-deep bench paper tables install uninstall format lint clean wheel python-test cuda-limits deps deps-demo deps-test deps-page deps-bench deps-lint \
	deps-wheel deps-python configure

all: deps configure
	@cmake --build $(BUILD) -j$(JOBS) --target plumb plumb_static plumb_program plumb_bench

cuda:
	@$(MAKE) all CMAKE_ARGS="$(CMAKE_ARGS) -DPLUMB_CUDA=ON"

# Tests and peers whose packages are missing are left out; the next configure finds packages that have been installed since.
configure:
	@cmake -S . -B $(BUILD) $(CMAKE_ARGS)

deps:
	@scripts/install-deps build

deps-test:
	@scripts/install-deps build test

deps-demo:
	@scripts/install-deps build demo

deps-page:
	@scripts/install-deps page

deps-bench:
	@scripts/install-deps build test bench

deps-lint:
	@scripts/install-deps build test lint

deps-wheel:
	@scripts/install-deps build wheel

deps-python:
	@scripts/install-deps build wheel python

demo: deps-demo all
	@scripts/demo $(abspath $(BUILD))/plumb

test: deps-test configure
	@cmake --build $(BUILD) -j$(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j$(JOBS) -LE long

test-long: deps-test configure
	@cmake --build $(BUILD) -j$(JOBS) --target all long_tests
	@ctest --test-dir $(BUILD) --output-on-failure -j$(JOBS) -L long $(THIRD:%=-I %,,3)

test-deep: deps-test configure
	@cmake --build $(BUILD) -j$(JOBS)
	PLUMB_TEST_DEEP=1 PLUMB_TEST_COUNT=$(DEEP_COUNT) $(BUILD)/tests/t_arith

bench: deps-bench configure
	@cmake --build $(BUILD) -j$(JOBS)
	@$(BUILD)/plumb-bench arith

paper: deps-page
	@scripts/paper-page

tables:
	@scripts/results-table
	@scripts/kernel-families

wheel: deps-wheel configure
	@cmake --build $(BUILD) -j$(JOBS) --target plumb
	@PYTHON=$(PYTHON) scripts/wheel $(BUILD)

python-test: deps-python wheel
	@PYTHON=$(TEST_PYTHON) scripts/python-test $(BUILD)

dist:
	@scripts/dist $(BUILD)

dist-test: deps-test
	@JOBS=$(JOBS) CMAKE_ARGS="$(CMAKE_ARGS)" scripts/dist-test $(BUILD)

deps-deb:
	@scripts/install-deps build deb

deps-recipes:
	@scripts/install-deps build recipes

deb: deps-deb
	@JOBS=$(JOBS) scripts/deb $(BUILD)

deb-test: deps-deb
	@JOBS=$(JOBS) scripts/deb-test $(BUILD) $(RELEASE)

recipes-test: deps-recipes
	@scripts/recipes-test $(JOBS)

install: all
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

# Removes what the last make install from this build wrote; DESTDIR as it was then.
uninstall:
	@DESTDIR=$(DESTDIR) cmake -DMANIFEST=$(BUILD)/install_manifest.txt -P cmake/uninstall.cmake

format: deps-lint
	@scripts/lint format

lint: deps-lint
	@scripts/lint

cuda-limits: deps
	@cmake -S . -B $(BUILD) $(CMAKE_ARGS) -DPLUMB_CUDA=ON
	@cmake --build $(BUILD) -j$(JOBS) --target plumb
	@scripts/check-kernel-resources --update cmake/cuda-limits.txt $(BUILD)/cuda/ptxas-*.log

clean:
	@rm -rf $(BUILD)

# ---- The documentation

.PHONY: docs docs-pictures test-docs

# The site in build/docs/html, from docs/, plumb.h and the docstrings of the Python package.
docs: configure
	@scripts/install-deps build docs
	@cmake --build $(BUILD) -j$(JOBS) --target plumb plumb_program
	@PYTHON=$(PYTHON) $(PYTHON) -B scripts/docs $(BUILD)

# Draws the pictures of the gallery again; they are committed.
docs-pictures: configure
	@scripts/install-deps build test docs
	@cmake --build $(BUILD) -j$(JOBS) --target plumb plumb_program
	@PYTHON=$(PYTHON) $(PYTHON) -B scripts/test-docs --build $(BUILD) --pictures docs/gallery/*.md

# Runs the commands of the documentation, compares what they print, and checks the links.
test-docs: configure
	@scripts/install-deps build test docs
	@cmake --build $(BUILD) -j$(JOBS) --target plumb plumb_static plumb_program plumb_bench
	@PYTHON=$(PYTHON) $(PYTHON) -B scripts/test-docs --build $(BUILD)
