"""The page of a run: page.html of the package is the page of ``plumb solve --html`` and ``plumb decompose --html``, and data_of,
data_of_family and data_of_components have the members that page.c in src/cli/solve, family and decompose writes. Whatever is shown goes
through JSON and textContent, or is escaped, so that no name becomes markup."""

from __future__ import annotations

import html
import json
import math
import pathlib
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _abi, _numbers
from ._library import lib
from ._version import __version__

if TYPE_CHECKING:
    from ._decompose import Components
    from ._family import FamilySolutions
    from ._solutions import Solution, Solutions

MOST_ROWS, MOST_TEXT = 100000, 200000  # solutions, and characters of equations
SHORT_ROWS, SHORT_UNKNOWNS = 20, 8  # of the short form

# How paths end, as src/app/account.c says it: name, meaning, and the field of the report.
ACCOUNT = [("regular", "ended at regular solutions, each at a different one", "regular"),
           ("singular", "ended at singular isolated solutions or clusters, counted with multiplicity", "singular"),
           ("at infinity", "went to infinity", "infinite"),
           ("", "", "beyond"),
           ("not isolated", "ended on solution sets of positive dimension", "not_isolated"),
           ("extraneous", "ended at points that do not solve the given equations", "extraneous"),
           ("undecided", "ended, but it is not known in which of these ways", "undecided"),
           ("failed", "did not end, or share the regular endpoint of another path", ""),
           ("not tracked", "were not tracked to their ends", "unfinished")]
FAR_OUT = ("given up far out", "were given up far out, where roots or infinity take too many steps")
BEYOND = ("beyond --largest", "ended beyond the largest size that was asked for, or were given up on the way there")


def account(report: Dict[str, Any], largest: float) -> List[Tuple[str, int, str]]:
    """How the paths ended: name, number, and the meaning of the name."""
    found = []
    for name, meaning, field in ACCOUNT:
        count = report[field] if field else report["failed"] - report["unfinished"]
        if field == "beyond":
            name, meaning = FAR_OUT if math.isinf(largest) else BEYOND
        found.append((name, int(count), meaning))
    return found


# ---- What is proven ---------------------------------------------------------------------------------------------------


def certificate_words(proof: Dict[str, Any]) -> str:
    """ "certified, real, distinct". """
    words = [json.loads(proof["json"])["verdict"] if proof["json"] else proof["status"]]
    if proof["bits"]:
        words.append("positive" if proof["positive"] else {True: "real", False: "not real", None: "real or not"}[proof["real"]])
        words.append({True: "distinct", None: "distinct or not"}.get(proof["distinct"], f"same as {(proof['same_as'] or 0) + 1}"))
    return ", ".join(words)


def bound(solutions: Solutions) -> Optional[Tuple[str, int]]:
    """A proven upper bound of the number of isolated solutions, by name: the numbers of paths of start systems are such bounds."""
    report = solutions.report
    if not report or report["squared"] > 0:
        return None
    simplified = report["eliminated"] + report["lowered"] > 0
    known = [("Bezout number after elimination" if simplified else "Bezout number", report["total_degree"]),
             ("multi-homogeneous Bezout number", report["multihomogeneous"]),
             ("number of polyhedral paths", -1 if (solutions._origin is not None and solutions._origin.nonzero) else report["polyhedral"]),
             ("number of roots of the triangular system", report["paths"] if report["direct"] > 1 else -1)]
    known = [one for one in known if one[1] >= 0]
    return min(known, key=lambda one: one[1]) if known else None


def count_certified(solutions: Solutions) -> Dict[str, int]:
    proofs = [proof for proof in solutions._certificates or [] if proof and proof["bits"]]
    distinct = [proof for proof in proofs if proof["distinct"]]
    return {"distinct": len(distinct), "real": sum(proof["real"] is True for proof in distinct),
            "unknown": sum(proof["real"] is None for proof in distinct), "squared": sum(not proof["certified"] for proof in proofs)}


