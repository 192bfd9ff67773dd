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
/* Polynomials with integer coefficients, modulo m and Q. Reduced once per entry, not once per product. */
reduced(f, m, Q) = lift(lift(Mod(f * Mod(1, m), Q * Mod(1, m))));
product(A, B, m, Q) = { my(C = A * B); matrix(matsize(C)[1], matsize(C)[2], i, j, reduced(C[i, j], m, Q)) };
lift_all() = {
    my(m = p, Q = q, X = roots, Y, M, W, e, N, at_X, found, last = 0);
    my(point(m, Q, X) = vector(n, i, Mod(X[i] * Mod(1, m), Q * Mod(1, m))));
    Y = lift(lift(inverse(matrix(n, n, i, j, at(jacobian[i, j], point(p, q, roots))))));
    for (step = 1, 16, /* X and Q are known modulo m */
        if (step > 1, /* Y is the inverse of the Jacobian modulo the root of m: a step of Newton's method for inverses */
            at_X = point(m, Q, X);
            M = matrix(n, n, i, j, lift(lift(at(jacobian[i, j], at_X))));
            Y = product(Y, 2 * matid(n) - product(M, Y, m, Q), m, Q));
        at_X = point(m^2, Q, X);
        W = matrix(n, 1, i, j, lift(lift(at(equations[i], at_X))) / m); /* the values are multiples of m */
        W = product(Y, W, m, Q);
        X = vector(n, i, X[i] - m * W[i, 1]);
        e = (reduced(sum(i = 1, n, form[i] * X[i]), m^2, Q) - t) / m; /* the form must remain t */
        N = lift((Q - m * reduced(e * deriv(Q, t), m, Q)) * Mod(1, m^2));
        X = vector(n, i, reduced(X[i] - m * reduced(e * deriv(X[i], t), m, Q), m^2, N));
        Q = N; m = m^2;
        found = rational(Q, m);
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
