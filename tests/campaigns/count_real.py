#!/usr/bin/env python3
"""count_real.py - counts the real solutions of polynomial systems exactly, without any numerical method.

    count_real.py [--regular] [--limit SECONDS] FILE.phc...

Needs Singular and PARI/GP. With a random linear form u of the unknowns, Singular finds modulo a prime p a Groebner basis and from it
the polynomial q of least degree with q(u) = 0, and polynomials x_i(u). If their shape is x_i - x_i(u) = 0, q(u) = 0, solutions
correspond to the roots of q. PARI lifts q and the x_i from p to p^2, p^4, ... by Newton's method for the system on Q[u]/q (Giusti, Lecerf, Salvy 2001), until
the rational coefficients of q can be told and do not change any more. If q has no multiple root, the system has as many
solutions as q has roots, and as many real ones as q has real roots, because u takes different values at different solutions; PARI
counts them by isolation with exact arithmetic.

Coefficients must be rational, and the first n equations regular at the solutions. --regular counts regular solutions only: the
ideal is saturated by the determinant of the Jacobian, which also removes solutions that are not isolated.

Prints for each file its name, the number of solutions and the number of real ones, in the form of ../data/real_roots.txt."""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

PRIME = 2147483629

LIFT = r"""
ring_of(v, one, Q) = Mod(v * one, Q);
at(f, X) = { if (type(f) == "t_INT" || type(f) == "t_FRAC", return(f * X[1]^0)); substvec(f, unknowns, X) * X[1]^0 };
/* Gauss elimination; a pivot must be invertible, and a random combination of rows is tried where none is. */
inverse(M) = {
    my(A = matconcat([M, matid(n) * M[1, 1]^0]), Q = M[1, 1].mod, pivot, s);
    my(unit(z) = z != 0 && poldegree(gcd(lift(z), Q)) == 0);
    for (i = 1, n,
        pivot = 0;
        for (r = i, n, if (unit(A[r, i]), pivot = r; break));
        for (k = 1, 50, if (pivot, break);
            s = A[i, ]; for (r = i + 1, n, s += random(1000) * A[r, ]);
            if (unit(s[i]), A[i, ] = s; pivot = i));
        if (!pivot, error("the Jacobian is singular"));
        s = A[i, ]; A[i, ] = A[pivot, ]; A[pivot, ] = s;
        A[i, ] *= 1 / A[i, i];
        for (r = 1, n, if (r != i && A[r, i] != 0, A[r, ] -= A[r, i] * A[i, ])));
    matrix(n, n, i, j, A[i, n + j]);
};
/* Coefficients with a common denominator, each 64 bits shorter than what is known; 0 if there are none. */
rational(Q, modulus) = {
    my(v = Vec(lift(Q)), common = 1, a);
    for (i = 1, #v,
        a = bestappr(Mod(v[i] * common, modulus));
        if (type(a) == "t_VEC" || denominator(a) * abs(numerator(a)) * 2^64 > modulus, return(0));
        common *= denominator(a));
    v = vector(#v, i, centerlift(Mod(v[i] * common, modulus)));
    if (vecmax(abs(v)) * 2^64 > modulus, return(0));
    Pol(v, t) / content(v);
};
lift_all() = {
    my(modulus = p, Q = q * Mod(1, p), X, Y, M, V, N, d, e, one, found, last = 0);
    X = vector(n, i, ring_of(roots[i], Mod(1, p), Q));
    Y = inverse(matrix(n, n, i, j, at(jacobian[i, j], X)));
    for (step = 1, 16,
        modulus = modulus^2; one = Mod(1, modulus);
        Q = lift(Q) * one;
        X = vector(n, i, ring_of(lift(lift(X[i])), one, Q));
        Y = matrix(n, n, i, j, ring_of(lift(lift(Y[i, j])), one, Q));
        M = matrix(n, n, i, j, at(jacobian[i, j], X));
        Y = 2 * Y - Y * M * Y;
        V = vector(n, i, at(equations[i], X))~;
        d = Y * V;
        X = vector(n, i, X[i] - d[i]);
        e = sum(i = 1, n, form[i] * X[i]) - ring_of(t, one, Q); /* the form must remain t */
        N = Q - lift(e * ring_of(deriv(Q, t), one, Q));
        X = vector(n, i, ring_of(lift(X[i] - e * ring_of(deriv(lift(X[i]), t), one, Q)), one, N));
        Q = N;
        found = rational(Q, modulus);
        if (found && found == last, return(found));
        last = found);
    error("the coefficients are too long");
};
{
    my(Q = lift_all());
    if (poldegree(gcd(Q, deriv(Q, t))) > 0, error("multiple roots"));
    print("found ", poldegree(Q), " ", polsturm(Q));
}
"""