def proven_line(solutions: Solutions) -> str:
    """ "4 certified distinct isolated solutions (4 real) = Bezout number 4: complete", or what is proven instead. """
    counts, most = count_certified(solutions), bound(solutions)
    plural = "" if counts["distinct"] == 1 else "s"
    if counts["squared"]:
        return f"{counts['distinct']} distinct zero{plural} of the squared-up system; that all given equations vanish there is not proven"
    complete = most is not None and counts["distinct"] == most[1]
    line = (f"{'' if complete else 'at least '}{counts['distinct']} certified distinct isolated solution{plural} "
            f"({'at least ' if counts['unknown'] else ''}{counts['real']} real)")
    if most is None:
        return line
    return line + (f" = {most[0]} {most[1]}: complete" if complete else f", at most {most[1]} ({most[0]})")


# ---- Numbers -----------------------------------------------------------------------------------------------------------


def _part(limbs: List[float], error: float) -> str:
    """A part of a number with an absolute error: the digits that are known; "0" if none is."""
    size = abs(limbs[0])
    if not size > error:
        return "0"
    most = math.floor(53 * len(limbs) * math.log10(2))
    known = math.floor(math.log10(size / error)) if error > 0 else most
    return _numbers.write(limbs, len(limbs), None, int(max(1, min(most, known))))


def number_texts(one: Solution, sizes: bool = True) -> List[List[str]]:
    """Real and imaginary part of each unknown, with the digits that are known; the imaginary part of a real solution is "0". sizes: an unknown
    of which no digit is known is shown by its size."""
    if one.texts:
        return [[re, "0" if one.isreal else im] for re, im in one.texts]
    planes, limbs = one.x._planes, one.x._prec
    prec = int(one._record["prec"]) or limbs
    size = max(math.hypot(re, im) for re, im in zip(planes[0].tolist(), planes[limbs].tolist())) if len(one) else 0.0
    error = max(size * one.error, 0.0) if size > one.error else one.error
    found = []
    for k in range(len(one)):
        re, im = planes[:prec, k].tolist(), planes[limbs:limbs + prec, k].tolist()
        pair = [_part(re, error), "0" if one.isreal else _part(im, error)]
        if sizes and pair == ["0", "0"] and re[0] != 0:
            pair[0] = f"{re[0]:.0e}"
        found.append(pair)
    return found


# ---- The page ----------------------------------------------------------------------------------------------------------


def sentence(solutions: Solutions) -> str:
    report = solutions.report
    count, real = (report["distinct"], report["real"]) if report else (len(solutions), len(solutions.real()))
    counts, most = count_certified(solutions), bound(solutions)
    complete = most is not None and counts["distinct"] == most[1] and not counts["squared"] and bool(solutions._certificates)
    return (f"{count} isolated solution{'' if count == 1 else 's'}, {real} real"
            + (": all certified, and the list is proven to be complete" if complete else ""))


def warnings_of(solutions: Solutions) -> List[str]:
    report, found = solutions.report, []
    if not report:
        return found
    if report["incomplete"]:
        found.append(report["incomplete"])
    if report["not_isolated"] > 0:
        found.append("The system has solution sets of positive dimension, of which only isolated points are listed here.")
    if report["misses"] > 0:
        found.append("Some points nearly solve the equations: --residual X accepts points that miss them by at most X.")
    if len(solutions) < report["distinct"]:
        found.append(f"The options chose {len(solutions)} of {report['distinct']} solutions; the others are not on this page.")
    return found


def _work(report: Dict[str, Any]) -> List[str]:
    found = []
    if not report:
        return found
    if report["eliminated"] > 0:
        found.append(f"{report['eliminated']} unknown{' was' if report['eliminated'] == 1 else 's were'} eliminated exactly, by linear equations.")
    if report["direct"] > 0 or report["paths"] == 0:
        found.append("Solved without paths: the unknowns were found one after the other, with their multiplicities.")
    else:
        found.append(f"{report['paths']} path{' was' if report['paths'] == 1 else 's were'} tracked from the start system '{report['start']}'.")
    return found


