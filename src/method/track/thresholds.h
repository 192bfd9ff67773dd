/* thresholds.h - every number that decides about a path, in one table.
 *
 * An entry has a name, its value, what it is, where the value comes from, and what it trades: what becomes worse if it is
 * larger or smaller. "By hand" means that the order of magnitude was chosen and found to work on the systems of the tests;
 * the campaign tests/campaigns/thresholds.py halves and doubles each entry and reports the verdicts that change
 * (docs/reliability.md). "sharp: ..." says why such an entry is sharp.
 *
 * In the library the entries are constants: TRACK_REAL makes a double, TRACK_SHARE one that has to stay below 1, and
 * TRACK_WHOLE an integer. With PLUMB_TRACK_OVERRIDES, which only the program of the campaign is compiled with, they are variables that
 * it defines. A file that defines the three macros itself gets the table in its own form, as often as it includes
 * this file.
 *
 * Sizes of arrays (TRACK_HISTORY, TRACK_SAMPLES, TRACK_POWERS, ...), factors of formulas and guards against overflow are not here: they
 * decide nothing. */
#ifndef TRACK_REAL
#ifdef PLUMB_METHOD_TRACK_THRESHOLDS_H
#define TRACK_THRESHOLDS_DONE
#endif
#define PLUMB_METHOD_TRACK_THRESHOLDS_H
#ifdef PLUMB_TRACK_OVERRIDES
#define TRACK_REAL(name, value, what, source, trade) extern double name
#define TRACK_SHARE(name, value, what, source, trade) extern double name
#define TRACK_WHOLE(name, value, what, source, trade) extern int name
#else
#ifdef __cplusplus
#define TRACK_REAL(name, value, what, source, trade) static constexpr double name = value
#else
#define TRACK_REAL(name, value, what, source, trade) static const double name __attribute__((unused)) = value
#endif
#define TRACK_SHARE TRACK_REAL
#define TRACK_WHOLE(name, value, what, source, trade) enum { name = value }
#endif
#endif

#ifndef TRACK_THRESHOLDS_DONE

/* ---- Limits of a precision -------------------------------------------------------------------------------------- */

TRACK_REAL(TRACK_NOISE_D, 0x1p-51, "rounding error of h relative to its terms, in d",
           "rounding: four units of 2^-53, for a few operations per term",
           "larger: a higher precision than needed; smaller: noise is taken for corrections that do not converge");
TRACK_REAL(TRACK_NOISE_DD, 0x1p-103, "the same in dd", "rounding: a few units of 2^-106", "as in d");
TRACK_REAL(TRACK_NOISE_QD, 0x1p-206, "the same in qd", "rounding: a few units of 2^-212", "as in d");
TRACK_REAL(TRACK_GOAL_D, 1e-12, "tolerance of endpoints above which d suffices for them",
           "digits of d, less four for the condition number",
           "larger: dd where d would do; smaller: endpoints in d that miss the tolerance and are computed again");
TRACK_REAL(TRACK_GOAL_DD, 1e-26, "tolerance of endpoints above which dd suffices for them",
           "digits of dd, less six for the condition number", "as in d");
TRACK_REAL(TRACK_TOLERANCE_D, 1e-9, "default tolerance of endpoints in d", "by hand: more than half of the digits",
           "larger: fewer digits of ill-conditioned endpoints; smaller: more endpoints in a higher precision");
TRACK_REAL(TRACK_TOLERANCE_DD, 1e-18, "the same in dd", "by hand", "as in d");
TRACK_REAL(TRACK_TOLERANCE_QD, 1e-28, "the same in qd", "by hand; circles reach 1e-31", "as in d");
TRACK_REAL(TRACK_LEAST_STEP_D, 1e-14, "shortest step in d, relative to |tau|", "digits of tau in a double",
           "larger: a path near another one fails; smaller: it takes steps that do not move it");
