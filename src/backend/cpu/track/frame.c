/* frame.c - see frame.h. */
#include "backend/cpu/track/frame.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "method/track/control.h"
#include "model/system/system.h"

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

static double *doubles(int64_t count)
{
    return aligned_alloc(64, ((size_t)count * sizeof(double) + 64) / 64 * 64);
}

static int64_t places_of(const track_call *call)
{
    return program_steps(call->program) * PROGRAM_PAD;
}

/* Allocates what a frame needs, when a path needs it for the first time. */
static bool make_room(track_work *work, const track_call *call)
{
    const track_settings *s = call->settings;
    track_frame *frame = &work->frame;
    if (frame->is_made)
        return true;
    const int64_t places = places_of(call);
    frame->exponent = calloc((size_t)s->unknowns, sizeof *frame->exponent);
    frame->change = calloc((size_t)s->unknowns, sizeof *frame->change);
    frame->place = calloc((size_t)s->unknowns, sizeof *frame->place);
    frame->row = calloc((size_t)s->equations, sizeof *frame->row);
    frame->term = calloc((size_t)call->system->equation[call->system->equations] + 1, sizeof *frame->term);
    frame->magnitudes = doubles(places);
    bool made = frame->exponent && frame->change && frame->place && frame->row && frame->term && frame->magnitudes;
    for (int32_t prec = s->least_prec; prec <= s->most_prec; prec *= 2) {
        frame->coefficients[prec] = doubles(2 * prec * places);
        made = made && frame->coefficients[prec];
    }
    if (!made)
        track_frame_free(work);
    frame->is_made = made;
    return made;
}

void track_frame_free(track_work *work)
{
    track_frame *frame = &work->frame;
    free(frame->exponent);
    free(frame->change);
    free(frame->place);
    free(frame->row);
    free(frame->term);
    free(frame->magnitudes);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        free(frame->coefficients[prec]);
    *frame = (track_frame){0};
}

/* ---- Coefficients ------------------------------------------------------------------------------------------------------- */

/* The exponent of an unknown of the newest point; below that of any number if the unknown is zero. */
static int32_t exponent_of(const track_room *room, const track_path *p, int64_t i)
{
    const track_view *v = &room->vectors;
    const double *x = v->p + (TRACK_POINT + p->points.newest) * v->col + i;
    const double re = fabs(x[0]), im = fabs(x[p->precision.now * v->plane]), size = re > im ? re : im;
    int32_t exponent = 0;
    if (!(size > 0.0 && size < (double)INFINITY))
        return -1100;
    (void)frexp(size, &exponent);
    return exponent;
}

/* The largest power of two that a coefficient is multiplied by. */
enum { MOST_POWER = 800 };

/* Computes the power of two of each term: that of its unknowns, and one for each equation that makes its largest term at the
 * newest point about 1, as far as MOST_POWER allows. The patch, which is the last equation, keeps its constant, the unit. */
static void find_powers(const track_work *work, const track_call *call, const track_path *p)
{
    const track_frame *frame = &work->frame;
    const plumb_system *system = call->system;
    const int64_t rows = call->settings->equations;
    const int32_t tau =
        track_exponent(track_tau_abs(p->points.at[p->points.newest])); /* the weight of g, whose equations come first */
    for (int64_t k = 0; k < rows; k++)
        frame->row[k] = INT32_MIN;
    for (int64_t i = 0; i < call->settings->unknowns; i++)
        frame->place[i] = exponent_of(&work->room[p->precision.now], p, i);
    for (int64_t k = 0; k < system->equations; k++)
        for (int64_t t = system->equation[k]; t < system->equation[k + 1]; t++) {
            const system_term *term = &system->terms[t];
            int32_t power = 0, size = k < rows ? tau : 0;
            for (int64_t j = term->first; j < term->first + term->count; j++) {
                power += system->factors[j].exponent * frame->exponent[system->factors[j].unknown];
                size += system->factors[j].exponent * frame->place[system->factors[j].unknown];
            }
            frame->term[t] = power;
            size = size < -MOST_POWER ? -MOST_POWER : size;
            frame->row[k % rows] = power + size > frame->row[k % rows] ? power + size : frame->row[k % rows];
        }
    frame->row[rows - 1] = 0;
    for (int64_t k = 0; k < system->equations; k++)
        for (int64_t t = system->equation[k]; t < system->equation[k + 1]; t++)
            frame->term[t] -= frame->row[k % rows];
}

