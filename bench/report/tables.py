"""Markdown tables from result files, one function per benchmark. Numbers in documents are never typed: they come from here."""

import math

from files import replace
from markdown import cell, error_cell, escape, table
from results import Failure, Misuse, number, short_name, text, whole

BEGIN, END = "<!-- plumb bench table: begin -->", "<!-- plumb bench table: end -->"


def percent(x):
    return "" if math.isnan(x) else "%.0f%%" % (100 * x)


def names(row, *keys):
    return [escape(text(row, key, "?")) for key in keys]


def title(results, machine, what):
    return ["**%s** %s, %s; commit `%s`, %s" % (
        escape(text(results.root, "device") if results.gpu else results.cpu), machine, what, escape(results.commit),
        escape(results.date)), ""]


def processor(results, *parts):
    """(arch, isa, threads) of the processor that was measured."""
    return "(%s)" % ", ".join([escape(text(results.root.get("machine"), "arch", "?"))] + list(parts))


def computer(results):
    """The processor of the computer that has the GPU."""
    return "in a computer with %s (%s, %s threads)" % (escape(results.cpu), escape(text(results.root, "isa", "?")),
                                           whole(number(results.root, "threads")))


# ---- Arithmetic

BRIEF_OPERATIONS = ("add", "mul", "div", "sqrt", "fma", "dot")


def arith(results, brief):
    """One row per operation; the last instruction set of a file is the best one, and the others give a column each."""
    isas = list(dict.fromkeys(text(row, "isa", "?") for row in results.rows))
    by_key = {(text(r, "op"), text(r, "precision"), text(r, "kind"), text(r, "isa", "?")): r for r in results.rows}
    rows = []
    for row in results.rows:
        key = text(row, "op"), text(row, "precision"), text(row, "kind")
        small = key[0] in BRIEF_OPERATIONS and key[1] != "d" and key[2] == "real"
        if text(row, "isa", "?") != isas[-1] or (brief and not small):
            continue
        libqd, mark = number(row, "peers", "libqd_fma"), ""
        if math.isnan(libqd):
            libqd, mark = number(row, "peers", "libqd_package"), "\\*"
        count = number(row, "flops") + number(row, "others")
        speedup = number(row, "speedup")
        rows.append(names(row, "precision", "kind", "op")
                    + [cell(number(by_key.get(key + (isa,), {}), "ns")) for isa in isas]
                    + [cell(libqd, mark), cell(number(row, "peers", "mpfr")), cell(number(row, "peers", "float128")),
                       "" if math.isnan(speedup) else "%.1fx" % speedup,
                       "%.*f" % (0 if count == int(count) else 1, count), percent(number(row, "peak"))])
    about = processor(results, "%s cores" % whole(results.cores), "%.2f GHz" % number(results.root, "ghz"))
    head = ["", "", ""] + [escape(isa) for isa in isas] + ["libqd", "MPFR", "float128", "vs libqd", "instr.", "peak"]
    return title(results, about, "one core, ns per operation") + table(head, "lll" + "r" * (len(head) - 3), rows)


# ---- Least squares

def lsq(results, brief):
    if results.gpu:
        return lsq_gpu(results, brief)
    rows = []
    for row in results.rows:
        if brief and not (text(row, "kind") == "complex" and number(row, "n") == 32):
            continue
        one_by_one = number(row, "one_by_one_us") if text(row, "mode") == "batch" else math.nan
        reference = [x for x in (number(row, "peers", "lapack"), number(row, "peers", "openblas")) if not math.isnan(x)]
        rows.append(names(row, "mode", "precision", "kind")
                    + [whole(number(row, "n")), cell(number(row, "us")), error_cell(number(row, "error")),
                       cell(one_by_one)]
                    + [cell(number(row, "peers", peer)) for peer in ("libqd_fma", "libqd_fma_sloppy", "arb")]
                    + [cell(min(reference, default=math.nan)), cell(number(row, "speedup"), "x"), percent(number(row, "peak"))])
    said = title(results, processor(results, escape(text(results.root, "isa", "?"))),
                 "least squares on one core, microseconds per solve")
    said += table(("", "", "", "n", "plumb", "error", "one by one", "libqd", "libqd sloppy", "Arb", "LAPACK", "speedup",
                   "peak"), "lll" + "r" * 10, rows)
    overheads = results.root.get("overheads")
    if not brief and overheads:
        said += ["", "The cost of complex numbers and of precision, relative to real d:", ""]
        said += table(("n", "complex d", "complex dd", "complex qd"), "rrrr", [
            [whole(number(row, "n"))] + [cell(number(row, key)) for key in ("complex_d", "complex_dd", "complex_qd")]
            for row in overheads])
    return said


