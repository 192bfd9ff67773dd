/* names.c - the names of what the enums of the public header number, in both directions. They are those of command lines, JSON files
 * and journals, so none of them may change. */
#include <string.h>

#include "plumb.h"

/* The tables, in the order of the enums; COUNT(names) is the number of entries. */
#define COUNT(names) (int32_t)(sizeof(names) / sizeof(names)[0])
#define NAME_OF_CODE(code, text) #code,
static const char *const statuses[] = {PLUMB_STATUS_LIST(NAME_OF_CODE)};
#undef NAME_OF_CODE
#define NAME_OF_OP(code, name, operands) name,
static const char *const ops[] = {PLUMB_OP_LIST(NAME_OF_OP)};
#undef NAME_OF_OP
#define NAME_OF_PATH(code, text) text,
static const char *const paths[] = {PLUMB_PATH_LIST(NAME_OF_PATH)};
#undef NAME_OF_PATH
static const char *const backends[] = {"auto", "cpu", "gpu"};
static const char *const formats[] = {"auto", "mtx", "npy", "csv", "phc", "txt", "json"};
static const char *const methods[] = {"mgs", "refined", "lu"};
static const char *const operands[] = {"plain", "transpose", "conjugate", "adjoint"};
static const char *const gemm_methods[] = {"auto", "tiles", "residues"};
static const char *const kinds[] = {"unknown", "regular", "singular", "cluster"};
static const char *const newton[] = {"converged", "slow", "diverged", "singular", "nonfinite"};
static const char *const mixed[] = {"stable", "origin", "nonzero"};
static const char *const starts[] = {"auto", "total", "multihomogeneous", "polyhedral"};
static const char *const digits[] = {"reached", "fewer", "singular", "diverged", "not zero", "nonfinite"};
static const char *const certify[] = {"certified", "squared up",     "excluded",
                                      "singular",  "no contraction", "not finite"};
static const char *const component_states[] = {"unknown", "irreducible", "open"};
static const char *const members[] = {"off", "on", "undecided"};
_Static_assert(COUNT(members) == PLUMB_MEMBER_UNDECIDED + 1, "a name for each answer about a point");
_Static_assert(COUNT(component_states) == PLUMB_COMPONENT_OPEN + 1, "a name for each state of a component");
_Static_assert(COUNT(backends) == PLUMB_BACKEND_GPU + 1, "a name for each backend");
_Static_assert(COUNT(formats) == PLUMB_FORMAT_COUNT, "a name for each format");
_Static_assert(COUNT(methods) == PLUMB_METHOD_LU + 1, "a name for each method");
_Static_assert(COUNT(operands) == PLUMB_OPERAND_ADJOINT + 1, "a name for each operand");
_Static_assert(COUNT(gemm_methods) == PLUMB_GEMM_RESIDUES + 1, "a name for each method of products");
_Static_assert(COUNT(kinds) == PLUMB_SOLUTION_CLUSTER + 1, "a name for each kind of solution");
_Static_assert(COUNT(newton) == PLUMB_NEWTON_CODES, "a name for each code of Newton's method");
_Static_assert(COUNT(mixed) == PLUMB_MIXED_NONZERO + 1, "a name for each mixed volume");
_Static_assert(COUNT(starts) == PLUMB_START_POLYHEDRAL + 1, "a name for each start system");
_Static_assert(COUNT(digits) == PLUMB_DIGITS_CODES, "a name for each code of a point with digits");
_Static_assert(COUNT(certify) == PLUMB_CERTIFY_CODES, "a name for each code of a certificate");

static const char *name_of(const char *const *names, int32_t count, int32_t number)
{
    return number >= 0 && number < count ? names[number] : NULL;
}

static int32_t number_of(const char *const *names, int32_t count, const char *name)
{
    for (int32_t k = 0; name && k < count; k++)
        if (strcmp(name, names[k]) == 0)
            return k;
    return -1;
}

const char *plumb_status_name(int32_t status)
{
    return name_of(statuses, COUNT(statuses), status);
}
int32_t plumb_status_from_name(const char *name)
{
    return number_of(statuses, COUNT(statuses), name);
}

const char *plumb_op_name(plumb_op op)
{
    return name_of(ops, COUNT(ops), (int32_t)op);
}
int32_t plumb_op_from_name(const char *name)
{
    return number_of(ops, COUNT(ops), name);
}

int32_t plumb_path_from_name(const char *name)
{
    return number_of(paths, COUNT(paths), name);
}

const char *plumb_backend_name(int32_t backend)
{
    return name_of(backends, COUNT(backends), backend);
}
int32_t plumb_backend_from_name(const char *name)
{
    return number_of(backends, COUNT(backends), name);
}

const char *plumb_format_name(int32_t format)
{
    return name_of(formats, COUNT(formats), format);
}
int32_t plumb_format_from_name(const char *name)
{
    return number_of(formats, COUNT(formats), name);
}

const char *plumb_method_name(int32_t method)
{
    return name_of(methods, COUNT(methods), method);
}
int32_t plumb_method_from_name(const char *name)
{
    return number_of(methods, COUNT(methods), name);
}

const char *plumb_operand_name(int32_t operand)
{
    return name_of(operands, COUNT(operands), operand);
}
int32_t plumb_operand_from_name(const char *name)
{
    return number_of(operands, COUNT(operands), name);
}

const char *plumb_gemm_method_name(int32_t method)
{
    return name_of(gemm_methods, COUNT(gemm_methods), method);
}
int32_t plumb_gemm_method_from_name(const char *name)
{
    return number_of(gemm_methods, COUNT(gemm_methods), name);
}

const char *plumb_solution_kind_name(int32_t kind)
{
    return name_of(kinds, COUNT(kinds), kind);
}
int32_t plumb_solution_kind_from_name(const char *name)
{
    return number_of(kinds, COUNT(kinds), name);
}

const char *plumb_newton_name(int32_t code)
{
    return name_of(newton, COUNT(newton), code);
}
int32_t plumb_newton_from_name(const char *name)
{
    return number_of(newton, COUNT(newton), name);
}

const char *plumb_digits_name(int32_t code)
{
    return name_of(digits, COUNT(digits), code);
}
int32_t plumb_digits_from_name(const char *name)
{
    return number_of(digits, COUNT(digits), name);
}

const char *plumb_mixed_name(int32_t kind)
{
    return name_of(mixed, COUNT(mixed), kind);
}
int32_t plumb_mixed_from_name(const char *name)
{
    return number_of(mixed, COUNT(mixed), name);
}

const char *plumb_start_name(int32_t kind)
{
    return name_of(starts, COUNT(starts), kind);
}
int32_t plumb_start_from_name(const char *name)
{
    return number_of(starts, COUNT(starts), name);
}

const char *plumb_certify_name(int32_t code)
{
    return name_of(certify, COUNT(certify), code);
}
int32_t plumb_certify_from_name(const char *name)
{
    return number_of(certify, COUNT(certify), name);
}

const char *plumb_component_state_name(int32_t state)
{
    return name_of(component_states, COUNT(component_states), state);
}
int32_t plumb_component_state_from_name(const char *name)
{
    return number_of(component_states, COUNT(component_states), name);
}

const char *plumb_member_name(int32_t verdict)
{
    return name_of(members, COUNT(members), verdict);
}

int32_t plumb_member_from_name(const char *name)
{
    return number_of(members, COUNT(members), name);
}