/* Multiplies coefficients by the powers of their terms. Terms whose coefficients underflow are negligible compared with the largest
 * one of their equation. */
static void scale_coefficients(const track_frame *frame, const track_call *call, const double *from, int64_t planes,
                               double *to)
{
    const eval_program *program = call->program;
    for (int64_t at = 0; at < places_of(call); at++) {
        const int32_t power = program->term_of[at] < 0 ? 0 : frame->term[program->term_of[at]];
        const double by = power < -1022 ? 0.0 : track_power_of_two(power < 1023 ? power : 1023);
        const int64_t place = at / PROGRAM_PAD * PROGRAM_PAD * planes + at % PROGRAM_PAD;
        for (int64_t c = 0; c < planes; c++)
            to[place + c * PROGRAM_PAD] = from[place + c * PROGRAM_PAD] * by;
    }
}

/* Sets the coefficients of a precision, if they are not those of this frame already. */
void track_frame_use(track_work *work, int32_t prec)
{
    track_frame *frame = &work->frame;
    if (!frame->is_used || frame->is_ready[prec])
        return;
    scale_coefficients(frame, frame->call, frame->call->coefficients[prec], 2 * (int64_t)prec,
                       frame->coefficients[prec]);
    work->room[prec].evaluation.coefficients = frame->coefficients[prec];
    frame->is_ready[prec] = 1;
}

static void change_coefficients(track_work *work, const track_call *call, const track_path *p)
{
    track_frame *frame = &work->frame;
    frame->call = call;
    find_powers(work, call, p);
    scale_coefficients(frame, call, call->magnitudes, 1, frame->magnitudes);
    work->size_evaluation.coefficients = frame->magnitudes;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        frame->is_ready[prec] = 0;
}

/* ---- Points ------------------------------------------------------------------------------------------------------------- */

/* Multiplies entry i of all vectors of the path by a power of two. */
static void scale_entry(const track_room *room, int64_t i, int32_t planes, int32_t power)
{
    const track_view *v = &room->vectors;
    for (int32_t c = 0; c < planes; c++)
        for (int64_t column = 0; column < TRACK_VECTORS; column++) {
            double *x = v->p + c * v->plane + column * v->col + i;
            *x = ldexp(*x, power);
        }
}

/* Multiplies what the path knows about y_0 / y_k by a power of two. */
static void scale_samples(track_path *p, int32_t power)
{
    for (int32_t part = 0; part < 2; part++) {
        p->lead.value[part] = ldexp(p->lead.value[part], power);
        p->lead.slope[part] = ldexp(p->lead.slope[part], power);
        for (int32_t j = 0; j < TRACK_SAMPLES; j++) {
            p->samples.lead[j][part] = ldexp(p->samples.lead[j][part], power);
            p->samples.slope[j][part] = ldexp(p->samples.slope[j][part], power);
        }
    }
    p->limit.size = ldexp(p->limit.size, power);
    p->limit.error = ldexp(p->limit.error, power);
    p->outlook.bound = ldexp(p->outlook.bound, power);
}