TRACK_REAL(TRACK_LEAST_STEP, 1e-28, "the same in dd and qd", "digits of tau, which is two doubles", "as in d");
TRACK_REAL(TRACK_LEAST_LOG_STEP, 1e-12, "shortest step in log(tau) in the zone", "tau is one double there", "as in d");
TRACK_REAL(TRACK_FLOOR_D, 0x1p-23, "norms are relative to x_i down to this multiple of w_i, in d",
           "half of the digits that the noise leaves",
           "larger: small coordinates do not count; smaller: their noise rejects steps; sharp: doubled, some paths to "
           "infinity with small coordinates are undecided (d1, kin1, heart, gaukwa3, bio069)");
TRACK_REAL(TRACK_FLOOR_DD, 0x1p-49, "the same in dd", "half of the digits", "as in d");
TRACK_REAL(TRACK_FLOOR_QD, 0x1p-100, "the same in qd", "half of the digits", "as in d");
TRACK_REAL(TRACK_NEGLIGIBLE, .1,
           "an error is negligible below this multiple of the noise of the precision of endpoints", "by hand",
           "larger: endpoints lose a digit; smaller: one more correction at each of them");
TRACK_REAL(TRACK_TOLD, .05, "the same as a multiple of x_0 of the largest root asked for",
           "x_0 of that root has an error of 5%",
           "larger: such a root may be taken for infinite; smaller: more corrections");
TRACK_REAL(TRACK_SOFT, 1e-2, "exposure above which a higher precision is used",
           "1 is the limit, where noise is as large as the radius of convergence; a safety factor of 100",
           "larger: steps fail by noise first; smaller: a higher precision than needed");
TRACK_REAL(TRACK_CALM, 1e-3, "exposure of a lower precision below which the path returns to it",
           "a tenth of TRACK_SOFT, so that a path does not oscillate",
           "larger: paths go to and fro; smaller: they stay in the higher precision");
TRACK_REAL(TRACK_HARD, 1e-1, "exposure above which no result of the highest precision is trusted",
           "1 is the limit; a safety factor of 10",
           "larger: a path may continue on another one; smaller: paths fail too early");
TRACK_REAL(TRACK_HARD_END, 1.0, "the same near the end, where verdicts need further evidence", "the limit itself",
           "as TRACK_HARD");
TRACK_WHOLE(TRACK_CALM_STEPS, 3, "steps in a row after which the path returns to a lower precision", "by hand",
            "larger: paths stay in the higher precision; smaller: they return after one lucky step");

/* ---- Norms and predictions ---------------------------------------------------------------------------------------- */

TRACK_REAL(TRACK_STEEPEST, 3.0, "|d log(x_i) / d log(tau)| above which x_i may pass near zero",
           "valuations above 3 are rare",
           "larger: logarithms of coordinates near zero mislead predictions; smaller: x_i itself is interpolated where "
           "its logarithm would be better");
TRACK_REAL(TRACK_STEADY, .5, "change of it between points below which it does not", "by hand", "as TRACK_STEEPEST");
TRACK_SHARE(TRACK_STEADY_SHARE, .1, "the same as a share of it, where it is large",
            "near a zero at the distance d it is 1 / d and changes by more", "as TRACK_STEEPEST");
TRACK_SHARE(TRACK_STEADY_FRAME, .5, "the same in a frame, where interpolation of x_i itself is no alternative",
            "by hand", "as TRACK_STEEPEST");
TRACK_SHARE(TRACK_POLE, .8, "longest step, relative to the distance of the pole, for which predictions use it",
            "by hand: beyond it the prediction depends on where the pole is",
            "larger: predictions near a pole may be far off; smaller: shorter steps near singularities");
TRACK_REAL(TRACK_APART, 1.05, "least ratio of tau between points for predictions in powers of tau",
           "differences of the nodes lose their digits below",
           "larger: fewer of these predictions; smaller: noisy ones");
TRACK_REAL(TRACK_STIFF, 1e9, "condition number above which predictions are made in the precision of the path",
           "increments in double have 16 digits, of which Newton's method needs nine",
           "larger: predictions in double miss the radius of convergence; smaller: slower predictions");
TRACK_REAL(TRACK_UNCLEAR, 1e-11, "misses of predictions in double below which they do not show which one is best",
           "digits of a double, less those lost in the interpolation",
           "larger: an inferior predictor is kept; smaller: noise chooses");
TRACK_SHARE(TRACK_LEAP_LEAST, .1, "least expected error of a jump, as a share of the miss of the last prediction",
            "by hand", "larger: fewer jumps are tried; smaller: more of them fail");

