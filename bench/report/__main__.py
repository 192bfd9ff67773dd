"""What is made of the JSON of plumb-bench: Markdown tables, comparisons, the page about the paper, and checks.

    python3 bench/report table FILE...            Markdown tables
    python3 bench/report compare BEFORE AFTER     two files of one benchmark side by side
    python3 bench/report paper FILE... -o PAGE    the page with the paper's numbers next to ours (gnuplot draws its plots)
    python3 bench/report check FILE...            are these complete results of a benchmark?

plumb-bench runs this program for its commands of the same names. It needs Python 3.8 and nothing else, except gnuplot for
the page."""

import argparse
import os
import signal
import sys

from files import expect_distinct, replace
from results import Failure, Misuse, read, shown


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as the other programs of plumb do."""

    def error(self, message):
        raise Misuse(message)


def add_commands(parser):
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    table = commands.add_parser(
        "table", help="write Markdown tables from result files",
        description="Writes a Markdown table for each FILE that a benchmark wrote with --json.")
    table.add_argument("files", nargs="+", metavar="FILE")
    table.add_argument("--brief", action="store_true",
                       help="only the rows that matter most: arith, six operations in real dd and qd; lsq, complex with "
                            "n = 32, on a GPU one system after the other; eval, the system of the paper "
                            "(default: all rows)")
    table.add_argument("--headings", action="store_true", help="a heading for each benchmark (default: none)")
    table.add_argument("--summary", action="store_true",
                       help="two short tables instead: least squares on GPUs, and with n = 32 on processors")
    table.add_argument("--large", action="store_true",
                       help="large products and systems instead, on GPUs and on all cores of their computers")
    table.add_argument("--into", metavar="DOC",
                       help="replace what lies between two marker lines of DOC, '<!-- plumb bench table: begin -->' and "
                            "'<!-- plumb bench table: end -->' (default: standard output)")
    table.set_defaults(run=run_table)

    compare = commands.add_parser(
        "compare", help="put two result files of one benchmark side by side",
        description="Prints both times and their ratio for each row of two result files of one benchmark, and marks "
                    "rows that became slower. The exit status is 1 if there are any.")
    compare.add_argument("before", metavar="BEFORE")
    compare.add_argument("after", metavar="AFTER")
    compare.add_argument("--limit", type=float, default=5, metavar="PERCENT",
                         help="rows slower by more than this are marked (default: 5)")
    compare.add_argument("--times", metavar="NAMES",
                         help="which members to compare, separated by commas, such as us,launch_us "
                              "(default: all times of the machine that was measured)")
    compare.add_argument("-o", "--output", metavar="FILE", help="write to FILE (default: standard output)")
    compare.set_defaults(run=run_compare)

    check = commands.add_parser(
        "check", help="check that result files are complete and accurate",
        description="Checks that each FILE has all rows of its benchmark, with their times and with errors as small as they "
                    "must be. Each fault is one line, and the exit status is 1 if there are any.")
    check.add_argument("files", nargs="+", metavar="FILE")
    check.set_defaults(run=run_check)

    paper = commands.add_parser(
        "paper", help="draw the page with the paper's numbers next to ours",
        description="Draws one HTML page with every table and figure of Verschelde and Yoffe (2013), their numbers next to "
                    "those of FILEs, and a verdict on each of their statements. FILEs are results of 'plumb-bench "
                    "paper', one per machine; results of accuracy, lsq, eval, newton and track add to the page.")
    paper.add_argument("files", nargs="*", metavar="FILE")
    paper.add_argument("-o", "--output", metavar="FILE", help="write the page to FILE (default: standard output)")
    paper.add_argument("--plots", metavar="FOLDER",
                       help="also write the two plots of the summary there, quality-up.svg and speedup.svg (default: no)")
    paper.add_argument("--probe", action="store_true", help="only find out whether the page could be drawn here")
    paper.set_defaults(run=run_paper)
    return commands


def write(path, content):
    """Writes text to the file at path, or to standard output for None."""
    if path is None:
        sys.stdout.write(content)
    else:
        replace([(path, content)])


def run_table(options):
    import tables
    expect_distinct([options.into] if options.into else [], options.files)
    files = [read(path, sys.stdin) for path in options.files]
    if options.summary:
        content = tables.summary(files)
    elif options.large:
        content = tables.large(files)
    elif options.headings:
        content = tables.headed(files, options.brief)
    else:
        content = "".join(tables.markdown(results, options.brief) for results in files)
    if options.into is None:
        write(None, content)
    else:
        tables.put_into(options.into, content)
    return 0


def run_compare(options):
    from compare import Comparison
    expect_distinct([options.output] if options.output else [], [options.before, options.after])
    times = options.times.split(",") if options.times else None
    comparison = Comparison(read(options.before, sys.stdin), read(options.after, sys.stdin), times)
    if not comparison.lines:
        raise Failure("%s and %s have no times in common" % (options.before, options.after))
    write(options.output, comparison.markdown(options.limit))
    return 1 if comparison.slower(options.limit) else 0


def run_check(options):
    from check import faults
    count = 0
    for path in options.files:
        for fault in faults(read(path, sys.stdin)):
            print(shown("%s: %s" % (path, fault)), file=sys.stderr)
            count += 1
    return 1 if count else 0


def run_paper(options):
    from page import Page
    from plots import gnuplot
    gnuplot("")
    if options.probe:
        return 0
    if not options.files:
        raise Misuse("expected at least one file of results")
    page = Page([read(path, sys.stdin) for path in options.files])
    content = page.draw()
    files = [(os.path.join(options.plots, name), plot) for name, plot in page.summary_plots()] if options.plots else []
    if options.output is not None:
        files.append((options.output, content))
    expect_distinct([path for path, _ in files], options.files)
    replace(files)
    if options.output is None:
        sys.stdout.write(content)
    return 0


def main(arguments):
    name = "plumb-bench"
    parser = Parser(prog=name, description="Makes tables, comparisons and pages from the results of plumb-bench.")
    commands = add_commands(parser)
    if arguments and arguments[0] in commands.choices:
        name += " " + arguments[0]
    try:
        options = parser.parse_args(arguments)
        if options.command is None:
            raise Misuse("expected a command: %s" % ", ".join(commands.choices))
        status = options.run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on: that is no error
        return 1
    except Failure as failure:
        print("%s: %s" % (name, shown(failure)), file=sys.stderr)
        return failure.status


signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends without a traceback
sys.exit(main(sys.argv[1:]))