/* Moves the path to the new frame, and its unit to 1. */
static void move_path(track_work *work, const track_settings *s, track_path *p)
{
    const track_frame *frame = &work->frame;
    const track_room *room = &work->room[p->precision.now];
    int32_t unit = 0;
    (void)frexp(p->scale.unit, &unit); /* a power of two: 2^(unit - 1) */
    for (int64_t i = 0; i < s->unknowns; i++)
        scale_entry(room, i, 2 * p->precision.now, 1 - unit - frame->change[i]);
    p->scale.unit = 1.0;
    p->scale.size = ldexp(p->scale.size, 1 - unit);
    p->circle.extent = ldexp(p->circle.extent, 1 - unit);
    p->lead.finite = ldexp(p->lead.finite, -frame->change[0]);
    scale_samples(p, frame->change[p->lead.chief] - frame->change[0]);
}

void track_frame_begin(track_work *work, const track_call *call)
{
    const track_settings *s = call->settings;
    if (!work->frame.is_used)
        return;
    for (int32_t prec = s->least_prec; prec <= s->most_prec; prec *= 2)
        work->room[prec].evaluation.coefficients = call->coefficients[prec];
    work->size_evaluation.coefficients = call->magnitudes;
    for (int64_t i = 0; i < s->unknowns; i++)
        work->frame.exponent[i] = 0;
    work->frame.is_used = 0;
}

/* True if an unknown with an exponent of its own is no longer small. */
static bool is_too_large(const track_work *work, const track_settings *s, const track_path *p, int32_t largest)
{
    const track_frame *frame = &work->frame;
    for (int64_t i = 0; frame->is_used && i < s->unknowns; i++)
        if (frame->exponent[i] < 0 &&
            exponent_of(&work->room[p->precision.now], p, i) > largest - TRACK_FRAME_FLOOR / 2)
            return true;
    return false;
}

void track_frame_follow(track_work *work, const track_call *call, track_path *p)
{
    const track_settings *s = call->settings;
    const track_room *room = &work->room[p->precision.now];
    const int32_t leaves = track_leaves_range(s, p);
    if (!track_may_change_frame(s, p) || !(leaves || work->frame.is_used))
        return;
    int32_t largest = -1100;
    for (int64_t i = 0; i < s->unknowns; i++)
        if (!work->frame.is_used || work->frame.exponent[i] == 0) {
            const int32_t exponent = exponent_of(room, p, i);
            largest = exponent > largest ? exponent : largest;
        }
    if (!(leaves || is_too_large(work, s, p, largest)) || !make_room(work, call))
        return;
    track_frame *frame = &work->frame;
    int32_t framed = 0;
    for (int64_t i = 0; i < s->unknowns; i++) {
        const int32_t below = frame->exponent[i] + exponent_of(room, p, i) - largest + TRACK_FRAME_FLOOR;
        frame->change[i] = (below < 0 ? below : 0) - frame->exponent[i];
        frame->exponent[i] += frame->change[i];
        framed |= frame->exponent[i] < 0;
    }
    frame->is_used = 1;
    p->scale.framed = framed;
    move_path(work, s, p);
    change_coefficients(work, call, p);
}

/* A limb times a power of two; what is beyond the largest double becomes that double, as a number that can be read back. */
static double limb_of(double x, int32_t power)
{
    const double y = ldexp(x, power);
    return isinf(y) && !isinf(x) ? copysign(DBL_MAX, x) : y;
}

void track_frame_end(const track_work *work, const track_call *call, const track_path *p, int is_direction)
{
    const track_frame *frame = &work->frame;
    const track_view *end = &work->room[p->precision.now].end;
    for (int64_t i = 0; frame->is_used && i < call->given_unknowns; i++) {
        const int32_t power = frame->exponent[i + 1] - (is_direction ? 0 : frame->exponent[0]);
        for (int32_t part = 0; part < 2; part++) {
            double *x = end->p + part * p->precision.now * end->plane + i;
            const int overflows = isinf(ldexp(x[0], power)) && !isinf(x[0]);
            for (int32_t c = 0; c < p->precision.now; c++)
                x[c * end->plane] = overflows && c > 0 ? 0.0 : limb_of(x[c * end->plane], power);
        }
    }
}