/* ---- Steps ---------------------------------------------------------------------------------------------------------- */

TRACK_REAL(TRACK_TARGET, 1e-2, "target for the first correction, relative to |x|", "by hand",
           "larger: more rejected steps, and a path may jump to another one; smaller: shorter steps");
TRACK_REAL(TRACK_FAR, 1e-1, "first correction above which a trial is given up at once", "ten times the target",
           "larger: corrections are wasted, and may converge to another path; smaller: useful trials are rejected");
TRACK_REAL(TRACK_NEAR, 5e-4, "maximum last correction of an accepted point, relative to |x|",
           "the next one, quadratically smaller, is below the error of predictions",
           "larger: slopes are less accurate; smaller: more corrections per step");
TRACK_REAL(TRACK_NEAR_END, 1e-4, "the same near the end", "by hand", "as TRACK_NEAR");
TRACK_REAL(TRACK_NEAR_SAMPLE, 1e-7, "the same for samples, whose slopes belong to the point before the last correction",
           "limits of y are extrapolated from slopes with seven digits",
           "larger: limits at infinity are less certain; smaller: more corrections");
TRACK_REAL(TRACK_SURE, 1e-2, "the same relative to the radius of convergence of Newton's method",
           "1 is the limit; a safety factor of 100",
           "larger: a point may belong to another path; smaller: more corrections");
TRACK_REAL(TRACK_CHANGE_TARGET, .2, "target for the change of w between corrections", "by hand",
           "larger: steps near other paths; smaller: shorter steps");
TRACK_SHARE(TRACK_CHANGE_MOST, .5, "maximum change of w between corrections",
            "1 is the limit of the Kantorovich bound; half of it",
            "larger: a path may jump to another one; smaller: more rejected steps");
TRACK_REAL(TRACK_VISIBLE, 1e-6,
           "corrections after a jump that are smaller may be noise, because coordinates vanish there", "by hand",
           "larger: slow convergence after a jump is not seen; smaller: jumps are rejected by noise");
TRACK_REAL(TRACK_CONTRACTION, 4., "weight of the ratio of the second to the first correction beside changes of w",
           "by hand: a ratio of 1/8 counts as the maximum change",
           "larger: more rejected steps; smaller: a path may jump to another one");
TRACK_SHARE(TRACK_TURN_TARGET, .7, "target for the change of w in a step, as a share of the maximum", "by hand",
            "larger: more rejected steps; smaller: shorter steps");
TRACK_WHOLE(TRACK_PATIENCE, 3, "rejections in a row after which the newest point is corrected again", "by hand",
            "larger: an inaccurate point shortens steps for longer; smaller: needless corrections");
TRACK_WHOLE(
    TRACK_CORRECTIONS, 3, "corrections after which a trial has to be near the path",
    "quadratic convergence from the target takes two or three",
    "larger: hopeless trials take longer; smaller: good ones are rejected; sharp: with 1 a sample needs a "
    "prediction to 1e-7, so that paths to infinity take thousands of steps (cassou, butcher) and one of cyclic5 "
    "is undecided; 2 changes nothing");
TRACK_WHOLE(TRACK_CORRECTIONS_SAMPLE, 4, "corrections after which a sample is taken as it is", "by hand",
            "larger: more corrections; smaller: samples are less accurate");
TRACK_WHOLE(TRACK_CORRECTIONS_EXACT, 8, "maximum number of corrections of points that have to be exact",
            "quadratic convergence to 64 digits takes six",
            "larger: hopeless points take longer; smaller: endpoints in qd fail");
TRACK_SHARE(TRACK_STRETCH, .84, "ratio of the factors that are tried for the length of the next step",
            "TRACK_STRETCHES of them cover all factors",
            "larger: more of them are tried; smaller: steps are shorter than need be");
TRACK_SHARE(TRACK_LEAST_FACTOR, .25, "least factor of the next step after an accepted one", "by hand",
            "larger: the next trial fails; smaller: one bad estimate costs several steps");
TRACK_REAL(TRACK_MOST_FACTOR, 3.0, "largest factor of the next step after an accepted one", "by hand",
           "larger: more rejected steps; smaller: it takes longer to come to long steps");
