"""The page of the paper: one HTML file without scripts that fetches nothing. Its frame is template.html, its style style.css; this
file makes the tables and sentences that go into it."""

import math
import os
import string

import plots as plotting
from judge import HOLDS, NOT_MEASURED, STATEMENTS, levels_paid, most_levels, quality_range
from markup import (Markup, NONE, element, fixed, join, paragraph, ratio, row, section, table, td, th, three_figures)
from paper import (ALL_CORES, DD_SIZES, D_SIZES, GPU, HERE, N, NUMBERS, ONE_CORE, PRECISIONS, RUNS, ThePaper, accuracy_number,
                   best_accuracy, dimension, machines, seconds)
from results import number, text, whole
from tables import where

PAPER = ThePaper()
NAMES = {"d": "complex double", "dd": "complex double double", "qd": "complex quad double"}


def read_part(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def in_seconds(us):
    return three_figures(seconds(us))


def provenance(results):
    """Where numbers come from: machine, file, commit and date in one line."""
    about = [results.machine] + [word for word in (text(results.root, "isa"), text(results.root, "driver")) if word]
    return paragraph(", ".join(about), "; ", results.name, ", commit ", element("code", results.commit), ", ", results.date,
                     class_="from")


def machine_head(machine, span):
    return th(machine.name, ", ", machine.date, class_="group edge", colspan=span)


def heads(names, edge=True):
    """Heads of a group of columns, the first with a line before it."""
    return [th(name, class_="edge" if edge and k == 0 else None) for k, name in enumerate(names)]


class Page:
    def __init__(self, files):
        self.files = files
        self.machines = machines(files)
        self.plots = []
        if self.machines:
            self.plots = plotting.summaries(self.machines[0])
            for k, machine in enumerate(self.machines):
                self.plots += plotting.figures(machine, k + 1)
        self.plots = [plot for plot in self.plots if plot.series]

    def draw(self):
        """The whole page, its plots drawn by gnuplot."""
        plotting.draw(self.plots)
        template = string.Template(read_part("template.html"))
        return template.substitute(
            style=read_part("style.css"), notes=self.notes(), summary=self.drawn("quality-up") + self.drawn("speedup"),
            machines=self.machine_table(), statements=self.statements(), quality=self.quality(), tables=self.tables(),
            beyond=self.beyond())

    def summary_plots(self):
        """The two plots of the summary as files: (name, content)."""
        colours = read_part("style.css").partition("/* ---- end")[0]
        return [(plot.name + ".svg", plotting.alone(plot, colours)) for plot in self.plots[:2]]

    def drawn(self, prefix):
        """The figures whose names begin so."""
        return join(
            element("figure", element("div", Markup(plot.svg), class_="scroll", tabindex="0", role="img",
                                      aria_label=plot.caption),
                    element("figcaption", plot.caption), id="plot-" + plot.name) + "\n"
            for plot in self.plots if plot.name.startswith(prefix))

    # ---- What was measured where

    def notes(self):
        return join(paragraph(element("strong", machine.name, ", ", machine.date,
                                      ": measured with --quick, or partly so because time ran out: fewer and shorter samples."))
                    for machine in self.machines if machine.results.quick)

    def machine_table(self):
        names = ("processor", "cores", "instructions", "GPU", "driver", "commit", "date", "file")
        its = NUMBERS["machine"]

        def line(name, cells):
            return row(th(name), *(td(cell, data_of=of) for of, cell in zip(names, cells)))

        lines = [line("the paper", (its["processor"], its["cores"], "", its["gpu"], its["driver"], "", element("time", its["date"]), ""))]
        for machine in self.machines:
            r = machine.results
            lines.append(line(machine.name, (r.cpu, whole(r.cores), text(r.root, "isa"), text(r.root, "device"),
                                             text(r.root, "driver"), element("code", r.commit), element("time", r.date), r.name)))
        return section("machines", "Machines") + table(
            "t-machines", "The machines of the paper and of the columns below.",
            [row(th("machine"), *(th(name) for name in names))], lines, class_="words narrow")

    # ---- Statements

    def statements(self):
        head = [th("statement"), th("said to hold when"), th("the paper")]
        head += [th(machine.name, ", ", machine.date) for machine in self.machines] or [th("no machine")]
        lines = []
        for statement in STATEMENTS:
            cells = [self.finding(statement.judge(PAPER), PAPER)]
            cells += [self.finding(statement.judge(machine), machine) for machine in self.machines]
            if not self.machines:
                cells.append(td(element("span", NOT_MEASURED, class_="none")))
            lines.append(element("tr", th(statement.claim), td(statement.rule, data_of="said to hold when"), *cells,
                                 id="s-" + statement.name) + "\n")
        about = paragraph("Each statement is written as a rule that numbers follow or do not. The rule is applied in the same way to "
                          "the numbers of the paper and to ours. A number decides as it is printed.")
        return section("statements", "The paper\u2019s statements") + about + table(
            "t-statements", "", [row(*head)], lines, class_="words")

    @staticmethod
    def finding(finding, machine):
        verdict, kind = finding.verdict, "none" if finding.verdict == NOT_MEASURED else \
            "yes" if finding.verdict == HOLDS else "no"
        if machine.is_paper and verdict == NOT_MEASURED:  # it says so without numbers that could be judged
            verdict = "as stated"
        return td(element("span", verdict, class_=kind), ": " if finding.text else "", finding.text, data_of=machine.name)

    # ---- Quality up

    def quality(self):
        said = [section("quality", "Quality up"), paragraph(
            "If the time may stay the same, how much better can the answer be? A level of precision is the step from d to dd, or "
            "from dd to qd."), self.quality_of(PAPER, "quality-paper", "The paper\u2019s machine")]
        for k, machine in enumerate(self.machines):
            if machine.has_gpu:
                said.append(self.quality_of(machine, "quality-%d" % (k + 1), "%s, %s" % (machine.name, machine.date)))
        return join(said)

    @staticmethod
    def quality_of(machine, name, title):
        names = ["n", "d, one core, s", "dd, one core, s", "dd, GPU, s", "qd, GPU, s", "dd on one core / qd on the GPU",
                 "levels over d on one core", "over dd on one core"]
        hows = [ONE_CORE]
        if not machine.is_paper:
            names += ["over d on all cores", "over dd on all cores"]
            hows.append(ALL_CORES)
        lines = []
        for n in DD_SIZES:
            dd, qd = machine.time("solve", "dd", n, ONE_CORE), machine.time("solve", "qd", n, GPU)
            levels = [levels_paid(machine, prec, n, how) for how in hows for prec in ("d", "dd")]
            lines.append(row(th(n), in_seconds(machine.time("solve", "d", n, ONE_CORE)), in_seconds(dd),
                             in_seconds(machine.time("solve", "dd", n, GPU)), in_seconds(qd), ratio(dd / qd),
                             *(NONE if level is None else td(level) for level in levels)))
        most = most_levels(machine)
        return element("h3", title) + "\n" + table(
            name, "Seconds for 10,000 solutions, and how many levels of precision the GPU adds in the time that processors take "
            "for d or dd.", [row(*(th(n) for n in names))], lines) + paragraph(
                "qd on the GPU is at least as fast as dd on one core %s; the GPU adds up to %d level%s of precision." % (
                    where(*quality_range(machine)), most, "" if most == 1 else "s"))

    # ---- The tables of the paper

    def tables(self):
        return join([section("tables", "The paper\u2019s tables and figures"), self.table1(), self.table2(), self.table3(),
                     self.occupancy(), self.table4(), self.table5(), self.table6()])

    def table1(self):
        rows = NUMBERS["table1"]
        first = row(th("arithmetic", rowspan="2"), th("the paper, one core", class_="group edge", colspan="4"),
                    *(machine_head(machine, 6) for machine in self.machines))
        second = heads(("s", "factor", "n, printed", "n, computed"))
        for _ in self.machines:
            second += heads(("one core, s", "factor", "n", "real double at that n, s", "all cores, s", "one core, paper / ours"))
        lines = []
        for line in rows:
            cells = [th(line["name"]), td("%.1f" % line["seconds"], class_="edge"), td("%.1f" % line["factor"]),
                     td(line["dimension"]), fixed(dimension(PAPER, line), 0)]
            for machine in self.machines:
                one = machine.overhead(line, ONE_CORE)
                n, us = machine.recalibrated(line)
                cells += [in_seconds(one), fixed(one / machine.overhead(rows[0], ONE_CORE), 1),
                          fixed(dimension(machine, line), 0), in_seconds(us if n > 0 else math.nan),
                          in_seconds(machine.overhead(line, ALL_CORES)), ratio(PAPER.overhead(line, ONE_CORE) / one)]
            lines.append(row(*cells))
        return table("table1", "Table 1. 10,000 QR decompositions, n = m = 32: seconds, the factor over real double, and the "
                     "recalibrated dimension 32 \u00d7 (cube root of the factor).", [first, row(*second)], lines) + paragraph(
                         "A slip of the paper: it multiplies 32 by the cube root of %.1f and prints %d; the product is %.0f. A "
                         "difference that is no slip: complex double takes %.1f s here and %.1f s in Table 3, because these runs were "
                         "made by PHCpack and those by the authors\u2019 C++ code." % (
                             rows[2]["factor"], rows[2]["dimension"], N * rows[2]["factor"] ** (1 / 3), rows[1]["seconds"],
                             NUMBERS["table3"][0]["cpu"]), class_="slip")

    def table2(self):
        ours, source = best_accuracy(self.files)
        sub = Markup
        first = [th("g", rowspan="2")]
        for _ in range(2):
            first += [th("the paper, 1,000 matrices", class_="group edge", colspan="3"),
                      th("ours, %s" % (whole(number(ours, "matrices")) or "0"), class_="group", colspan="3")]
        second = []
        for k in range(4):
            second += heads((sub("m<sub>e</sub>"), sub("M<sub>e</sub>"), sub("D<sub>e</sub>")), edge=k % 2 == 0)
        bodies, pairs = [], list(zip(NUMBERS["table2"][::2], NUMBERS["table2"][1::2]))
        for pair in pairs:
            if not bodies or pair[0]["precision"] != bodies[-1][0]:
                bodies.append((pair[0]["precision"], [row(td("", class_="head"), *(
                    td(NAMES[half["precision"]], class_="head edge", colspan="6") for half in pair))]))
            cells = [th(pair[0]["g"])]
            for half in pair:
                cells.append(td("%.1f" % half["m_e"], class_="edge"))
                cells += [td("%.1f" % half[key]) for key in ("M_e", "D_e")]
                cells += [fixed(accuracy_number(ours, half["precision"], half["g"], key), 2) for key in ("m_e", "M_e", "D_e")]
            bodies[-1][1].append(row(*cells))
        said = [table("table2", sub(
            "Table 2. log<sub>10</sub> of the smallest (m<sub>e</sub>) and the largest (M<sub>e</sub>) error e = max "
            "|a<sub>ij</sub> &minus; (QR)<sub>ij</sub>| of 32 &times; 32 matrices with moduli from 10<sup>&minus;g</sup> to "
            "10<sup>g</sup>, and the difference D<sub>e</sub>."), [row(*first), row(*second)], [body for _, body in bodies])]
        if source is not None:
            said.append(provenance(source))
        said.append(paragraph(sub(
            "Slips of the paper: with D<sub>e</sub> = m<sub>e</sub> &minus; M<sub>e</sub> as it is defined, D<sub>e</sub> would be "
            "negative; the table has M<sub>e</sub> &minus; m<sub>e</sub>. And log<sub>10</sub>(e) does not decrease as g increases, "
            "as the text has it: it increases."), class_="slip"))
        return join(said) + self.elimination(ours, source)

    @staticmethod
    def elimination(ours, source):
        if not ours.get("elimination"):
            return Markup("")
        stated = NUMBERS["elimination"]
        lines = [row(th("the paper"), td(""), td(""), ratio(stated["faster"]), td(""), td(""), ratio(stated["worse"]), td(""))]
        for each in ours["elimination"]:
            errors = [td("%.1e" % number(each, key)) for key in ("mgs_error", "lu_error")]
            lines.append(row(th("complex ", text(each, "precision", "?")), three_figures(number(each, "mgs_us")),
                             three_figures(number(each, "lu_us")), ratio(number(each, "time_ratio")), *errors,
                             ratio(number(each, "error_ratio")), ratio(number(each, "median_ratio"))))
        names = ("", "MGS, \u00b5s", "elimination, \u00b5s", "faster", "MGS, error", "elimination, error", "error larger, average",
                 "error larger, median")
        return table("elimination", Markup(
            "Gaussian elimination with partial pivoting compared with modified Gram-Schmidt, n = 32, one core: times in microseconds per "
            "system; errors are the largest |x<sub>j</sub> &minus; 1|, averaged."), [row(*(th(name) for name in names))],
                     lines) + provenance(source)

    # Tables 3 to 6 have the same columns. A row is (title, work, row of the paper); a text alone is the head of a group.

    def times(self, name, caption, first, lines, decimals):
        spans = [7 if machine.has_gpu else 3 for machine in self.machines]
        top = row(th(first, rowspan="2"), th("the paper", class_="group edge", colspan="3"),
                  *(machine_head(machine, span) for machine, span in zip(self.machines, spans)))
        second = heads(("one core, s", "GPU, s", "speedup"))
        for machine in self.machines:
            second += heads(("one core, s", "all cores, s", "GPU, s", "speedup over one core", "over all cores",
                             "one core, paper / ours", "GPU, paper / ours") if machine.has_gpu else
                            ("one core, s", "all cores, s", "one core, paper / ours"))
        body = []
        for line in lines:
            if isinstance(line, str):
                body.append(row(td(line, class_="head", colspan=4 + sum(spans))))
                continue
            title, work, its = line
            cells = [th(title), td("%.*f" % (decimals, its["cpu"]), class_="edge"), td("%.*f" % (decimals, its["gpu"])),
                     td("%.*f\u00d7" % (decimals, its["speedup"]))]
            for machine in self.machines:
                one, every, gpu = (machine.time(work, its["precision"], its["n"], how) for how in (ONE_CORE, ALL_CORES, GPU))
                to_us = 1e6 / RUNS
                cells += [in_seconds(one), in_seconds(every)]
                if machine.has_gpu:
                    cells += [in_seconds(gpu), ratio(one / gpu), ratio(every / gpu)]
                cells.append(ratio(to_us * its["cpu"] / one))
                if machine.has_gpu:
                    cells.append(ratio(to_us * its["gpu"] / gpu))
            body.append(row(*cells))
        return table(name, caption, [top, row(*second)], body)

    def table3(self):
        return self.times("table3", "Table 3. 10,000 orthogonalizations of 32 random complex vectors of dimension 32, seconds.",
                          "arithmetic", [(NAMES[r["precision"]], "qr", r) for r in NUMBERS["table3"]], 1) + self.drawn("table3")

    @staticmethod
    def occupancy():
        its = NUMBERS["occupancy"]
        size = its["vectors"] * N * 32
        shares = [100 * b * its["blocks"] / its["shared_bytes"] for b in (its["bytes_printed"], size)]
        return paragraph("A slip of the paper: three vectors of 32 complex double doubles are %d bytes, as it says; its occupancy is "
                         "computed with %d, %.0f%% instead of %.0f%%." % (size, its["bytes_printed"], *shares), class_="slip")

    def table4(self):
        return self.times("table4", "Table 4. 10,000 solutions of n \u00d7 n systems in complex double, modified Gram-Schmidt and "
                          "back substitution, seconds.", "n", [(r["n"], "solve", r) for r in NUMBERS["table4"]],
                          2) + self.drawn("table4")

    def table5(self):
        lines = []
        for its in NUMBERS["table5"]:
            if its["n"] == DD_SIZES[0]:
                lines.append(NAMES[its["precision"]])
            lines.append((its["n"], "solve", its))
        return self.times("table5", "Table 5. The same in complex double double and complex quad double, seconds.", "n", lines,
                          2) + self.drawn("table5")

    def table6(self):
        parts = (("eval", "evaluation and differentiation (PE)"), ("qr", "orthogonalization (MGS)"), ("both", "both (PE + MGS)"))
        lines = []
        for work, title in parts:
            lines += [title] + [(NAMES[r["precision"]], work, r) for r in NUMBERS["table6"][work]]
        qd, before = NUMBERS["table6"]["qr"][2], NUMBERS["table3"][2]
        return self.times("table6", "Table 6. 10,000 evaluations and differentiations of 32 polynomials of 32 monomials of 5 "
                          "variables with degrees 1 to 5, 10,000 orthogonalizations, and both (the sum), seconds.", "arithmetic",
                          lines, 1) + paragraph(
                              "A slip of the paper: %.1f s against %.1f s is a speedup of %.1f here and of %.1f in Table 3; the "
                              "quotient is %.2f." % (qd["cpu"], qd["gpu"], qd["speedup"], before["speedup"], qd["cpu"] / qd["gpu"]),
                              class_="slip") + self.drawn("table6")

    # ---- Beyond the paper

    def beyond(self):
        said = [section("beyond", "Beyond the paper")]
        with_gpu = [(k, machine) for k, machine in enumerate(self.machines) if machine.has_gpu]
        if with_gpu:
            said.append(element("h3", "The GPU against all cores") + "\n")
        said += [self.all_cores(machine, k + 1) for k, machine in with_gpu]
        for benchmark, gpu, title, write in (
                ("lsq", True, "Least squares on a GPU, compared with cuSOLVER", lsq_on_gpu),
                ("eval", True, "Polynomial systems on a GPU", eval_on_gpu),
                ("newton", True, "Newton steps on a GPU", paths), ("newton", False, "Newton steps on processors", paths),
                ("track", True, "Paths on a GPU", paths), ("track", False, "Paths on processors", paths),
                ("lsq", False, "Other libraries on one core", peers)):
            files = [r for r in self.files if r.benchmark == benchmark and r.gpu == gpu]
            if files:
                said.append(element("h3", title) + "\n")
            said += [write(results, k + 1) for k, results in enumerate(files)]
        if len(said) == 1:
            said.append(paragraph("No other results were given. ", element("code", "plumb-bench paper --from"), " also takes files of ",
                                  element("code", "plumb-bench lsq"), ", ", element("code", "eval"), ", ", element("code", "newton"),
                                  " and ", element("code", "track"), " that were written with ", element("code", "--json"), "."))
        return join(said)

    @staticmethod
    def all_cores(machine, number_of):
        ratios, lines = [], []
        for n in D_SIZES:
            here = [machine.time("solve", prec, n, ALL_CORES) / machine.time("solve", prec, n, GPU) for prec in PRECISIONS]
            ratios += [r for r in here if math.isfinite(r)]
            lines.append(row(th(n), *(ratio(r) for r in here)))
        said = table("all-cores-%d" % number_of, "Solving one system after another: speedup of the GPU over all cores of "
                     "its own computer, which run plumb with the widest SIMD they have.",
                     [row(*(th(name) for name in ("n",) + PRECISIONS))], lines)
        if ratios:
            table4 = NUMBERS["table4"]
            said += paragraph("Compared with all cores the GPU is %.2f to %.1f times as fast%s. Compared with one core of 2013 the GPU "
                              "of the paper was %.2f to %.1f times as fast." % (
                                  min(ratios), max(ratios), ": it is faster at every size and precision measured"
                                  if min(ratios) >= 1 else "", table4[0]["speedup"], table4[-1]["speedup"]))
        return said + provenance(machine.results)


# ---- Files of other benchmarks

def gpu_row(first, each):
    us = number(each, "us")
    one, every = number(each, "cpu1_us"), number(each, "cpuall_us")
    return [th(first), td(text(each, "precision")), td(whole(number(each, "n"))), three_figures(us), three_figures(one),
            three_figures(every), ratio(one / us), ratio(every / us)]


GPU_HEADS = ("precision", "n", "GPU", "one core", "all cores", "over one core", "over all cores")


def lsq_on_gpu(results, k):
    lines = []
    for each in results.rows:
        peer = number(each, "cublas_batched_us" if text(each, "mode") == "batch" else "cusolver_us")
        lines.append(row(*gpu_row(text(each, "mode"), each), three_figures(peer), ratio(peer / number(each, "us"))))
    names = ("mode",) + GPU_HEADS + ("cuSOLVER in d", "cuSOLVER / plumb")
    return table("gpu-lsq-%d" % k, "Complex least squares on the GPU, microseconds per system; cuSOLVER by Householder QR in d, for "
                 "batches cuBLAS by elimination in d.", [row(*(th(name) for name in names))], lines) + provenance(results)


def eval_on_gpu(results, k):
    lines = [row(*gpu_row(text(each, "system"), each)) for each in results.rows if text(each, "mode") == "sequence"]
    return table("gpu-eval-%d" % k, "Evaluation of polynomial systems with their Jacobians on the GPU, one point after another, "
                 "microseconds per point.", [row(*(th(name) for name in ("system",) + GPU_HEADS))], lines) + provenance(results)


PEERS = (("libqd_fma", "libqd"), ("libqd_fma_sloppy", "libqd, sloppy"), ("arb", "Arb"), ("lapack", "LAPACK"),
         ("openblas", "OpenBLAS"))


def peers(results, k):
    def is_shown(each, mode):
        return text(each, "mode") == mode and text(each, "kind") == "complex"

    refined = {(text(r, "precision"), number(r, "n")): number(r, "us") for r in results.rows if is_shown(r, "refined")}
    lines = []
    for each in results.rows:
        if not is_shown(each, "one"):
            continue
        us = number(each, "us")
        theirs = [number(each, "peers", key) for key, _ in PEERS]
        best = min([x for x in theirs if not math.isnan(x)], default=math.nan)
        lines.append(row(th(text(each, "precision")), td(whole(number(each, "n"))), three_figures(us),
                         three_figures(refined.get((text(each, "precision"), number(each, "n")), math.nan)),
                         *(three_figures(x) for x in theirs), ratio(best / us)))
    names = ("precision", "n", "plumb", "plumb, refined") + tuple(name for _, name in PEERS) + ("best of them / plumb",)
    return table("peers-%d" % k, "One complex system on one core, microseconds: plumb by modified Gram-Schmidt and by refinement; libqd "
                 "with FMA by the same algorithm, Arb by elimination, LAPACK and OpenBLAS by Householder QR in d.",
                 [row(*(th(name) for name in names))], lines) + provenance(results)


PATH_HEADS = {"us": "\u00b5s", "launch_us": "launched, \u00b5s", "cpu1_us": "one core, \u00b5s", "cpuall_us": "all cores, \u00b5s",
              "eval_us": "evaluation, \u00b5s", "lsq_us": "least squares, \u00b5s", "us_solve": "\u00b5s per solve", "path_us": "path, \u00b5s", "cpu1_us_solve": "one core, \u00b5s per solve",
              "cpu1_path_us": "one core, path, \u00b5s", "steps_per_second": "steps per second",
              "paths_per_second": "paths per second", "bytes_per_step": "bytes per step", "to_device": "bytes to the device",
              "to_host": "bytes to the host", "cpu1_sample": "paths on one core", "cpuall_steps": "steps on all cores"}
PATH_TITLES = {"newton": "Newton steps one after another, microseconds per step.", "track": "One path.", "many": "Many paths at once."}


def paths(results, k):
    """One table per mode. The first row of a mode tells the columns: its members that are texts or numbers."""
    said, modes = [], list(dict.fromkeys(text(each, "mode") for each in results.rows))
    for m, mode in enumerate(modes):
        rows = [each for each in results.rows if text(each, "mode") == mode]
        keys = [key for key, value in rows[0].items()
                if key != "mode" and isinstance(value, (str, int, float)) and not isinstance(value, bool)]
        head = [th(PATH_HEADS.get(key, key)) for key in keys]
        if mode == "newton":
            head += [th("the paper, \u00b5s"), th("paper / ours")]
        lines = []
        for each in rows:
            cells = [td(text(each, key) or ("" if math.isnan(number(each, key)) else "%.6g" % number(each, key))) for key in keys]
            if mode == "newton":  # evaluation and orthogonalization: a step without back substitution
                paper = PAPER.time("both", text(each, "precision"), N, GPU)
                cells += [three_figures(paper), ratio(paper / number(each, "us"))]
            lines.append(row(*cells))
        name = "%s-%s-%d-%d" % (results.benchmark, "gpu" if results.gpu else "cpu", k, m + 1)
        said.append(table(name, PATH_TITLES.get(mode, "Paths."), [row(*head)], lines))
    return join(said) + provenance(results)
