"""Settings of Sphinx. scripts/docs copies the pages into one folder, adds the references that it generates, and builds the site there.

Sphinx with MyST, because the pages are Markdown that GitHub shows as well, and because Sphinx has a search that needs no server and
directives for C and Python. Everything comes from Debian's packages, and the site loads nothing from the network.
"""

import os
import pathlib

project = "plumb"
author = "The plumb authors"
copyright = "the plumb authors, BSD 3-Clause"
release = version = os.environ["PLUMB_VERSION"]

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_*"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the signatures would be longer than the descriptions
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"plumb {version}"
html_static_path = ["_static"]
html_css_files = ["plumb.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "monokai"


def describe_parameters(app, what, name, thing, options, lines):
    """The parameters in a docstring, as a list of definitions: "name : text" and indented lines that go on."""
    if "Parameters" not in lines:
        return
    at = lines.index("Parameters")
    del lines[at:at + 2]
    while at < len(lines) and lines[at]:
        if not lines[at].startswith(" "):
            names, _, text = lines[at].partition(" : ")
            lines[at:at + 1] = ["**" + names.replace("*", "\\*") + "**", "    " + text]
            at += 1
        at += 1


def complete_theme(app, exception):
    """Debian's furo leaves its script in two files that only a server can join; its style asks for a file in /javascript, and has dark colours
    only where they are chosen, not where the screen prefers them."""
    static = pathlib.Path(app.outdir) / "_static"
    script, style = static / "scripts" / "furo.js", static / "styles" / "furo.css"
    if exception or not script.exists() or not script.read_text().startswith("import "):
        return
    _, _, rest = script.read_text().partition("\n")
    script.write_text((static / "scripts" / "gumshoe-patched.js").read_text() + rest)
    text = "".join(line for line in style.read_text().splitlines(True) if not line.startswith("@import url(/javascript/"))
    _, found, dark = text.partition("@media not print {\n  body[data-theme=\"dark\"]")
    if found and "(prefers-color-scheme: dark)" not in text:
        dark = (found + dark.partition("\n\n")[0]).replace("@media not print", "@media screen and (prefers-color-scheme: dark)")
        text += "\n" + dark.replace("[data-theme=\"dark\"]", ":not([data-theme=\"light\"])") + "\n"
    style.write_text(text)


def setup(app):
    app.connect("autodoc-process-docstring", describe_parameters)
    app.connect("build-finished", complete_theme)
