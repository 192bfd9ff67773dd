"""HTML by construction: whatever is not markup already is escaped when it is put into an element."""

import html
import math


class Markup(str):
    """Text that is HTML already. What is added to it is escaped unless it is markup too."""

    def __add__(self, other):
        return Markup(str.__add__(self, escape(other)))


def escape(content):
    """Any text as HTML; markup stays as it is."""
    return content if isinstance(content, Markup) else Markup(html.escape(str(content), quote=True))


def join(parts):
    return Markup("".join(escape(part) for part in parts))


def element(name, *content, **attributes):
    """<name attributes>content</name>. An attribute's trailing underscore is dropped (class_), the others become hyphens."""
    said = "".join(' %s="%s"' % (key.rstrip("_").replace("_", "-"), escape(value))
                   for key, value in attributes.items() if value is not None)
    return Markup("<%s%s>%s</%s>" % (name, said, join(content), name))


def paragraph(*content, **attributes):
    return element("p", *content, **attributes) + "\n"


# ---- Cells

def td(*content, **attributes):
    return element("td", *content, **attributes)


def th(*content, **attributes):
    return element("th", *content, **attributes)


NONE = Markup('<td class="none"></td>')


def fixed(x, decimals):
    return td("%.*f" % (decimals, x)) if math.isfinite(x) else NONE


def three_figures(x):
    """A cell with a time: three figures that count."""
    return fixed(x, 4 if x < 0.1 else 3 if x < 1 else 2 if x < 10 else 1 if x < 100 else 0)


def ratio(x):
    """A cell with a ratio, such as 3.10x."""
    return td("%.*f\u00d7" % (2 if x < 10 else 1 if x < 100 else 0, x)) if math.isfinite(x) else NONE


def row(*cells):
    return element("tr", *cells) + "\n"


def table(name, caption, head, rows, class_=None):
    """A table in a box of its own, which scrolls where the window is too narrow. head: rows of the head; rows: one list per body."""
    bodies = rows if rows and isinstance(rows[0], list) else [rows]
    body = join(Markup("<tbody>\n%s</tbody>\n" % join(part)) for part in bodies)
    inner = Markup("<thead>%s</thead>\n%s" % (join(head).rstrip("\n"), body))
    title = element("p", caption, class_="caption", id=name + "-caption") if caption else Markup("")
    labelled = name + "-caption" if caption else None
    return Markup("%s\n%s\n" % (title, element(
        "div", element("table", Markup("\n"), inner, id=name, class_=class_, aria_labelledby=labelled),
        class_="scroll", tabindex="0")))


def section(name, title):
    return element("h2", title, id=name) + "\n"
