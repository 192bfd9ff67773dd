"""declare.py HEADER - prints the declarations of plumb.h for ctypes: the module plumb/_abi.py of the wheel.

Constants lose their prefix (PLUMB_OP_ADD becomes OP_ADD), structs become classes (plumb_lsq_options becomes
LsqOptions), and FUNCTIONS has the result and the parameters of every function. Objects, views, structs and arrays are
passed as addresses (c_void_p, which takes None, an integer and byref()). tests/test_abi.py compares all of it with what
the compiler says about the header.
"""

import re
import sys

SCALARS = {"int32_t": "c_int32", "int64_t": "c_int64", "uint64_t": "c_uint64", "size_t": "c_size_t",
           "double": "c_double", "int": "c_int", "char": "c_char", "plumb_stream": "c_void_p",
           "plumb_info": "c_int64", "plumb_status": "c_int"}


def class_name(name):
    return "".join(word.capitalize() for word in name.split("_")[1:])


def constants_of(text):
    """The enumerators of all enums and lists, as pairs of name and value."""
    found = []
    for body in re.findall(r"#define PLUMB_\w+_LIST\(X\)((?:.*\\\n)*.*)", text):
        found += [(name, value) for value, name in enumerate(re.findall(r"X\((PLUMB_\w+)", body))]
    for body in re.findall(r"enum\s*\{([^}]*)\}\s*;", text):
        value = -1
        for item in filter(None, (item.strip() for item in body.split(","))):
            name, _, given = item.partition("=")
            value = int(given) if given else value + 1
            found.append((name.strip(), value))
    return found


CALLBACKS = []  # the names of types of functions


def type_of(words, structs, enums):
    """The ctypes type of a C type without its pointers and the names of its declarator."""
    name = words.replace("const", "").replace("struct", "").strip()
    if name in SCALARS:
        return SCALARS[name]
    if name in structs or name in CALLBACKS:
        return class_name(name)
    if name in enums:
        return "c_int"
    raise SystemExit(f"declare.py: the type '{words}' is not known")


def fields_of(body, structs, enums):
    fields = []
    for declaration in filter(None, (part.strip() for part in body.split(";"))):
        callback = re.fullmatch(r"(\w+)\s+\(\*(\w+)\)\((.*)\)", declaration, re.DOTALL)
        if callback:
            result, name, parameters = callback.groups()
            kinds = [parameter_type(parameter, structs, enums) for parameter in parameters.split(",")]
            result = "None" if result == "void" else SCALARS[result]
            fields.append((name, f"CFUNCTYPE({', '.join([result] + kinds)})"))
            continue
        base, first = re.fullmatch(r"((?:const\s+)?(?:struct\s+)?\w+)\s+(.*)", declaration, re.DOTALL).groups()
        for declarator in first.split(","):
            pointer, name, lengths = re.fullmatch(r"\s*((?:\*\s*(?:const\s*)?)*)(\w+)((?:\[\w+\])*)\s*",
                                                  declarator).groups()
            if pointer:
                kind = "c_char_p" if "char" in base else "c_void_p"
            else:
                kind = type_of(base, structs, enums)
            for length in re.findall(r"\[(\w+)\]", lengths):
                kind = f"{kind} * {length}"
            fields.append((name, kind))
    return fields


def parameter_type(parameter, structs, enums):
    if "*" in parameter:
        return "c_void_p"
    return type_of(parameter.rsplit(None, 1)[0], structs, enums)


def main(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    print('"""The declarations of plumb.h for ctypes, made by declare.py: do not edit."""\n')
    print("from ctypes import CFUNCTYPE, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t")
    print("from ctypes import c_uint64, c_void_p\n")
    for name, value in constants_of(text):
        print(f"{name[len('PLUMB_'):]} = {value}")
    bodies = re.findall(r"typedef struct (plumb_\w+) \{(.*?)\n\} \1;", text, re.DOTALL)
    structs = [name for name, _ in bodies]
    enums = re.findall(r"\} (plumb_\w+);\n#undef", text)
    for result, name, parameters in re.findall(r"typedef (\w+) \(\*(plumb_\w+)\)\(([^;]*)\);", text):
        kinds = [parameter_type(parameter, structs, enums) for parameter in parameters.split(",")]
        CALLBACKS.append(name)
        print(f"\n{class_name(name)} = CFUNCTYPE({', '.join(['None' if result == 'void' else SCALARS[result]] + kinds)})")
    for name, body in bodies:
        print(f"\n\nclass {class_name(name)}(Structure):\n    _fields_ = [")
        for field, kind in fields_of(body, structs, enums):
            print(f'        ("{field}", {kind}),')
        print("    ]")
    print("\n\nSTRUCTS = {" + ", ".join(f'"{name}": {class_name(name)}' for name in structs) + "}")
    print("\nFUNCTIONS = {")
    for result, name, parameters in re.findall(r"PLUMB_API ([^;()]*?)(plumb_\w+)\(([^;]*)\);", text, re.DOTALL):
        result = result.replace("PLUMB_USE_RESULT", "").strip()
        kind = ("None" if result == "void" else "c_char_p" if result == "const char *" else
                "c_void_p" if result.endswith("*") else type_of(result, structs, enums))
        inside = [] if parameters.strip() == "void" else [parameter_type(parameter, structs, enums)
                                                          for parameter in parameters.split(",")]
        print(f'    "{name}": ({kind}, [{", ".join(inside)}]),')
    print("}")


if __name__ == "__main__":
    main(sys.argv[1])
