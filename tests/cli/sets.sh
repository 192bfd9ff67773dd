#!/bin/sh
# sets.sh PLUMB - plumb member, plumb sample and pictures of curves as commands: what they say, their files, and exit statuses.
plumb=$1
command=
. "$(dirname "$0")/expect.sh"

run 0 decompose -e 'x*(x^2+y^2+z^2-1)' -e 'x*(y-2*z)' -o c.json -q

# member
run 0 member c.json --at x=0,y=3,z=4 --at x=0.6,y=0,z=0 --at 'x = 1, y = 0, z = 0' --at 'x=i,y=0,z=0'
says '^point 1   on component 1$'
says '^point 2   off (an equation does not vanish)$'
says '^point 3   on component 2$'
says '^point 4   off'
says '^4 points: 2 on components, 2 off, 0 undecided'
run 0 member c.json --at x=0.6000000001,y=0,z=0 --at x=1.0000000001,y=0,z=0 --tol 1e-9
says '^point 2   on component 2$'
cat >points.json <<'END'
{"unknowns": ["z", "y", "x"], "solutions": [{"x": [["0", "0"], ["0", "0"], ["1", "0"]]}, {"x": [["1/3", "0"], ["7", "2"], ["0", "0"]]}]}
END
run 0 member c.json points.json
says '^2 points: 2 on components, 0 off, 0 undecided'
for threads in 1 2; do
    run 0 member c.json points.json --json -t $threads
    grep -v seconds out >json$threads
done
cmp -s json1 json2 || complain "threads change the answer"
one=$(printf %016000d 1) two=$(printf %016000d 2) # (1 + 10^-16000)^2: too many digits for exact values
run 0 decompose -e 'y-x^2' -o parabola.json -q
run 1 member parabola.json --at "x=1.$one,y=1.$two$one"
says '^point 1   undecided: component 1$'
run 2 member c.json
warns 'expected a file with points, or --at'
run 2 member c.json points.json --at x=1,y=0,z=0
run 2 member c.json --at x=1,y=0
warns 'found no value for z'
run 2 member c.json --at x=1,y=0,w=0
run 2 member c.json --at x=1,y=0,z=oops
run 2 member c.json --at '   y'
warns "found '   y', expected NAME=NUMBER"
run 0 member c.json --at 'x=(1+0*i) , y = (0),z=0'
says '^point 1   on component 2$'
run 2 member points.json --at x=1,y=0,z=0

# sample
run 0 sample c.json -n 3 -o s.json -q
[ "$(grep -c '"number"' s.json)" -eq 6 ] || complain "not six points"
run 0 member c.json s.json --tol 1e-30
says '^6 points: 6 on components, 0 off'
run 0 sample c.json --component 2 -n 4 --real -o real.phc
says '4 real points$'
run 0 member c.json real.phc --tol 1e-30
run 0 sample c.json --slice 'y + z = 3/10'
says '^component 2 (dimension 1, degree 2): 2 points$'
says 'y = 0.2000000000000000  z = 0.1000000000000000$'
says '^2 paths = 2 to regular points$'
run 0 sample c.json --slice 'y = 2' --slice 'z = 1'
says '  x = 0  y = 2.000000000000000  z = 1.000000000000000$'
run 2 sample c.json --slice 'y^2 = 2'
warns 'not linear'
run 2 sample c.json --slice 'w = 2'
run 2 sample c.json --slice 'y = 2' --real
run 2 sample c.json --component 3

# pictures
run 0 decompose -e '(x^2+y^2)^2-x^2+y^2' --plot lemniscate.svg
says '^drawn: 1 piece of real curves, 0 isolated real points$'
grep -q '</svg>' lemniscate.svg || complain "no picture"
run 0 decompose -e 'y^2-x^2*(x-1)' --plot acnode.svg --plot-box x=-1:2,y=-2:2
says '^drawn: 1 piece of real curves, 1 isolated real point$'
run 0 sample c.json --plot circle.svg --plot-coordinates x:y
says '^drawn: 1 piece of real curves'
run 2 decompose -e 'y-x^2' --plot curve.png
run 2 decompose -e 'y-x^2' --plot curve.svg --plot-coordinates x
run 2 decompose -e 'y-x^2' --plot curve.svg --plot-box 1:-1
run 2 decompose -e 'y-x^2' --plot-box=-1:1
run 1 decompose -e 'y-x^2' --plot none/curve.svg -q

# a witness set of PHCpack
cat >embedded.phc <<'END'
4
-1*x^2 + y + (-0.75 + 0.66*i)*zz1;
-1*x^3 + z + (0.99 + 0.13*i)*zz1;
zz1;
z - 8 + (0.8 - 0.4*i)*zz1;

THE SOLUTIONS :
2 4
===========================================================================
solution 1 :
t :  1.0E+00   0.0E+00
m : 1
the solution for t :
 x :  2.00000000000000E+00   0.0E+00
 y :  4.00000000000000E+00   0.0E+00
 zz1 :  1.0E-32   0.0E+00
 z :  8.00000000000000E+00   0.0E+00
== err :  1.0E-15 = rco :  1.0E-02 = res :  1.0E-15 ==
solution 2 :
t :  1.0E+00   0.0E+00
m : 1
the solution for t :
 x :  -1.00000000000000E+00   1.7320508075688772E+00
 y :  -2.00000000000000E+00   -3.4641016151377544E+00
 zz1 :  1.0E-32   0.0E+00
 z :  8.00000000000000E+00   0.0E+00
== err :  1.0E-15 = rco :  1.0E-02 = res :  1.0E-15 ==
END
run 0 sample embedded.phc --slice 'z = 1'
says '^component 1 (dimension 1, degree 2): 2 points$'
exit $((failures > 0))
