"""Markdown tables. Every text from a result file passes through escape()."""

import math
import re


def escape(word):
    """Text from outside as plain Markdown text: nothing in it is markup, and it stays inside its cell."""
    word = str(word).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    word = re.sub(r"([\\|`*\[\]]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))", r"\\\1", word)
    return " ".join(word.split())


def cell(x, mark=""):
    """A number with three figures that count, followed by mark; an empty string for NaN."""
    if math.isnan(x):
        return ""
    decimals = 0 if x >= 100 else 1 if x >= 10 else 2 if x >= 0.1 or x == 0 else 3 if x >= 0.01 else 4
    return "%.*f%s" % (decimals, x, mark)


def error_cell(x):
    return "" if math.isnan(x) else "%.0e" % x


def table(head, align, rows):
    """The lines of a table. align has one letter per column, l or r. Cells are Markdown already."""
    rules = {"l": "---", "r": "---:"}
    lines = ["|" + "".join(" %s |" % h if h else " |" for h in head),
             "|" + "".join(rules[a] + "|" for a in align)]
    return lines + ["|" + "".join(" %s |" % c if c else " |" for c in row) for row in rows]
