"""The C reference from plumb.h, one page per section of the header: a comment describes the declarations that follow it without an
empty line between. Names that the header declares become links."""

import re


def sections_of(text):
    """The comment of the file, and pairs of title and lines."""
    introduction = re.match(r"/\*(.*?)\*/", text, re.DOTALL).group(1)
    parts = re.split(r"^/\* -{4} (.*?) -+ \*/$", text.split('extern "C" {', 1)[1], flags=re.MULTILINE)
    last = parts[-1].split("#ifdef __cplusplus")[0]
    return introduction, list(zip(parts[1::2], parts[2:-1:2] + [last]))


def comment_text(comment):
    """A comment without its frame."""
    lines = comment.strip()[2:-2].split("\n")
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in lines).strip()


def items_of(section):
    """(description, declarations) in order; a declaration is a text that ends with ';', or a macro that lists names."""
    found, comment, fresh = [], None, True
    lines = section.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        first = at
        if not line.strip():
            fresh = True
        elif line.startswith("/*"):
            while not lines[at].rstrip().endswith("*/"):
                at += 1
            comment, fresh = comment_text("\n".join(lines[first:at + 1])), True
        else:
            if line.startswith("#"):
                while lines[at].endswith("\\"):
                    at += 1
            else:
                while not ends("\n".join(lines[first:at + 1])):
                    at += 1
            text = "\n".join(lines[first:at + 1])
            if not line.startswith("#") or "_LIST(X)" in line:
                if fresh:
                    found.append((comment or "", []))
                    comment, fresh = None, False
                found[-1][1].append(text)
        at += 1
    return found


def ends(text):
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return "/*" not in bare and bare.count("{") == bare.count("}") and bare.rstrip().endswith(";") or bare.rstrip().endswith("_ENUM)") or "PLUMB_STATUS_COUNT" in bare


class Reference:
    def __init__(self, text):
        self.introduction, sections = sections_of(text)
        self.pages = [(title, re.sub(r"\W+", "-", title.lower()), items_of(section)) for title, section in sections]
        self.functions, self.types = set(), set()
        for _, _, items in self.pages:
            for _, declarations in items:
                for one in declarations:
                    kind, name = kind_of(one)
                    if kind == "function":
                        self.functions.add(name)
                    elif kind != "other":
                        self.types.add(name)

    def prose(self, text):
        """Text of a comment in the markup of Sphinx: paragraphs, with links."""
        def word(match):
            name = match.group(0)
            if name in self.functions:
                return f"\\ :c:func:`{name}`\\ "
            if name in self.types:
                return f"\\ :c:type:`{name}`\\ "
            return f"\\ ``{name}``\\ "
        made = []
        for piece in re.split(r"(\b(?:plumb|PLUMB)_\w+|\"[^\"\n]*\")", text):
            if re.match(r"(plumb|PLUMB)_\w+$", piece):
                made.append(re.sub(r".+", word, piece))
            else:
                made.append(re.sub(r"([\\*`_|])", r"\\\1", piece))
        return "".join(made)

    def introduction_page(self):
        lines = [re.sub(r"^ \* ?", "", line) for line in self.introduction.split("\n")]
        body = "\n".join(lines[1:]).strip("\n")
        return ("C reference\n===========\n\n``#include <plumb.h>``, the only public header; these pages are made from it.\n\n"
                + self.prose(body) + "\n\n.. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   c/{slug}\n" for _, slug, _ in self.pages))

    def page(self, title, items):
        made = [title, "=" * len(title), ""]
        for description, declarations in items:
            functions = [one for one in declarations if kind_of(one)[0] == "function"]
            if functions and len(functions) == len(declarations):
                made += self.directive("function", functions, description)
                continue
            for one in declarations:
                kind, name = kind_of(one)
                if kind == "function":
                    made += self.directive("function", [one], "")
                elif kind == "other":
                    made += [self.prose(description), "", ".. code-block:: c", "", indent(one, 3), ""]
                else:
                    made += self.directive(kind, [one], description)
                    if "{" in one:
                        made += ["   .. code-block:: c", "", indent(one, 6), ""]
                description = ""
        return "\n".join(made)

    def directive(self, kind, declarations, description):
        signatures, remarks = [], []
        for one in declarations:
            remarks += [re.sub(r"\s+", " ", text.strip()) for text in re.findall(r"/\*(.*?)\*/", one, re.DOTALL)] if kind == "function" else []
            signatures.append(signature_of(kind, one))
        paragraphs = [description] if description else []
        paragraphs += remarks
        head = f".. c:{kind}:: " + ("\n" + " " * (len(kind) + 8)).join(signatures)
        return [head, "", indent("\n\n".join(self.prose(text) for text in paragraphs), 3), ""]


def indent(text, by):
    return "\n".join(" " * by + line if line.strip() else "" for line in text.split("\n"))


def kind_of(declaration):
    bare = re.sub(r"/\*.*?\*/", "", declaration, flags=re.DOTALL)
    opaque = re.match(r"typedef struct (\w+) (\w+);", bare)
    body = re.match(r"typedef (struct|enum) (\w+) \{", bare)
    callback = re.match(r"typedef .*\(\*(\w+)\)\(", bare)
    other = re.match(r"typedef .*?(\w+);", bare)
    function = re.match(r"PLUMB_API .*?(\w+)\(", bare, re.DOTALL)
    if opaque:
        return "struct", opaque.group(1)
    if body:
        return body.group(1), body.group(2)
    if callback:
        return "type", callback.group(1)
    if function:
        return "function", function.group(1)
    if other:
        return "type", other.group(1)
    return "other", ""


def signature_of(kind, declaration):
    bare = re.sub(r"/\*.*?\*/", "", declaration, flags=re.DOTALL)
    bare = re.sub(r"\s+", " ", re.sub(r"PLUMB_(API|USE_RESULT)\b", "", bare)).strip().rstrip(";").strip()
    if kind in ("struct", "enum"):
        return kind_of(declaration)[1]
    return bare.replace("typedef ", "", 1) if kind == "type" else bare


def write(header, folder):
    """Writes c.rst and c/*.rst."""
    reference = Reference(header.read_text())
    (folder / "c").mkdir(parents=True, exist_ok=True)
    (folder / "c.rst").write_text(reference.introduction_page())
    for title, slug, items in reference.pages:
        (folder / "c" / f"{slug}.rst").write_text(reference.page(title, items))
