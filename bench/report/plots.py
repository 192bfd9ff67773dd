"""Bar plots as SVG, drawn by gnuplot. Everything that varies reaches gnuplot as data, never as commands. It draws in marker colours,
which become CSS variables (--ink, --grid, --bar1 and so on), so that one drawing serves light, dark and print."""

import math
import re
import subprocess

from paper import ALL_CORES, DD_SIZES, D_SIZES, GPU, N, ONE_CORE, PRECISIONS, ThePaper, seconds
from results import Failure

PAPER_CORE, PAPER_GPU, OUR_CORE, OUR_CORES, OUR_GPU = range(1, 6)  # colours
INK, GRID = "#010101", "#020202"  # markers; those of bars are 16k 0 0 in hexadecimal
SECONDS = "seconds for 10,000 runs"
FASTER = 1.05  # all cores count as faster than one if they are so by more than this


class Plot:
    def __init__(self, name, x, y, groups):
        self.name, self.x, self.y, self.groups = name, x, y, groups
        self.series = []  # (title, colour, values)
        self.caption = ""
        self.svg = None

    def add(self, title, colour, values):
        values = [v if math.isfinite(v) and v > 0 else None for v in values]
        if any(v is not None for v in values):
            self.series.append((title, colour, values))


# ---- gnuplot

def quoted(words):
    """A text as one field of a gnuplot data block."""
    return '"%s"' % re.sub(r'["\\\x00-\x1f]', " ", str(words))


SETTINGS = """set datafile missing '?'
set border 3 linecolor rgb '{ink}'
set key outside top center horizontal textcolor rgb '{ink}' noenhanced
set tics nomirror scale 0.5 textcolor rgb '{ink}'
set grid ytics linecolor rgb '{grid}'
set style data histograms
set style histogram clustered gap 1
set style fill solid noborder
set boxwidth 0.9
set logscale y
set format y '%g'
""".format(ink=INK, grid=GRID)


def script(plots):
    """Commands with one data block per plot: titles of the series in its first line, then one line per group of bars."""
    lines = [SETTINGS]
    for k, plot in enumerate(plots):
        lines.append("$plot%d << EOD" % k)
        lines.append(" ".join([quoted("")] + [quoted(title) for title, _, _ in plot.series]))
        for g, group in enumerate(plot.groups):
            lines.append(" ".join([quoted(group)] + ["?" if values[g] is None else "%.6g" % values[g]
                                                     for _, _, values in plot.series]))
        smallest = min(v for _, _, values in plot.series for v in values if v is not None)
        bars = ", ".join("$plot%d using %d:xtic(1) title columnheader(%d) linecolor rgb '#%02x0000'" % (
            k, s + 2, s + 2, 16 * colour) for s, (_, colour, _) in enumerate(plot.series))
        lines += ["EOD", "set output", "set terminal svg size 760,400 dynamic font 'sans-serif,14' noenhanced",
                  "set xlabel '%s' textcolor rgb '%s'" % (plot.x, INK), "set ylabel '%s' textcolor rgb '%s'" % (plot.y, INK),
                  "set yrange [%g:*]" % 10 ** math.floor(math.log10(smallest)), "plot " + bars]
    return "\n".join(lines) + "\n"


def gnuplot(commands):
    try:
        done = subprocess.run(["gnuplot", "-"], input=commands, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              encoding="utf-8", check=False)
    except FileNotFoundError:
        raise Failure("gnuplot was not found: install it, or write the results with -o FILE.json and draw the page "
                      "from them elsewhere") from None
    except OSError as error:
        raise Failure("gnuplot could not be started: %s" % error.strerror) from None
    if done.returncode != 0:
        raise Failure("gnuplot failed to draw the plots")
    return done.stdout


def adapted(svg):
    """Markers become variables; parts that an inline drawing does without are left out: symbols, tooltips, and identifiers that
    would occur twice in a page."""
    def colour(match):
        r, g, b = (int(part) for part in match.groups())
        if (r, g, b) == (1, 1, 1):
            return "var(--ink)"
        if (r, g, b) == (2, 2, 2):
            return "var(--grid)"
        return "var(--bar%d)" % (r // 16) if g == b == 0 and r % 16 == 0 else match.group(0)

    svg = re.sub(r"<(defs|title|desc)>.*?</\1>| (?:id|class)=\"[^\"]*\"", "", svg, flags=re.S)
    return re.sub(r"rgb\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)", colour, svg)


def draw(plots):
    """Fills in the drawings, by one run of gnuplot."""
    if not plots:
        return
    found = re.findall(r"<svg.*?</svg>", gnuplot(script(plots)), flags=re.S)
    if len(found) != len(plots):
        raise Failure("gnuplot drew %d plots, expected %d" % (len(found), len(plots)))
    for plot, svg in zip(plots, found):
        plot.svg = adapted(svg)


def alone(plot, colours):
    """The drawing as a file that can stand alone; colours: CSS with the variables, first for light screens, then for dark ones. The light
    ones become plain attributes, which every renderer knows, on white paper; a style replaces them on dark screens."""
    light, dark = (dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]+)", part)) for part in colours.split("@media", 1))
    svg = re.sub(r"var\(--([a-z0-9]+)\)", lambda match: light[match.group(1)], plot.svg)
    begin, tag, rest = svg.partition(">")
    rules = ["  .paper { fill: %s }" % dark.get("paper", "#14181d")]
    for name in sorted({name for name in re.findall(r"var\(--([a-z0-9]+)\)", plot.svg)}):
        rules.append("  [fill='%s'] { fill: %s } [stroke='%s'] { stroke: %s }" % (light[name], dark[name], light[name], dark[name]))
    return "%s%s\n<style>\n@media screen and (prefers-color-scheme: dark) {\n%s\n}\n</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%s\n" % (
        begin, tag, "\n".join(rules), rest)