def lsq_gpu(results, brief):
    rows = []
    for row in results.rows:
        if brief and text(row, "mode") != "sequence":
            continue
        us, floor = number(row, "us"), number(row, "floor_us")
        peer = "cublas_batched_us" if text(row, "mode") == "batch" else "cusolver_us"
        rows.append(names(row, "mode", "precision") + [whole(number(row, "n"))]
                    + [cell(number(row, key)) for key in ("us", "launch_us", "cpu1_us", "cpuall_us", peer, "floor_us")]
                    + [cell(us / floor, "x"), cell(number(row, "cpu1_us") / us, "x"), error_cell(number(row, "error"))])
    said = title(results, computer(results), "complex least squares, microseconds per system")
    said += table(("", "", "n", "GPU", "launched", "one core", "all cores", "cuSOLVER d", "floor", "over floor",
                   "vs one core", "error"), "ll" + "r" * 10, rows)
    return said + [""] + quality_up(results)


def quality_up(results):
    """At which n qd on the GPU is faster than a rival in lower precision, as sentences."""
    single = [row for row in results.rows if text(row, "mode") in ("sequence", "large")]
    ours = {number(row, "n"): number(row, "us") for row in single if text(row, "precision") == "qd"}
    rivals = (("dd on one core", {number(r, "n"): number(r, "cpu1_us") for r in single if text(r, "precision") == "dd"}),
              ("cuSOLVER in d", {number(r, "n"): number(r, "cusolver_us") for r in single if text(r, "precision") == "qd"}))
    said = []
    for rival, times in rivals:
        sizes = sorted(n for n in ours if not math.isnan(times.get(n, math.nan)))
        if sizes:
            said.append("qd on the GPU takes less time than %s %s." % (
                rival, where(sizes, [n for n in sizes if ours[n] < times[n]])))
    return said


def where(sizes, holds):
    """The sizes at which something holds, in words: the range, the exceptions in it, and that no other size was measured."""
    if not holds:
        return "at no n measured"
    if len(holds) == len(sizes):
        return "at every n measured, from %s to %s" % (whole(sizes[0]), whole(sizes[-1])) if len(sizes) > 1 else \
            "at n = %s" % whole(sizes[0])
    first, last = holds[0], holds[-1]
    but = [n for n in sizes if first < n < last and n not in holds]
    not_at = [n for n in sizes if n not in holds and n not in but]
    span = "at n = %s" % whole(first) if first == last else "from n = %s to n = %s" % (whole(first), whole(last))
    if but:
        span += " except at n = %s" % ", ".join(whole(n) for n in but)
    return span + ("" if not not_at else ", but not at n = %s" % ", ".join(whole(n) for n in not_at))


# ---- Evaluation

def evaluation(results, brief):
    if results.gpu:
        return evaluation_gpu(results, brief)
    rows = []
    for row in results.rows:
        if brief and not (is_paper(row) and text(row, "mode") == "one"):
            continue
        rows.append([system_of(row)] + names(row, "precision", "mode") + [cell(number(row, "us"))]
                    + [cell(number(row, "peers", peer)) for peer in ("double", "libqd_fma", "libqd_fma_sloppy")]
                    + [cell(number(row, "speedup"), "x"), cell(number(row, "floor_us")), percent(number(row, "peak"))])
    about = processor(results, escape(text(results.root, "isa", "?")),
                      "%s threads" % whole(number(results.root, "threads")))
    return title(results, about, "microseconds per evaluation with its Jacobian, complex") + table(
        ("system", "", "", "plumb", "double", "libqd", "libqd sloppy", "speedup", "floor", "peak"), "lll" + "r" * 7, rows)