TRACK_SHARE(TRACK_REJECT_LEAST, .15, "least factor of the next step after a rejected one", "by hand",
            "as TRACK_LEAST_FACTOR");
TRACK_SHARE(TRACK_REJECT_MOST, .6, "largest factor of the next step after a rejected one", "by hand",
            "larger: the next trial fails, too; smaller: shorter steps");
TRACK_REAL(TRACK_FIRST_REACH, .1, "change of x in a first step, relative to the radius of convergence", "by hand",
           "larger: the first trial fails; smaller: more steps at the start");
TRACK_REAL(TRACK_FIRST_STEP, .1, "longest first step, relative to |tau|, or in log(tau)", "by hand",
           "as TRACK_FIRST_REACH");
TRACK_SHARE(TRACK_CUT, .9, "a trial below this share of the proposed step was shortened by the end of its leg",
            "by hand",
            "larger: a step that became longer is taken for shortened; smaller: short steps after the end of a leg");
TRACK_SHARE(TRACK_TWO_STEPS, .6, "a step above this share of the rest of the leg is replaced by half of the rest",
            "two equal steps instead of a long and a very short one",
            "larger: very short steps; smaller: shorter steps");
TRACK_REAL(TRACK_INFORMATIVE, 100.0, "differences below this multiple of the accuracy show nothing about w",
           "by hand: two digits", "larger: omega is not updated; smaller: noise makes it too large");
TRACK_SHARE(TRACK_OMEGA_FADES, .25, "share of omega that is kept from step to step", "by hand",
            "larger: one difficult place raises the precision for longer; smaller: it is forgotten too soon");
TRACK_REAL(TRACK_ABOVE_NOISE, 10.0, "corrections above this multiple of the noise have to converge",
           "by hand: one digit", "larger: slow convergence is not seen; smaller: noise rejects steps");
TRACK_REAL(TRACK_NOISY, 1e4, "corrections below this multiple of the noise that do not decrease are noise",
           "estimates of the noise may be too small by some digits",
           "larger: a point that does not converge is accepted; smaller: it is rejected for its noise");
TRACK_SHARE(TRACK_STALLS, .25, "ratio of corrections above which they do not decrease", "by hand", "as TRACK_NOISY");
TRACK_SHARE(TRACK_CONVERGES, .5, "ratio of corrections above which a trial does not converge", "by hand",
            "larger: corrections are wasted, and a path may jump to another one; smaller: more rejected steps");
TRACK_REAL(TRACK_MERELY_NOISE, 100.0,
           "corrections below this multiple of the noise call for a higher precision, not for a shorter step",
           "by hand: two digits", "larger: a higher precision than needed; smaller: steps become short in vain");
TRACK_REAL(TRACK_MOVED_START, 1e-6, "maximum distance of a start point from the path, relative to |x|",
           "start solutions have to have six correct digits",
           "larger: wrong start points; smaller: rounded ones are refused");
TRACK_REAL(TRACK_MOVED, 1e-3, "maximum distance by which a point moves when it is corrected again", "by hand",
           "larger: a path may jump to another one; smaller: points of limited accuracy fail");

/* ---- The zone near the end -------------------------------------------------------------------------------------- */

TRACK_REAL(TRACK_ZONE, .02, "|tau| below which the walk goes on in log(tau) unless its steps are long", "by hand",
           "larger: steps in log(tau), which take longer, where paths are not yet series; smaller: short steps to "
           "singular ends");
TRACK_REAL(TRACK_ZONE_MOST, 5e-3, "|tau| below which it does in any case", "by hand", "as TRACK_ZONE");
TRACK_SHARE(TRACK_LONG, .3, "a step, relative to |tau|, that is long", "by hand: three of them reach the end",
            "as TRACK_ZONE");
TRACK_REAL(TRACK_ZONE_STEP, 1.0, "longest first step in log(tau) in the zone", "by hand",
           "larger: the first trial fails; smaller: more steps");
TRACK_REAL(TRACK_LONGEST, 20.0, "longest step in log(tau)", "by hand: nine decades",
           "larger: another term may take over unseen; smaller: more steps of paths to infinity");