# ---- What is drawn

def all_cores_bars(machine, bars):
    """Times of all cores, None where they are no faster than one core, and the names of those groups."""
    values, same = [], []
    for work, prec, n, group in bars:
        one, every = (machine.time(work, prec, n, how) for how in (ONE_CORE, ALL_CORES))
        faster = one > FASTER * every
        if not faster and math.isfinite(every):
            same.append(group)
        values.append(seconds(every) if faster else math.nan)
    return values, same


def say_same(same, count, what="n = "):
    """Why bars of all cores are missing, in words."""
    if not same:
        return ""
    where = "here" if len(same) == count else "for %s%s" % (what, ", ".join(same))
    return " There is no bar for all cores %s: they are no faster than one core, because a single small problem is not " \
           "divided among threads." % where


def figure(machine, name, what, bars, x):
    """One figure of the paper; bars: (work, precision, n, name of the group)."""
    plot = Plot(name, x, SECONDS, [group for _, _, _, group in bars])
    paper = ThePaper()
    for title, colour, source, how in (("one core, 2013", PAPER_CORE, paper, ONE_CORE), ("GPU, 2013", PAPER_GPU, paper, GPU),
                                       ("one core", OUR_CORE, machine, ONE_CORE)):
        plot.add(title, colour, [seconds(source.time(work, prec, n, how)) for work, prec, n, _ in bars])
    values, same = all_cores_bars(machine, bars)
    plot.add("all cores", OUR_CORES, values)
    plot.add("GPU", OUR_GPU, [seconds(machine.time(work, prec, n, GPU)) for work, prec, n, _ in bars])
    plot.caption = "%s: %s, %s; 2013: the paper. Logarithmic scale.%s" % (
        what, machine.name, machine.date, say_same(same, len(bars), "n = " if x == "n" else ""))
    return plot


def figures(machine, number):
    """The figures of the paper with the bars of one machine."""
    def solve(prec, sizes):
        return [("solve", prec, n, str(n)) for n in sizes]

    parts = (("eval", "PE"), ("qr", "MGS"), ("both", "both"))
    return [
        figure(machine, "table3-%d" % number, "The figure of Table 3, orthogonalization of 32 complex vectors",
               [("qr", prec, N, "complex " + prec) for prec in PRECISIONS], ""),
        figure(machine, "table4-%d" % number, "The figure of Table 4, solving in complex double", solve("d", D_SIZES), "n"),
        figure(machine, "table5-dd-%d" % number, "The first figure of Table 5, solving in complex double double",
               solve("dd", DD_SIZES), "n"),
        figure(machine, "table5-qd-%d" % number, "The second figure of Table 5, solving in complex quad double",
               solve("qd", DD_SIZES), "n"),
        figure(machine, "table6-%d" % number, "The figure of Table 6, evaluation, orthogonalization and both",
               [(work, prec, N, "%s %s" % (part, prec)) for work, part in parts for prec in PRECISIONS], ""),
    ]


def summaries(machine):
    """The two plots at the head of the page, for its first machine."""
    paper = ThePaper()

    def times(source, prec, how):
        return [source.time("solve", prec, n, how) for n in DD_SIZES]

    def over(source, prec, how, against):
        return [slow / fast for slow, fast in zip(times(source, prec, against), times(source, prec, how))]

    groups = [str(n) for n in DD_SIZES]
    source = "%s, %s; 2013: the paper. Logarithmic scale." % (machine.name, machine.date)
    quality = Plot("quality-up", "n", SECONDS, groups)
    for title, colour, which, prec, how in (
            ("dd, one core, 2013", PAPER_CORE, paper, "dd", ONE_CORE), ("qd, GPU, 2013", PAPER_GPU, paper, "qd", GPU),
            ("dd, one core", OUR_CORE, machine, "dd", ONE_CORE), ("qd, all cores", OUR_CORES, machine, "qd", ALL_CORES),
            ("qd, GPU", OUR_GPU, machine, "qd", GPU)):
        quality.add(title, colour, [seconds(us) for us in times(which, prec, how)])
    quality.caption = "Quality up: quad doubles on the GPU compared with double doubles on one core, solving complex systems. " + source

    speedup = Plot("speedup", "n", "times faster", groups)
    speedup.add("dd, GPU over one core, 2013", PAPER_CORE, over(paper, "dd", GPU, ONE_CORE))
    speedup.add("qd, GPU over one core, 2013", PAPER_GPU, over(paper, "qd", GPU, ONE_CORE))
    if machine.has_gpu:
        speedup.add("dd, GPU over one core", OUR_CORE, over(machine, "dd", GPU, ONE_CORE))
        speedup.add("qd, GPU over one core", OUR_GPU, over(machine, "qd", GPU, ONE_CORE))
        ratios = over(machine, "qd", ALL_CORES, ONE_CORE)
        same = [str(n) for n, times_faster in zip(DD_SIZES, ratios) if times_faster <= FASTER]
        speedup.add("qd, GPU over all cores", OUR_CORES,
                    [v if r > FASTER else math.nan for v, r in zip(over(machine, "qd", GPU, ALL_CORES), ratios)])
        speedup.caption = "Speedup of the GPU, solving complex systems. %s%s" % (source, say_same(same, len(groups)))
    else:
        speedup.add("dd, all cores over one core", OUR_CORE, over(machine, "dd", ALL_CORES, ONE_CORE))
        speedup.add("qd, all cores over one core", OUR_CORES, over(machine, "qd", ALL_CORES, ONE_CORE))
        speedup.caption = "Speedup of all cores, solving complex systems. " + source
    return [quality, speedup]