def evaluation_gpu(results, brief):
    rows = []
    for row in results.rows:
        if brief and not is_paper(row):
            continue
        rows.append([system_of(row)] + names(row, "precision", "mode")
                    + [cell(number(row, key)) for key in ("us", "launch_us", "cpu1_us", "cpuall_us", "floor_us")]
                    + [cell(number(row, "cpu1_us") / number(row, "us"), "x"), error_cell(number(row, "error"))])
    return title(results, computer(results), "microseconds per evaluation with its Jacobian, complex") + table(
        ("system", "", "", "GPU", "launched", "one core", "all cores", "floor", "vs one core", "error"), "lll" + "r" * 7, rows)


def is_paper(row):
    """Is this the system of Verschelde and Yoffe (2013)?"""
    return text(row, "system") == "paper" and number(row, "n") == 32


def system_of(row):
    return "%s %s" % (escape(text(row, "system", "?")), whole(number(row, "n")))


# ---- Newton steps and paths

NEWTON = (("us", "step"), ("launch_us", "launched"), ("eval_us", "evaluation"), ("lsq_us", "least squares"),
          ("cpu1_us", "one core"), ("cpuall_us", "all cores"))


GEMM = (("us", "us"), ("tiles_us", "tiles"), ("cpu1_us", "one core"), ("cpuall_us", "all cores"), ("peer_us", "peer"))


def gemm(results, brief):
    about = computer(results) if results.gpu else processor(results, escape(text(results.root, "isa", "?")))
    rows = results.rows
    shown = [(key, name) for key, name in GEMM if any(not math.isnan(number(row, key)) for row in rows)]
    peers = sorted({text(row, "peer") for row in rows if text(row, "peer")})
    said = title(results, about, "Products of square matrices, triangular systems and Cholesky factors, microseconds" + (" (peer: %s)" % ", ".join(peers) if peers else ""))
    peak = [] if results.gpu else ["peak"] # of one core
    return said + table(["", "", "", "n", "method"] + [name for _, name in shown] + peak, "lllrl" + "r" * (len(shown) + len(peak)), [
        names(row, "mode", "precision", "kind") + [whole(number(row, "n")), escape(text(row, "method"))]
        + [cell(number(row, key)) for key, _ in shown] + [cell(100 * number(row, "peak"), "%") for _ in peak] for row in rows])


def newton_rows(results):
    rows = [row for row in results.rows if text(row, "mode") == "newton"]
    shown = [(key, name) for key, name in NEWTON if any(not math.isnan(number(row, key)) for row in rows)]
    return table([""] + ["n"] + [name for _, name in shown] + ["error"], "lr" + "r" * (len(shown) + 1), [
        names(row, "precision") + [whole(number(row, "n"))] + [cell(number(row, key)) for key, _ in shown]
        + [error_cell(number(row, "error"))] for row in rows])


def newton(results, brief):
    about = computer(results) if results.gpu else processor(results, escape(text(results.root, "isa", "?")))
    return title(results, about, "Newton steps one after the other, microseconds per step, complex") + newton_rows(results)


def track(results, brief):
    about = computer(results) if results.gpu else processor(results, escape(text(results.root, "isa", "?")))
    said = []
    if any(text(row, "mode") == "newton" for row in results.rows):
        said += newton(results, brief) + [""]
    paths = [row for row in results.rows if text(row, "mode") in ("track", "many")]
    said += title(results, about, "paths: milliseconds for all paths of a row")
    own = "GPU" if results.gpu else "all cores"
    head = ["system", "", "paths", own] + (["all cores"] if results.gpu else []) + ["one core", "steps", "succeeded"]
    rows = []
    for row in paths:
        single = text(row, "mode") == "track"
        ms = number(row, "path_us" if single else "us") / 1000
        all_cores = [cell(number(row, "cpuall_us") / 1000)] if results.gpu else []
        rows.append([system_of(row)] + names(row, "precision") + [whole(number(row, "paths")), cell(ms)] + all_cores
                    + [cell(number(row, "cpu1_path_us" if single else "cpu1_us") / 1000), whole(number(row, "steps")),
                       whole(number(row, "success"))])
    return said + table(head, "ll" + "r" * (len(head) - 2), rows)