TRACK_REAL(TRACK_LONGEST_FALL, 2.5, "the same while y falls and its limit is not known to be zero",
           "samples must be dense", "larger: limits of y are less certain; smaller: more steps");
TRACK_REAL(TRACK_LONGEST_FINITE, 3.0, "the same of paths that do not seem to go to infinity", "circles need points",
           "as TRACK_LONGEST_FALL");
TRACK_REAL(TRACK_SHORT, .25, "a step in log(tau) that is always allowed", "by hand",
           "larger: terms may leave the range; smaller: more steps");
TRACK_REAL(TRACK_LEAST_WAY, 1.0, "a step in log(tau) is not shortened below this by the change of precision ahead",
           "by hand", "larger: steps beyond that point are rejected; smaller: more steps");
TRACK_WHOLE(TRACK_RANGE_BITS, 950, "bits of the range of doubles that terms may use in a step",
            "range of doubles: 1022", "larger: digits of terms underflow; smaller: shorter steps");
TRACK_WHOLE(TRACK_LIMB_BITS, 55, "bits of that for each limb", "53 bits of a double, and their signs",
            "as TRACK_RANGE_BITS");
TRACK_REAL(TRACK_LEAST_TAU, 1e-280, "the walk ends here, before numbers underflow", "range of doubles",
           "larger: slow paths to infinity are undecided; smaller: underflow");
TRACK_REAL(TRACK_JUMP, 1e-3, "expected error of a jump to tau = 0 that is tried", "by hand",
           "larger: more jumps fail; smaller: more steps before the end");
TRACK_REAL(TRACK_JUMP_MOVING, .034, "|tau| above which polyhedral paths try none",
           "some coefficients are below e^-1 there",
           "larger: jumps fail, or lead to another path; smaller: more steps before the end");
TRACK_REAL(TRACK_JUMP_REACH, 4.0, "a step this many times as long may reach tau = 0",
           "the largest factor of steps is 3",
           "larger: coordinates are scaled later; smaller: a jump finds terms out of range");
TRACK_SHARE(TRACK_JUMP_AGAIN, .125, "after a jump failed, share of |tau| at which the next one is tried", "by hand",
            "larger: more jumps fail; smaller: more steps before the end");
TRACK_SHARE(TRACK_JUMP_AGAIN_END, .01, "the same after its endpoint did not hold in more digits", "by hand",
            "as TRACK_JUMP_AGAIN");
TRACK_SHARE(TRACK_TOO_FAR, .5, "longest step, relative to |tau|, until then", "by hand", "as TRACK_JUMP_AGAIN");

/* ---- The range of doubles ------------------------------------------------------------------------------------------- */

TRACK_REAL(TRACK_LOST, 0x1p-1000, "size of terms below which their digits are lost in any precision",
           "range of doubles", "larger: paths to infinity are blind earlier; smaller: verdicts from lost digits");
TRACK_REAL(TRACK_ROWS, 0x1p300, "sizes and inverses of sizes above which the point is multiplied by a power of two",
           "squares of terms have to stay in range", "larger: squares overflow; smaller: needless multiplications");
TRACK_WHOLE(TRACK_FRAME_FLOOR, 100, "exponent below the largest unknown at which a frame keeps small ones",
            "x_0 is then far below that of any root asked for",
            "larger: products leave the range; smaller: x_0 is not distinguished from roots; sharp: below 57 x_0 at "
            "infinity is "
            "above 1e-17, so that a path of cyclic5 ends beyond the largest root instead; 60 changes nothing");
TRACK_WHOLE(TRACK_FRAME_DEGREE, 7, "highest degree of an equation for which there is a frame",
            "a product of seven unknowns of 2^-100 has all digits of qd",
            "larger: digits underflow; smaller: paths fail that a frame would save");
TRACK_WHOLE(TRACK_FRAME_RANGE, 300, "exponent of terms at which a frame is renewed", "it has to last for the next step",
            "larger: a step leaves the range; smaller: frames are renewed too often");
TRACK_WHOLE(TRACK_RANGE, 500, "exponent of terms at which a frame is needed",
            "half of the range: moduli are roots of squares",
            "larger: squares leave the range; smaller: frames that are not needed");