def _costs(solutions: Solutions) -> List[List[str]]:
    report, found = solutions.report, []
    if solutions._origin is not None:
        found.append(["time for all solutions", f"{solutions._origin.seconds:.3g} s"])
        if solutions._certificates:
            found.append(["time for certificates", f"{solutions._origin.certify_seconds:.3g} s"])
    if report and report["mpfr_paths"] > 0:
        found += [["paths followed in MPFR", str(report["mpfr_paths"])],
                  ["largest precision there", f"{report['mpfr_digits']} digits, {report['mpfr_seconds']:.3g} s"]]
    return found


def _certificates(solutions: Solutions) -> List[str]:
    if not solutions._certificates:
        return ["Nothing was certified" + (f": {solutions.uncertified}" if solutions.uncertified else "") + "."]
    return [proven_line(solutions),
            "Certified: interval arithmetic proves that a small box around the numbers has exactly one solution of the system. Distinct boxes "
            "have distinct solutions; a box that equals its conjugate has a real one. Singular solutions cannot be certified in this way."]


def is_positive(one: Solution, texts: List[List[str]]) -> bool:
    """Whether all unknowns are above zero: proven, or by the digits that are known."""
    if one.certificate and one.certificate["positive"] is not None:
        return one.certificate["positive"]
    return one.isreal and all(float(re) > 0 for re, _ in texts)


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


def equations_of(system: Any) -> List[str]:
    """The polynomials of a system, or of its text, as the program writes them, without the line that declares parameters."""
    texts = [text.strip().replace("\n", " ") for text in str(system).split(";")][:-1]
    return texts[1:] if texts and texts[0].startswith("parameters ") else texts


def _shown(texts: List[str]) -> List[str]:
    """Those that are short enough together."""
    shown, length = [], 0
    for text in texts:
        length += len(text)
        if length > MOST_TEXT:
            break
        shown.append(text)
    return shown


def _row(one: Solution, positive: Optional[bool] = None) -> List[Any]:
    numbers = number_texts(one, positive is None)
    return [one.kind or "regular", one.multiplicity, int(one.isreal), int(is_positive(one, numbers) if positive is None else positive), _finite(one.error),
            _finite(one.residual), _finite(one.condition), one.digits, certificate_words(one.certificate) if one.certificate else None, numbers]


def data_of(solutions: Solutions, title: str) -> Dict[str, Any]:
    """What the page shows; src/cli/solve/page.c writes the same members."""
    report = solutions.report
    texts = solutions._origin.equations if solutions._origin is not None else []
    rows = [_row(one) for one in solutions[:MOST_ROWS]]
    told = warnings_of(solutions)
    if len(solutions) > MOST_ROWS:
        told.append(f"This page has the first {MOST_ROWS} solutions; -o FILE writes all of them.")
    paths = bool(report) and report["paths"] > 0
    return {"schema": "plumb-page/1", "title": title, "sentence": sentence(solutions), "warnings": told, "equation_count": len(texts),
            "equations": _shown(texts), "unknowns": solutions.unknowns, "work": _work(report),
            "account": [[name, count, meaning] for name, count, meaning in account(report, solutions._origin.largest if solutions._origin is not None else math.inf)] if paths else [],
            "costs": _costs(solutions), "certificates": _certificates(solutions),
            "footer": f"plumb {lib.plumb_version().decode()}, random seed {report['seed']}" if report else f"plumb {__version__}", "solutions": rows}


def page(data: Dict[str, Any]) -> str:
    template = pathlib.Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    before, _, after = template.partition("@data@")
    return before + json.dumps(data, allow_nan=False).replace("<", "\\u003c") + after


# ---- Families ----------------------------------------------------------------------------------------------------------

COUNTS = [("solutions", "solutions"), ("real", "real"), ("positive", "positive"), ("singular", "singular"), ("at infinity", "infinite"), ("failed", "failed")]