def parameters(results, brief):
    about = computer(results) if results.gpu else processor(results, escape(text(results.root, "isa", "?")))
    said = title(results, about, "targets of families: microseconds per target, one at a time and in batches")
    own = "GPU" if results.gpu else "all cores"
    head = ["family", "", "n", "paths", "targets", own] + (["all cores"] if results.gpu else []) + ["one core", "paths per second"]
    rows = []
    for row in results.rows:
        all_cores = [cell(number(row, "cpuall_us"))] if results.gpu else []
        rows.append([escape(text(row, "family"))] + names(row, "precision") + [whole(number(row, key)) for key in ("n", "paths", "targets")]
                    + [cell(number(row, "us"))] + all_cores + [cell(number(row, "cpu1_us")), whole(number(row, "paths_per_second"))])
    return said + table(head, "ll" + "r" * (len(head) - 2), rows)


def solve(results, brief):
    about = computer(results) if results.gpu else processor(results, escape(text(results.root, "isa", "?")))
    said = title(results, about, "all solutions of a system, milliseconds for a whole call")
    phc = any("phc_us" in row for row in results.rows)
    head = ["system", "", "start", "paths", "roots"] + (["GPU"] if results.gpu else []) + ["all cores", "one core"] + (["phc", "phc / one core"] if phc else [])
    rows = []
    for row in results.rows:
        gpu = [cell(number(row, "us") / 1000)] if results.gpu else []
        rows.append(names(row, "system", "precision", "start_kind") + [whole(number(row, "paths")), whole(number(row, "roots"))]
                    + gpu + [cell(number(row, "cpuall_us") / 1000), cell(number(row, "cpu1_us") / 1000)]
                    + ([cell(number(row, "phc_us") / 1000), cell(number(row, "speedup"), "x")] if phc else []))
    return said + table(head, "lll" + "r" * (len(head) - 3), rows)


# ---- Accuracy

def accuracy(results, brief):
    def digits(row, *keys):
        x = number(row, *keys)
        return "" if math.isnan(x) else "%.1f" % x

    said = title(results, processor(results, escape(text(results.root, "isa", "?"))),
                 "log10 of max \\|A - QR\\| over %s matrices of 32 x 32" % whole(number(results.root, "matrices")))
    said += table(("", "g", "m_e", "M_e", "D_e", "paper m_e", "paper M_e"), "l" + "r" * 6, [
        names(row, "precision") + [whole(number(row, "g"))] + [digits(row, key) for key in ("m_e", "M_e", "D_e")]
        + [digits(row, "paper", "m_e"), digits(row, "paper", "M_e")] for row in results.rows])
    elimination = results.root.get("elimination")
    if elimination:
        said += ["", "Gaussian elimination compared with modified Gram-Schmidt, complex, n = 32:", ""]
        said += table(("", "mgs us", "lu us", "faster", "mgs error", "lu error", "larger", "median"), "l" + "r" * 7, [
            names(row, "precision") + [cell(number(row, "mgs_us")), cell(number(row, "lu_us")),
                                  cell(number(row, "time_ratio"), "x"), error_cell(number(row, "mgs_error")),
                                  error_cell(number(row, "lu_error")), cell(number(row, "error_ratio"), "x"),
                                  cell(number(row, "median_ratio"), "x")] for row in elimination])
    return said


KINDS = {"arith": arith, "lsq": lsq, "gemm": gemm, "eval": evaluation, "newton": newton, "track": track,
         "parameters": parameters, "solve": solve, "accuracy": accuracy}


HEADINGS = {"arith": "Arithmetic", "lsq": "Least squares", "gemm": "Products of matrices", "eval": "Polynomial systems", "newton": "Newton steps",
            "track": "Newton steps and paths", "parameters": "Targets of families", "solve": "All solutions of a system", "accuracy": "Accuracy of QR"}