def read(path):
    """The equations with rational coefficients, and the unknowns in the order in which they occur."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^\s*\d+(\s+\d+)?\s*\n", "", file.read())

    def rational(match):
        number = Fraction(match.group(0))
        return "(%d/%d)" % (number.numerator, number.denominator)

    equations = [re.sub(r"(?<![A-Za-z_0-9.^])(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", rational, " ".join(part.split()))
                 for part in text.split(";")[:-1]]
    names = list(dict.fromkeys(name for equation in equations for name in re.findall(r"[A-Za-z_]\w*", equation)))
    if {"i", "I"} & set(names):
        raise ValueError("its coefficients are not real")
    if len(names) > len(equations):
        raise ValueError("it has fewer equations than unknowns")
    return equations, names


def run(program, text, folder, limit):
    path = os.path.join(folder, "input")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(program + [path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=limit, check=True)
    return done.stdout


def renamed(equation, names, pattern):
    return re.sub(r"[A-Za-z_]\w*", lambda match: pattern % (names.index(match.group(0)) + 1), equation)


def basis_modulo(equations, names, form, regular, folder, limit):
    """q and the x_i modulo the prime, as texts in u; None if they are not of that shape."""
    n = len(names)
    ring = "x(1..%d),u" % n
    text = "ring r=%d,(%s),dp; option(redSB);\nideal I=%s;\n" % (
        PRIME, ring, ",\n".join(renamed(equation, names, "x(%d)") for equation in equations))
    if regular:
        text += ("matrix J[%d][%d]; int i,j; for(i=1;i<=%d;i++){for(j=1;j<=%d;j++){J[i,j]=diff(I[i],x(j));}}\n"
                 "poly d=det(J); ring w=%d,(z,%s),(dp(1),dp); ideal I=imap(r,I); poly d=imap(r,d); I=I,z*d-1;\n"
                 "I=eliminate(slimgb(I),z); setring r; I=imap(w,I);\n") % (n, n, n, n, PRIME, ring)
    text += "I=I,u-(%s);\nideal G=slimgb(I);\n" % "+".join("(%d)*x(%d)" % (c, k + 1) for k, c in enumerate(form))
    text += ("if(dim(G)!=0){print(\"dimension \"+string(dim(G)));quit;}\n"
             "ring s=%d,(%s),lp; ideal L=fglm(r,G);\n"
             "for(int k=1;k<=size(L);k++){print(string(lead(L[k]))+\" := \"+string(L[k]));} quit;\n") % (PRIME, ring)
    out = run(["Singular", "-q"], text, folder, limit).replace("\\\n", "")
    if "dimension" in out:
        raise ValueError("Singular: " + out.strip())
    lines = [line.split(" := ") for line in out.splitlines() if " := " in line]
    if len(lines) != n + 1 or not all(re.fullmatch(r"x\(\d+\)", lead) for lead, _ in lines[1:]):
        return None
    roots = [None] * n
    for lead, polynomial in lines[1:]:
        roots[int(lead[2:-1]) - 1] = "-(%s)" % polynomial.replace(lead, "0")
    return lines[0][1], roots


def count(path, regular, limit):
    equations, names = read(path)
    generator = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        for size in (30, 300, 3000):
            form = [generator.randint(-size, size) or 1 for _ in names]
            found = basis_modulo(equations, names, form, regular, folder, limit)
            if found:
                break
        else:
            raise ValueError("not of the expected shape: multiple solutions, or no linear form tells all solutions apart")
        text = 'default(parisizemax, "3G");\np = %d;\nn = %d;\nform = %s;\n' % (PRIME, len(names), form)
        text += "q = %s;\nroots = [%s];\n" % tuple(
            re.sub(r"\bu\b", "t", part) for part in (found[0], ",".join(found[1])))
        text += "unknowns = [%s];\n" % ",".join("y%d" % (k + 1) for k in range(len(names)))
        text += "equations = [%s];\n" % ",".join(renamed(equation, names, "y%d") for equation in equations[:len(names)])
        text += "jacobian = matrix(n, n, i, j, deriv(equations[i], unknowns[j]));\n" + LIFT
        out = run(["gp", "-q", "-f"], text, folder, limit)
    match = re.search(r"^found (\d+) (\d+)$", out, re.M)
    if not match:
        raise ValueError("PARI: " + out[-200:])
    return int(match.group(1)), int(match.group(2))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--regular", action="store_true")
    parser.add_argument("--limit", type=float, default=1800, help="seconds for each program")
    options = parser.parse_args()
    failed = False
    for path in options.files:
        name = os.path.basename(path)[:-len(".phc")]
        try:
            print("%-22s %6d %6d  exact" % ((name,) + count(path, options.regular, options.limit)), flush=True)
        except (ValueError, OSError, subprocess.SubprocessError) as error:
            print("%s: %s" % (path, str(error)[:300]), file=sys.stderr, flush=True)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