/* ---- Infinity ------------------------------------------------------------------------------------------------------ */

TRACK_REAL(TRACK_FINITE, 10.0, "ratio of a limit to its error above which it is not zero", "a safety factor of 10",
           "larger: large roots are taken for infinite or undecided; smaller: infinite paths for large roots");
TRACK_REAL(TRACK_CLEAR, 1e-2, "relative error of x_0 by noise below which it is not zero",
           "two digits of x_0 are known",
           "larger: infinite ends are taken for large roots; smaller: large roots for infinite");
TRACK_REAL(TRACK_LOSS, 1e2, "ratio of the error of x_0 to noise above which too many digits were lost to call it zero",
           "by hand: two digits",
           "larger: an ill-conditioned root may be called infinite; smaller: infinite ends are undecided");
TRACK_SHARE(TRACK_SPREAD, .5, "tau of a new sample is below this times that of the one before",
            "interpolation in powers of tau needs nodes that are apart",
            "larger: noise in the limit; smaller: fewer samples, later verdicts");
TRACK_REAL(TRACK_INACCURATE, 1e-5, "relative error of a sample that may hide the limit", "by hand",
           "larger: limits stay unknown; smaller: more corrections");
TRACK_SHARE(TRACK_CHIEF, .1, "ratio of |x_k| to the largest unknown below which that takes its place",
            "by hand: samples begin anew then",
            "larger: samples begin anew more often; smaller: y is large for finite roots");
TRACK_SHARE(TRACK_FALLEN, .1, "share of y that its limit is at most, if y is to tend to zero", "by hand",
            "larger: trials ahead of paths to finite roots fail; smaller: later verdicts at infinity");
TRACK_SHARE(TRACK_MOST_OF, .5, "share of y that a limit is at least, if the path is to tend to a finite root",
            "by hand", "larger: circles begin later; smaller: circles of paths that are still far away");
TRACK_SHARE(TRACK_RATE, .5, "least valuation of y that falls, times the largest winding number",
            "half of the smallest valuation possible",
            "larger: paths of large winding number stay undecided; smaller: constant y is taken for falling");
TRACK_REAL(TRACK_BEYOND, 1e-2, "|x_0| / |x| at infinity, times the largest root asked for",
           "two digits below that root", "larger: the largest roots are taken for infinite; smaller: later verdicts");
TRACK_WHOLE(TRACK_DISTANT_ARDUOUS, 10, "what a step of a distant path counts where it takes the highest precision",
            "by hand: the ratio of times in qd and in d is larger",
            "larger: large roots are given up; smaller: hopeless paths take longer");
TRACK_REAL(TRACK_AHEAD_MARGIN, 2.0, "a trial ahead goes to a point where it is smaller by this factor",
           "a factor of two for rounding", "larger: more trials fail; smaller: they end just before that point");
TRACK_REAL(TRACK_NO_RETURN, 1e-8, "the same where a path is not followed any further although it may grow again",
           "by hand: eight digits", "larger: very large roots are given up; smaller: paths are followed for longer");
TRACK_REAL(TRACK_ARDUOUS, 1e15, "condition number above which a limit of y need not be quite as small to be zero",
           "it takes qd, and grows with every step",
           "larger: infinite paths are undecided; smaller: weaker evidence for infinity");
TRACK_REAL(TRACK_NEARLY_ZERO, 1e2, "how many times as large such a limit may be", "by hand",
           "larger: weaker evidence for infinity; smaller: infinite paths are undecided");
TRACK_REAL(TRACK_ROUNDED, 1e-14, "error of a limit because samples are doubles, relative to y",
           "rounding: some units of a double",
           "larger: limits are not distinguished from zero; smaller: noise is taken for a limit");
TRACK_REAL(TRACK_FAR_FALL, 69.0, "logarithm of the ratio of |x_0| / |x| to that in a trial far ahead",
           "30 decades: log(1e30)",
           "larger: terms underflow there, and show nothing; smaller: a tiny term that takes over is not seen");
TRACK_REAL(TRACK_FEW_DECADES, 8.0, "the same, at least, beyond the point at which the path counts as infinite",
           "3.5 decades", "larger: more paths are blind; smaller: weaker evidence for infinity");