def headed(files, brief):
    """The tables of all files with a heading before the first one of each benchmark."""
    said, last = [], None
    for results in files:
        heading = HEADINGS.get(results.benchmark, "") + (" on a GPU" if results.gpu else "")
        said.append("" if heading == last else "### %s\n\n" % heading)
        said.append(markdown(results, brief))
        last = heading
    return "".join(said)


# ---- The shortest form, for a README: one line per machine

def summary(files):
    """One complex system with n = 32 in qd: a line for each GPU, and a line for each processor."""
    said = [summary_gpu(results) if results.gpu else summary_cpu(results) for results in files if results.benchmark == "lsq"]
    return "\n".join(["One complex linear system with n = 32 in quad double precision, in microseconds:", ""] + [line for line in said if line]) + "\n\n"


def compared(*pairs):
    """What others took, in parentheses; those that were not measured are left out."""
    known = ["%s: %s" % (name, cell(time)) for name, time in pairs if not math.isnan(time)]
    return " (%s)" % ", ".join(known) if known else ""


def summary_gpu(results):
    for row in results.rows:
        if text(row, "mode") == "sequence" and text(row, "precision") == "qd" and number(row, "n") == 32:
            return "- %s: %s%s" % (escape(text(results.root, "device")), cell(number(row, "us")),
                                   compared(("one core of its computer, by the same method", number(row, "cpu1_us"))))
    return ""


def summary_cpu(results):
    for row in results.rows:
        if is_32(row, "one") and text(row, "precision") == "qd":
            refined = [r for r in results.rows if is_32(r, "refined") and text(r, "precision") == "qd"]
            return "- %s, one core, %s: %s%s" % (escape(short_name(results.cpu)), text(results.root, "isa", "?"), cell(number(refined[0] if refined else row, "us")),
                                                 compared(("Arb", number(row, "peers", "arb")), ("libqd", number(row, "peers", "libqd_fma"))))
    return ""


def is_32(row, mode):
    return text(row, "mode") == mode and text(row, "kind") == "complex" and number(row, "n") == 32


# ---- When a GPU pays for large problems

LARGE = 512
LARGE_MODES = {"product": "product", "system": "triangular system", "cholesky": "Cholesky factor", "sequence": "least squares",
               "large": "least squares", "refined": "least squares, refined"}


def large(files):
    """Large products and systems on a GPU and on all cores of its computer: a table per file."""
    said = []
    for results in files:
        rows = [row for row in results.rows if text(row, "mode") in LARGE_MODES and number(row, "n") >= LARGE
                and not math.isnan(number(row, "cpuall_us"))]
        if not results.gpu or not rows:
            continue
        said += ["**%s** and all %s threads of its computer, milliseconds" % (
            escape(text(results.root, "device")), whole(number(results.root, "threads"))),
                 "(%s, %s; commit `%s`, %s):" % (escape(results.cpu), escape(text(results.root, "isa", "?")),
                                                 escape(results.commit), escape(results.date)), ""]
        said += table(("", "", "", "n", "GPU", "all cores", "all cores over GPU"), "lllrrrr", [
            [LARGE_MODES[text(row, "mode")]] + names(row, "precision", "kind")
            + [whole(number(row, "n")), cell(number(row, "us") / 1000), cell(number(row, "cpuall_us") / 1000),
               cell(number(row, "cpuall_us") / number(row, "us"), "x")] for row in rows]) + [""]
    return "\n".join(said) + "\n"


def markdown(results, brief):
    """The tables of one file, ending with an empty line."""
    if results.benchmark not in KINDS:
        raise Misuse("%s: there is no table for the benchmark '%s'; 'plumb-bench paper --from' draws it" % (
            results.name, results.benchmark))
    if not results.rows:
        raise Misuse("%s: has no results" % results.name)
    return "\n".join(KINDS[results.benchmark](results, brief)).rstrip("\n") + "\n\n"


def put_into(path, content):
    """Replaces what lies between the marker lines of a document."""
    try:
        with open(path, encoding="utf-8") as file:
            document = file.read()
    except OSError as error:
        raise Misuse("'%s' could not be read: %s" % (path, error.strerror)) from None
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise Failure("'%s' lacks the line '%s' or '%s'" % (path, BEGIN, END))
    replace([(path, before + BEGIN + "\n\n" + content + END + after)])
