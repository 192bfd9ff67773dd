"""json_names.py DOC FILE... - does DOC (docs/json.md) describe every member of these results, and does each have its type?"""

import json
import re
import sys

BY_DATA = {"peers", "peer_errors", "lane_ops_per_ns", "paths_by_code", "cpuall_paths_by_code"}  # their names are data
FITS = {
    "string": lambda x: isinstance(x, str),
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "number": lambda x: x is None or (isinstance(x, (int, float)) and not isinstance(x, bool)),
    "boolean": lambda x: isinstance(x, bool),
    "object": lambda x: isinstance(x, dict),
    "list": lambda x: isinstance(x, list),
}


def types_of(document):
    """Name to type, from the rows of all tables: | `name`, `name` | type, type | meaning |."""
    found = {}
    for row in re.findall(r"^\| (`.*?`) \| (.*?) \|", document, re.M):
        names, types = re.findall(r"`([^`]+)`", row[0]), row[1].split(", ")
        for k, name in enumerate(names):
            found[name] = types[k if len(types) == len(names) else 0]
    return found


def faults_of(value, types, where):
    if isinstance(value, list):
        for entry in value:
            yield from faults_of(entry, types, where)
    if isinstance(value, dict):
        for name, member in value.items():
            expected = types.get(name)
            if expected is None:
                yield "%s: %s is not described" % (where, name)
            elif not FITS[expected.split()[0]](member) and not (member is None and "null" in expected):
                yield "%s: %s is %r, expected %s" % (where, name, member, expected)
            if name not in BY_DATA:
                yield from faults_of(member, types, where)


def main(document, *paths):
    with open(document, encoding="utf-8") as file:
        types = types_of(file.read())
    faults = set()
    for path in paths:
        with open(path, encoding="utf-8") as file:
            faults.update(faults_of(json.load(file), types, path.rsplit("/", 1)[-1]))
    for fault in sorted(faults):
        print(fault, file=sys.stderr)
    return 1 if faults or not paths else 0


sys.exit(main(*sys.argv[1:]))