def _plural(count: Any, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def family_sentence(found: FamilySolutions) -> str:
    ended = found[found.outcome != "stopped"]
    counts = [f"{count} {name}" for name in ("generic", "special", "solved anew", "incomplete") for count in [int((ended.outcome == name).sum())] if count]
    return (f"{_plural(len(ended), 'target')} with {_plural(found.paths, 'path')} each{': ' if counts else ''}{', '.join(counts)}; "
            f"{_plural(int(ended.real.sum()), 'real solution')}, {int(ended.positive.sum())} positive")


def family_warnings(found: FamilySolutions) -> List[str]:
    told = [found._generic] if found._generic else []
    open_, special = (int(sum((found.outcome == name).sum() for name in names)) for names in (["incomplete"], ["special", "solved anew"]))
    if open_:
        told.append(f"Solutions of {_plural(open_, 'target')} may be missing.")
    if (found.outcome == "stopped").any():
        told.append("The run was stopped: later targets are not on this page.")
    if special:
        told.append(f"{_plural(special, 'target')} {'is' if special == 1 else 'are'} special: some paths end at infinity or at singular solutions, so that there are "
                    "fewer solutions than for generic parameters.")
    return told


def _target_texts(found: FamilySolutions, k: int) -> List[List[str]]:
    """The parameters of a target, exactly."""
    planes, prec = found.targets._planes, found.targets._prec
    parts = planes.shape[0] // prec
    return [[_numbers.write(planes[part * prec:(part + 1) * prec, k, j].tolist(), prec) if part < parts else "0" for part in range(2)]
            for j in range(len(found.parameters))]


def data_of_family(found: FamilySolutions, title: str) -> Dict[str, Any]:
    """What the page of a family shows; src/cli/family/page.c writes the same members."""
    rows, listed, ended = [], 0, found[found.outcome != "stopped"]
    outcome = ended.outcome
    for k, solutions in enumerate(ended):
        listed += len(solutions)
        if k >= MOST_ROWS or (k > 0 and listed > MOST_ROWS):
            break
        instance = ended.instances[k]
        rows.append([*_target_texts(ended, k), outcome[k], *(int(instance[field]) for _, field in COUNTS), _finite(float(instance["error"])),
                     [_row(one, i < instance["positive"]) for i, one in enumerate(solutions)]])
    told = family_warnings(found)
    if len(rows) < len(ended):
        told.append(f"This page has the first {len(rows)} targets; -o FILE writes all of them.")
    total = {field: int(ended.instances[field].sum()) for field in ("regular", "singular", "infinite", "failed")}
    return {"schema": "plumb-page/1", "title": title, "sentence": family_sentence(found), "warnings": told, "equation_count": len(found._equations),
            "equations": _shown(found._equations), "unknowns": found.unknowns, "parameters": found.parameters,
            "groups": {"one": "target", "heading": "Targets", "hint": "A target is a row of values of the parameters. Choose one to see its solutions alone.",
                       "columns": [*([name, "number"] for name in found.parameters), ["outcome", "text"], *([name, "count"] for name, _ in COUNTS), ["error", "error"]],
                       "rows": rows},
            "work": [f"{_plural(found.paths, 'solution')} for generic parameters; one path from each of them to every target."],
            "account": [["regular", total["regular"], "ended at regular solutions, each at a different one"], ["singular", total["singular"], "ended at singular solutions"],
                        ["at infinity", total["infinite"], "went to infinity"],
                        ["failed", total["failed"], "did not end, or share the regular endpoint of another path"]],
            "costs": [["time for all targets", f"{found._seconds:.3g} s"]], "certificates": [],
            "footer": f"plumb {lib.plumb_version().decode()}, random seed {found.seed}"}


# ---- Components --------------------------------------------------------------------------------------------------------


def components_sentence(found: Components) -> str:
    irreducible = [one.dimension for one in found.components if one.irreducible]
    each = [f"{irreducible.count(k)} of dimension {k}" for k in sorted(set(irreducible), reverse=True)]
    line = f"{_plural(len(irreducible), 'component')} of positive dimension{': ' if each else ''}{', '.join(each)}"
    if found.isolated is not None:
        line += f"{'; ' if irreducible else ', '}{_plural(len(found.isolated), 'isolated solution')}"
    return line if found.components or found.isolated is None or len(found.isolated) else "No solutions"


def components_warnings(found: Components) -> List[str]:
    told, least = [found.incomplete] if found.incomplete else [], json.loads(found._text)["least_dimension"]
    if least > 0:
        told.append(f"Dimensions below {least} were not looked at.")
    return told


def data_of_components(found: Components, title: str) -> Dict[str, Any]:
    """What the page of components shows; src/cli/decompose/page.c writes the same members."""
    kept, room, rows = json.loads(found._text), MOST_ROWS, []
    groups = [[one.dimension, one.degree, f"{'at most ' if one.multiplicity_is_bound else ''}{one.multiplicity}",
               "irreducible component" if one.irreducible else "points of components, not decomposed",
               int(one.trace_digits) if one.trace_digits > 0 and math.isfinite(one.trace_digits) else None, one.points] for one in found.components]
    if found.isolated is not None and len(found.isolated):
        groups.append([0, len(found.isolated), "", f"isolated solution{'' if len(found.isolated) == 1 else 's'}", None, found.isolated])
    for *cells, points in groups:
        shown = points[:room]
        room -= len(shown)
        rows.append([*cells, [_row(one, one.isreal and bool((one.x.real > 0).all())) for one in shown]])
    told = components_warnings(found)
    if room == 0:
        told.append(f"This page has the first {MOST_ROWS} points; -o FILE writes all of them.")
    paths = [(one["dimension"], one["paths"]) for one in kept["dimensions"]]
    total = {field: sum(one[field] for _, one in paths) for field in ("witness", "not_isolated", "extraneous", "infinite", "undecided", "failed")}
    equations = equations_of(kept["system"])
    digits = [one.trace_digits for one in found.components if one.irreducible and one.trace_digits > 0]
    return {"schema": "plumb-page/1", "title": title, "sentence": components_sentence(found), "equation_count": len(equations), "equations": _shown(equations),
            "unknowns": found.unknowns, "slices": [[k, _shown(equations_of(found.slices[k]))] for k in sorted(found.slices, reverse=True)],
            "groups": {"one": "component", "heading": "Components", "points": "point",
                       "hint": "The witness points of a component are those that it has in common with the slice of its dimension. Choose a component to see its "
                               "points alone.",
                       "columns": [["dimension", "count"], ["degree", "count"], ["multiplicity", "text"], ["kind", "text"], ["trace digits", "count"]], "rows": rows},
            "warnings": told, "work": [],
            "account": [["to points", total["witness"], "ended at witness points and isolated solutions"],
                        ["not isolated", total["not_isolated"], "ended on components of larger dimension"],
                        ["extraneous", total["extraneous"], "ended at points that do not solve the given equations"], ["at infinity", total["infinite"], "went to infinity"],
                        ["undecided", total["undecided"], "ended, but it is not known in which of these ways"],
                        ["failed", total["failed"], "did not end, or share the regular endpoint of another path"]],
            "costs": [*([f"paths for dimension {k}", str(one["total"])] for k, one in paths if one["total"] > 0), ["time for all dimensions", f"{found._seconds:.3g} s"]],
            "evidence": "What is certain",
            "certificates": [*([f"Components are irreducible by trace tests that close to {math.floor(min(digits))} digits or more. This is numerical evidence, and not a "
                                "proof."] if digits and math.isfinite(min(digits)) else []), *components_proofs(found), "Embedded components are not reported."],
            "footer": f"plumb {lib.plumb_version().decode()}, random seed {kept['seed']}"}


def components_proofs(found: Any) -> List[str]:
    """What certificates prove about each dimension, as the program says it."""
    lines = []
    with_points = {one.dimension for one in found.components} | ({0} if found.isolated is not None and len(found.isolated) else set())
    for d in sorted(with_points, reverse=True) if found.certificates else []:
        n, proven = found.proofs.get(d, (0, False))
        plural = "" if n == 1 else "s"
        if n == 0:
            lines.append(f"Dimension {d}: nothing is proven.")
        elif proven and d == 0:
            lines.append(f"Dimension 0: {n} certified solution{plural} = root count: proven to be all isolated solutions.")
        elif proven:
            lines.append(f"Dimension {d}: {n} certified witness point{plural} = root count: the sum of the degrees is proven.")
        else:
            points, what = ("solution", "the number of isolated solutions is") if d == 0 else ("witness point", "the sum of the degrees is")
            lines.append(f"Dimension {d}: {n} certified {points}{plural} prove{'s' if n == 1 else ''} that {what} at least {n}.")
    return [*lines, "To which component a point belongs is not proven."] if lines else []


# ---- The short form ----------------------------------------------------------------------------------------------------


def _short_number(pair: List[str]) -> str:
    re, im = (f"{float(text):.8g}".replace("-", "\u2212") for text in pair)
    if pair[1] == "0":
        return re
    return f"{re} \u2212 {im[1:]}i" if im.startswith("\u2212") else f"{re} + {im}i"


def short(solutions: Solutions) -> str:
    """For notebooks, without scripts: the sentence, warnings, and a table of the first solutions."""
    names = solutions.unknowns[:SHORT_UNKNOWNS]
    proven = bool(solutions._certificates)
    head = ["#", *names, *(["..."] if len(solutions.unknowns) > len(names) else []), "real", "kind", "error", "condition", *(["certificate"] if proven else [])]
    rows = []
    for k, one in enumerate(solutions[:SHORT_ROWS]):
        texts = number_texts(one)[:SHORT_UNKNOWNS]
        kind = (one.kind or "") + (f" \u00d7{one.multiplicity}" if one.multiplicity != 1 else "")
        cells = [str(k + 1), *map(_short_number, texts), *([""] if len(solutions.unknowns) > len(names) else []), "real" if one.isreal else "", kind,
                 f"{one.error:.1e}", f"{one.condition:.1e}", *([certificate_words(one.certificate) if one.certificate else ""] if proven else [])]
        rows.append(cells)
    return _short(sentence(solutions), warnings_of(solutions), head, rows, len(solutions))


def _short(line: str, told: List[str], head: List[str], rows: List[List[str]], count: int) -> str:
    """A line, warnings, and the first rows of a table."""
    left = count - len(rows)
    lines = [f"<p><strong>{html.escape(line)}</strong></p>"]
    lines += [f"<p>\u26a0 {html.escape(one)}</p>" for one in told]
    if rows:
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>" for cells in rows)
        lines.append("<table><thead><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in head) + f"</tr></thead><tbody>{body}</tbody></table>")
    lines.append(f"<p>{f'and {left} more; ' if left > 0 else ''}<code>.html(\"run.html\")</code> writes a page with all digits and a picture.</p>")
    return "\n".join(lines)


def short_family(found: FamilySolutions) -> str:
    names = found.parameters[:SHORT_UNKNOWNS]
    head = ["#", *names, *(["..."] if len(found.parameters) > len(names) else []), "outcome", *(name for name, _ in COUNTS)]
    rows = [[str(k + 1), *map(_short_number, _target_texts(found, k)[:SHORT_UNKNOWNS]), *([""] if len(found.parameters) > len(names) else []),
             str(found.outcome[k]), *(str(found.instances[k][field]) for _, field in COUNTS)] for k in range(min(len(found), SHORT_ROWS))]
    return _short(family_sentence(found), family_warnings(found), head, rows, len(found))


def short_components(found: Components) -> str:
    rows = [[str(k + 1), str(one.dimension), str(one.degree), f"{'at most ' if one.multiplicity_is_bound else ''}{one.multiplicity}",
             "irreducible" if one.irreducible else "not decomposed"] for k, one in enumerate(found.components[:SHORT_ROWS])]
    return _short(components_sentence(found), components_warnings(found), ["#", "dimension", "degree", "multiplicity", "kind"], rows, len(found))