TRACK_SHARE(TRACK_LESS_FAR, .5, "share of the way of a trial far ahead that the next one goes if it showed nothing",
            "by hand", "larger: more trials; smaller: weaker evidence");
TRACK_REAL(TRACK_BALANCED, .1, "backward error below which the terms of the equations are balanced",
           "terms that do not balance each other have an error of about 1",
           "larger: weaker evidence for infinity; smaller: paths with slowly falling other terms are undecided");
TRACK_SHARE(TRACK_LOOK_AGAIN, .125, "after a trial ahead failed, share of |tau| at which the next one is made",
            "by hand", "larger: more trials fail; smaller: later verdicts");
TRACK_SHARE(TRACK_VALUATION, .05, "distance of c times a valuation from an integer that is taken for it", "by hand",
            "larger: valuations are rounded to wrong fractions; smaller: they stay inexact, and trials far ahead fail");
TRACK_REAL(TRACK_SETTLED, 1e-3, "the same of valuations that are known well, of which c may be larger", "by hand",
           "as TRACK_VALUATION");
TRACK_WHOLE(TRACK_DENOMINATORS, 64, "the largest such c", "by hand: the fractions are then 1e-3 apart",
            "as TRACK_VALUATION");
TRACK_WHOLE(TRACK_HIGHEST, 16, "the largest valuation of y that is tried", "by hand",
            "larger: noise may look like a steep series; smaller: steep paths stay undecided");

/* ---- Circles -------------------------------------------------------------------------------------------------------- */

TRACK_REAL(TRACK_CIRCLE_ZONE, 1e-3, "the largest circle", "by hand: other singularities are usually further away",
           "larger: circles enclose other singularities; smaller: more steps before the first circle");
TRACK_REAL(TRACK_CIRCLE_SURE, 1e-7, "|tau| of a path to a finite endpoint below which circles begin in any case",
           "jumps have failed all the way",
           "larger: circles around regular ends; smaller: more steps to singular ends whose condition grows slowly");
TRACK_REAL(TRACK_CIRCLE_STEP, 1.0, "steps in log(tau) that are shorter show that another singularity is near",
           "by hand", "larger: circles begin later; smaller: more circles that do not close");
TRACK_REAL(TRACK_GROWTH, .1, "the condition grows at least like this power of 1 / tau at singular endpoints",
           "winding numbers up to 10",
           "larger: circles of high winding number begin later; smaller: circles around regular ends");
TRACK_REAL(TRACK_LATE, 1e-6, "exposure of the highest precision above which circles begin in any case",
           "four digits before TRACK_SOFT",
           "larger: circles begin too late for their precision; smaller: circles before their time");
TRACK_SHARE(TRACK_CIRCLE_INSIDE, .75, "the first circle is inside this share of |tau|", "room to reach it by a step",
            "larger: a very short step to it; smaller: smaller circles");
TRACK_WHOLE(TRACK_CIRCLES, 14, "maximum number of circles of a path", "by hand",
            "larger: hopeless paths take longer; smaller: singular ends fail");
TRACK_WHOLE(TRACK_OPEN, 4, "maximum number of circles that did not close",
            "by hand: the next one would be 64^5 times further in",
            "larger: hopeless circles; smaller: singular ends fail");
TRACK_REAL(TRACK_RESUME, 1.0 / 64.0, "ratio of the next circle to one that did not close", "by hand",
           "larger: it may not close either; smaller: more steps, and a higher precision");
TRACK_REAL(TRACK_LEAST_CHORD, 1e-2, "length of a step on a circle, relative to its radius, below which it is left",
           "a branch point is as near", "larger: circles are left needlessly; smaller: many steps past a branch point");
TRACK_REAL(TRACK_CORNER_ERROR, 1e-31, "relative error of tau at the vertices of a circle", "two doubles",
           "larger: circles are repeated for less; smaller: means never settle");
TRACK_REAL(TRACK_LEAST_CIRCLE, 0x1p-90, "the smallest circle", "digits of tau in two doubles, less the corrections",
           "larger: close roots are not resolved; smaller: points of the circle are noise");
