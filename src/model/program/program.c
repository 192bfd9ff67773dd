/* program.c - compiles a system when it is first evaluated, and keeps the program with it. */
#include "model/program/program.h"

#include <stdlib.h>

#include "model/program/build.h"

void *program_array(int64_t count, size_t size)
{
    return calloc(count > 0 ? (size_t)count : 1, size);
}

bool program_take_slots(program_build *b, int64_t count, int32_t *first)
{
    int64_t padded = program_padded(count);
    if (padded > INT32_MAX - b->slots)
        return false;
    *first = (int32_t)b->slots;
    b->slots += padded;
    return true;
}

static bool has_real_coefficients(const plumb_system *system)
{
    for (int64_t t = 0; t < program_terms(system); t++)
        if (mpq_sgn(system->terms[t].im) != 0)
            return false;
    return true;
}

/* Addresses of programs are reused after they are freed; their numbers are not. */
static uint64_t next_number(void)
{
    static uint64_t last;
    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static plumb_status compile(const plumb_system *system, eval_program *p)
{
    program_build b = {.system = system, .p = p};
    int32_t point;
    if (system->unknowns >= INT32_MAX - PROGRAM_PAD || system->equations >= INT32_MAX - PROGRAM_PAD ||
        program_terms(system) > INT32_MAX - PROGRAM_PAD)
        return PLUMB_ERR_SIZE;
    p->number = next_number();
    p->equations = (int32_t)system->equations;
    p->unknowns = (int32_t)system->unknowns;
    p->columns = (int32_t)program_differentiated(system);
    p->is_real = has_real_coefficients(system);
    plumb_status status = program_take_slots(&b, 1 + system->unknowns, &point) ? PLUMB_OK : PLUMB_ERR_SIZE;
    if (status == PLUMB_OK)
        status = program_build_powers(&b);
    if (status == PLUMB_OK)
        status = program_build_groups(&b);
    if (status == PLUMB_OK)
        status = program_build_sums(&b);
    p->slots = (int32_t)b.slots;
    free(b.powers);
    free(b.products);
    free(b.term_product);
    return status;
}

plumb_status plumb_program_of(const plumb_system *system, const eval_program **made)
{
    /* The system is logically constant: only the cached program changes, and only once. */
    eval_program **kept = &((plumb_system *)system)->program, *expected = NULL;
    *made = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (*made)
        return PLUMB_OK;
    eval_program *fresh = calloc(1, sizeof *fresh);
    plumb_status status = fresh ? compile(system, fresh) : PLUMB_ERR_MEMORY;
    if (status != PLUMB_OK) {
        plumb_program_free(fresh);
        return status;
    }
    if (!__atomic_compare_exchange_n(kept, &expected, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        plumb_program_free(fresh); /* another thread was faster and made the same program */
        fresh = expected;
    }
    *made = fresh;
    return PLUMB_OK;
}

void plumb_program_free(eval_program *p)
{
    if (!p)
        return;
    for (int32_t parts = 0; parts <= PLUMB_COMPLEX; parts++)
        for (int32_t prec = 0; prec <= PLUMB_QD; prec++)
            free(p->coefficients[parts][prec]);
    free(p->magnitudes);
    free(p->group);
    free(p->a);
    free(p->b);
    free(p->factors);
    free(p->row_terms);
    free(p->slice_start);
    free(p->term_slot);
    free(p->term_of);
    free(p->times);
    free(p->value_slot);
    free(p->entry_slot);
    free(p->entry_row);
    free(p->entry_col);
    free(p);
}
