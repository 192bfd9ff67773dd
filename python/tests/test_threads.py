"""Threads, forks and memory: one context per thread, no lock held during a call, nothing that grows."""

import gc
import os
import resource
import sys
import threading
import time

import numpy
import pytest

import plumb


def in_threads(count, function):
    results, errors = [None] * count, []

    def work(k):
        try:
            results[k] = function(k)
        except BaseException as error:
            errors.append(error)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
    return results


def test_threads_give_the_same_bits():
    generator = numpy.random.default_rng(5)
    A, b = generator.standard_normal((12, 8)), generator.standard_normal(12)
    expected = plumb.lstsq(A, b, "qd").x.planes

    def work(k):
        return all(numpy.array_equal(plumb.lstsq(A, b, "qd").x.planes, expected) for _ in range(50))
    assert all(in_threads(8, work))


def test_messages_belong_to_their_threads():
    def work(k):
        for _ in range(100):
            with pytest.raises(plumb.Error) as error:
                if k % 2:
                    plumb.lstsq(numpy.ones((3, 2)), numpy.ones(3), "dd")
                else:
                    plumb.lstsq(numpy.ones((3, 2)), numpy.ones(2), "dd")
            assert ("depend" in str(error.value)) == bool(k % 2), str(error.value)
    in_threads(6, work)


class Spy:
    """The library, with the contexts of its long calls written down."""

    def __init__(self, library):
        self.library, self.handles = library, []

    def __getattr__(self, name):
        function = getattr(self.library, name)
        if name not in ("plumb_solve", "plumb_track", "plumb_certify"):
            return function

        def call(handle, *arguments):
            self.handles.append(handle)
            return function(handle, *arguments)
        return call


@pytest.mark.parametrize("in_main", [True, False])
def test_no_two_threads_use_one_context(in_main, monkeypatch):
    """The function that shows progress runs beside the call, and may call plumb."""
    import plumb._certify as certifying
    import plumb._solve as solving
    import plumb._track as tracking
    spy = Spy(solving.lib)
    for module in (solving, tracking, certifying):
        monkeypatch.setattr(module, "lib", spy)
    A, b = numpy.vander(numpy.arange(1, 9) / 8.0), numpy.ones(8)
    expected, found, depth = plumb.lstsq(A, b, "qd").x.planes, [], [0]

    def progress(done, failed, total):
        used = list(spy.handles)
        found.append(plumb._library.context("auto").handle not in used and
                     plumb._library.context("cpu").handle not in used)
        found.append(numpy.array_equal(plumb.lstsq(A, b, "qd").x.planes, expected))
        if depth[0] == 0:
            depth[0] = 1
            found.append(len(plumb.solve("x^3 - 1", progress=progress)) == 3)

    def work(k):
        plumb.solve(["x^5 + y^4 - 1", "x^4*y - 2"], progress=progress)
        plumb.track("x^30 - 1", progress=progress)
        if plumb.certificates_available():
            plumb.certify("x^2 - 2", [[1.4142135623730951]], progress=progress)
    work(0) if in_main else in_threads(2, work)
    assert found and all(found)


def test_contexts_of_long_calls_are_used_again(monkeypatch):
    import plumb._solve as solving
    spy = Spy(solving.lib)
    monkeypatch.setattr(solving, "lib", spy)
    for _ in range(5):
        plumb.solve("x^2 - 2")
    assert len(set(spy.handles)) == 1


def test_other_threads_run_during_a_call():
    """A long call does not hold the interpreter's lock."""
    generator = numpy.random.default_rng(6)
    A, b = generator.standard_normal((220, 220)), generator.standard_normal(220)
    plumb.lstsq(numpy.eye(2), numpy.ones(2), "qd")
    counts, done = [], threading.Event()

    def count():
        while not done.is_set():
            counts.append(time.perf_counter())
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    begin = time.perf_counter()
    plumb.lstsq(A, b, "qd", backend="cpu")
    end = time.perf_counter()
    done.set()
    thread.join()
    during = sum(begin + 0.1 * (end - begin) < when < end - 0.1 * (end - begin) for when in counts)
    assert during >= 5


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_computes():
    generator = numpy.random.default_rng(7)
    A, b = generator.standard_normal((200, 100)), generator.standard_normal(200)
    expected = plumb.lstsq(A, b, "dd").x.planes  # starts the threads of the context
    child = os.fork()
    if not child:
        good = False
        try:
            good = numpy.array_equal(plumb.lstsq(A, b, "dd").x.planes, expected)
        finally:
            os._exit(0 if good else 1)
    deadline = time.time() + 60
    while time.time() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.01)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0


def memory_in_use():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def growth(function, count):
    """How much the memory in use grows over so many calls, after as many calls that warm up."""
    for _ in range(count):
        function()
    gc.collect()
    before = memory_in_use()
    for _ in range(count):
        function()
    gc.collect()
    return memory_in_use() - before


def test_calls_do_not_grow():
    generator = numpy.random.default_rng(8)
    A, b = generator.standard_normal((6, 4)) + 1j, generator.standard_normal(6)

    def work():
        r = plumb.lstsq(A, b, "dd")
        repr(r.x * 2 + plumb.array("1/3", "qd"))
        plumb.qr(A, "dd")
        try:
            plumb.lstsq(A, [1, 2], "dd")
        except plumb.Error:
            pass
    assert growth(work, 2000) < 2_000_000


def test_contexts_end_with_their_threads():
    def work():
        in_threads(1, lambda k: plumb.lstsq(numpy.eye(3), numpy.ones(3), "dd"))
    assert growth(work, 200) < 4_000_000
    assert threading.active_count() < 20


def test_number_of_threads():
    generator = numpy.random.default_rng(9)
    A, b = generator.standard_normal((120, 80)), generator.standard_normal(120)
    expected = plumb.lstsq(A, b, "dd").x.planes
    try:
        for count in (1, 3):
            plumb.set_threads(count)
            assert plumb.info()["threads"] == count
            assert numpy.array_equal(plumb.lstsq(A, b, "dd").x.planes, expected)
    finally:
        plumb.set_threads(0)
    for bad in (-1, 5000, "x", None, 1.5, True):
        with pytest.raises(plumb.ArgumentError):
            plumb.set_threads(bad)


def test_references_are_not_lost():
    A, b = numpy.eye(3), numpy.ones(3)
    plumb.lstsq(A, b, "dd")
    before = sys.getrefcount(A), sys.getrefcount(b)
    for _ in range(100):
        plumb.lstsq(A, b, "dd")
    assert (sys.getrefcount(A), sys.getrefcount(b)) == before
