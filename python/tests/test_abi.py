"""The declarations that declare.py makes from plumb.h are what the compiler sees: constants, sizes and offsets of structs, numbers of parameters."""

import ctypes
import pathlib
import re
import subprocess

import pytest

from plumb import _abi, _library

HEADER = pathlib.Path(__file__).parents[2] / "include" / "plumb.h"


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    """What the compiler says about the header: "sizeof NAME", "NAME.FIELD" (offset and size) and constants."""
    folder = tmp_path_factory.mktemp("abi")
    lines = ["#include <plumb.h>", "#include <stdio.h>", "int main(void) {"]
    for name, struct in _abi.STRUCTS.items():
        lines.append(f'printf("sizeof {name} %zu\\n", sizeof({name}));')
        for field, *_ in struct._fields_:
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
    for name in constants():
        lines.append(f'printf("PLUMB_{name} %d\\n", (int)PLUMB_{name});')
    lines.append("}")
    source = folder / "facts.c"
    source.write_text("\n".join(lines))
    subprocess.run(["cc", "-std=c11", f"-I{HEADER.parent}", str(source), "-o", str(folder / "facts")], check=True)
    said = subprocess.run([str(folder / "facts")], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in said.splitlines():
        key, *values = line.replace("sizeof ", "sizeof_").split()
        found[key] = tuple(map(int, values))
    return found


def constants():
    return [name for name in vars(_abi) if re.fullmatch(r"[A-Z][A-Z0-9_]*", name)
            and isinstance(getattr(_abi, name), int)]


def test_constants(facts):
    assert len(constants()) > 60
    for name in constants():
        assert facts[f"PLUMB_{name}"] == (getattr(_abi, name),), name


def test_structs(facts):
    for name, struct in _abi.STRUCTS.items():
        assert facts[f"sizeof_{name}"] == (ctypes.sizeof(struct),), name
        for field, *_ in struct._fields_:
            descriptor = getattr(struct, field)
            assert facts[f"{name}.{field}"] == (descriptor.offset, descriptor.size), f"{name}.{field}"


def test_every_field_of_a_struct_is_declared():
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    assert set(re.findall(r"typedef struct (plumb_\w+) \{", text)) == set(_abi.STRUCTS)
    for name, struct in _abi.STRUCTS.items():
        body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (name, name), text, re.DOTALL).group(1)
        fields = []
        for declaration in body.split(";"):
            pointer = re.search(r"\(\*(\w+)\)\(", declaration)
            if pointer:
                fields.append(pointer.group(1))
                continue
            declaration = re.sub(r"\[[^]]*\]", "", declaration).strip()
            if declaration:
                first, *more = declaration.split(",")
                fields += [re.search(r"(\w+)\s*$", part).group(1) for part in [first, *more]]
        assert fields == [field for field, *_ in struct._fields_], name


def test_functions():
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    assert text.count("PLUMB_API ") - text.count("define PLUMB_API ") == len(_abi.FUNCTIONS)
    for name, (result, parameters) in _abi.FUNCTIONS.items():
        found = re.search(r"PLUMB_API ([^;]*?)\b%s\(([^;]*)\);" % name, text, re.DOTALL)
        assert found, f"{name} is not in the header"
        inside = found.group(2).strip()
        count = 0 if inside == "void" else inside.count(",") + 1
        assert count == len(parameters), name
        returns = found.group(1).replace("PLUMB_USE_RESULT", "").strip()
        expected = {"plumb_status": ctypes.c_int, "void": None, "const char *": ctypes.c_char_p,
                    "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "plumb_format": ctypes.c_int,
                    "const plumb_system *": ctypes.c_void_p, "const plumb_digits *": ctypes.c_void_p, "const plumb_solutions *": ctypes.c_void_p}[returns]
        assert result is expected, name
        for parameter, kind in zip(inside.split(","), parameters):
            if "*" in parameter or "plumb_stream" in parameter:
                assert kind is ctypes.c_void_p, f"{name}: {parameter}"
            else:
                word = parameter.split()[-2]
                assert kind is {"int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "size_t": ctypes.c_size_t,
                                "double": ctypes.c_double, "uint64_t": ctypes.c_uint64}.get(word, ctypes.c_int), \
                    f"{name}: {parameter}"


def test_statuses_have_exceptions():
    for status in range(1, _abi.ERR_STOPPED + 1):
        error = _library.make_error(status, "")
        assert isinstance(error, _library.Error) and error.status == status and str(error)