TRACK_REAL(TRACK_LEAST_CIRCLE_D, 0x1p-45, "the smallest circle in d", "digits of a double, less the corrections",
           "as TRACK_LEAST_CIRCLE");
TRACK_REAL(TRACK_CIRCLE_ROOM, 4.0, "no circle begins below this multiple of the smallest one",
           "room for two smaller ones, which confirm it",
           "larger: late singular ends are undecided; smaller: circles that nothing can confirm");
TRACK_REAL(TRACK_CLOSES, 64.0, "a circle is closed if its ends are within this multiple of their errors",
           "estimates of errors may be too small",
           "larger: branches that are close count as closed; smaller: noise keeps circles open");
TRACK_REAL(TRACK_CLOSES_D, 1e-6, "or within this share of its extent, in d", "by hand", "as TRACK_CLOSES");
TRACK_REAL(TRACK_CLOSES_SHARE, 1e-9, "the same in dd and qd", "by hand", "as TRACK_CLOSES");
TRACK_REAL(TRACK_RESOLVED, 1e-2,
           "share of the extent that this bound is at most, if other branches are to be distinguished from it",
           "two digits", "larger: wrong winding numbers; smaller: a higher precision than needed");
TRACK_REAL(TRACK_STRAY, 1e2, "growth of the condition on a circle, or at its mean, above which it leads elsewhere",
           "a root is regular if its condition is like that on the circle",
           "larger: singular ends are taken for regular; smaller: regular ones for singular");
TRACK_REAL(TRACK_MEAN_NOISE, 2.0, "noise of a mean, or of the limit of the ray, in units of that of its points",
           "the first and the last point", "larger: means settle with fewer digits; smaller: more circles");
TRACK_REAL(TRACK_MEAN_SETTLED, 4.0,
           "ratio of the error of a mean to its noise below which it is as accurate as its points", "by hand",
           "larger: fewer digits of singular ends; smaller: more circles");
TRACK_WHOLE(TRACK_CIRCLES_ENOUGH, 6, "circles after which a mean within the tolerance suffices", "by hand",
            "larger: more circles; smaller: fewer digits of singular ends");
TRACK_REAL(TRACK_INWARD_TARGET, 2.0, "error of the next mean, in units of its noise, for which its radius is chosen",
           "by hand", "larger: more circles; smaller: smaller ones, with more noise");
TRACK_REAL(TRACK_MOST_INWARD, 1e-6, "least ratio of the next circle to this one", "by hand",
           "larger: more circles; smaller: a circle far in, which takes a higher precision");
TRACK_SHARE(TRACK_CIRCLE_SMALLER, .25, "ratio of the next circle to one whose mean is not yet a root; a power of two",
            "by hand", "as TRACK_MOST_INWARD");
TRACK_REAL(TRACK_ASTRAY, 1e3, "ratio of residual to error of a mean above which no root is near",
           "by hand: three digits",
           "larger: the mean of several roots is refined in vain; smaller: circles around a root are given up");
TRACK_REAL(TRACK_LENGTHY, 1e2, "ratio of a Newton step at a mean to its error above which the root is not multiple",
           "at a distance e from a multiple root it is about e",
           "larger: close simple roots are taken for a multiple one; smaller: multiple roots are undecided");
TRACK_REAL(TRACK_UNSURE, 8.0, "noise of that step, in units of the noise of h", "by hand", "as TRACK_LENGTHY");
TRACK_REAL(TRACK_BESIDE, 0x1p-10,
           "distance of the point beside a mean, relative to that of the newest point; a power of two",
           "about a thousandth", "larger: a singular root looks regular there; smaller: noise does");
TRACK_WHOLE(TRACK_STATIONS, 8, "maximum number of stations of a ray", "by hand: four are usually enough",
            "larger: rays that confirm nothing take longer; smaller: circles in qd instead");
TRACK_REAL(TRACK_RAY_SETTLED, 4.0, "ratio of the change of the limit of a ray to its noise below which it is confirmed",
           "by hand", "larger: close roots are taken for a multiple one; smaller: circles in qd instead");

#endif

#undef TRACK_REAL
#undef TRACK_SHARE
#undef TRACK_WHOLE
#undef TRACK_THRESHOLDS_DONE
