/* json.c - reads solutions from JSON:
 *
 *   {"unknowns": ["x", "y"], "solutions": [{"x": [["0.5", "0"], ["1/3", "-2"]], "t": ["1", "0"], "multiplicity": 1,
 *    "error": 1e-16, "rcond": 0.1, "residual": 1e-15}]}
 *
 * The numbers of x and t are strings, which are correctly rounded to the precision; a JSON number is taken as the
 * double it denotes. Only "unknowns", "solutions" and "x" are required; other members are ignored. Errors in the
 * meaning of a value have no position (1:1) but name the value. */
#include <math.h>
#include <string.h>

#include "model/name.h"
#include "text/json/read.h"
#include "text/solutions/text.h"
#include "text/system/names.h"

typedef struct json_solutions {
    const text_cursor *cursor;
    plumb_text_error *error;
    plumb_solutions *solutions;
    plumb_points *exact; /* receives the numbers of x without rounding, or NULL */
    int64_t k;           /* the current solution */
} json_solutions;

static plumb_status wrong(const json_solutions *j, const char *where, const char *what)
{
    return plumb_text_error_at(j->cursor, j->cursor->begin, PLUMB_ERR_PARSE, j->error,
                               "solutions[%lld].%s: expected %s", (long long)j->k, where, what);
}

static int64_t length_of(const json_node *array)
{
    int64_t count = 0;
    for (const json_node *n = array->child; n != NULL; n = n->next)
        count++;
    return count;
}

static bool read_part(const json_node *node, int32_t prec, double *limbs)
{
    memset(limbs, 0, (size_t)prec * sizeof *limbs);
    if (node->kind == JSON_NUMBER)
        limbs[0] = node->number;
    else if (node->kind != JSON_STRING ||
             plumb_number_read(node->string, strlen(node->string), prec, limbs, NULL, NULL) != PLUMB_OK)
        return false;
    return true;
}

static bool read_pair(const json_node *node, int32_t prec, double *limbs)
{
    return node->kind == JSON_ARRAY && length_of(node) == 2 && read_part(node->child, prec, limbs) &&
           read_part(node->child->next, prec, limbs + prec);
}

static bool read_part_exactly(const json_node *node, mpq_t value)
{
    if (node->kind == JSON_NUMBER && isfinite(node->number)) {
        mpq_set_d(value, node->number);
        return true;
    }
    return node->kind == JSON_STRING && plumb_real_exact(node->string, value);
}

static bool read_pair_exactly(const json_node *node, mpq_t *value)
{
    return node->kind == JSON_ARRAY && length_of(node) == 2 && read_part_exactly(node->child, value[0]) &&
           read_part_exactly(node->child->next, value[1]);
}

/* Reads a member that is a number; null, which stands for numbers that are not finite, becomes NaN. */
static void read_double(const json_node *solution, const char *key, double *value)
{
    const json_node *node = json_member(solution, key);
    *value = node != NULL && node->kind == JSON_NULL ? (double)NAN : json_member_number(solution, key, *value);
}

static plumb_status read_solution(const json_solutions *j, const json_node *node)
{
    plumb_solutions *s = j->solutions;
    const json_node *x = json_member(node, "x"), *t = json_member(node, "t");
    solution_record *record = &s->record[j->k];
    if (x == NULL || x->kind != JSON_ARRAY || length_of(x) != s->unknowns)
        return wrong(j, "x", "a list with a pair of numbers for each unknown");
    int64_t i = 0;
    for (const json_node *value = x->child; value != NULL; value = value->next, i++)
        if (!(j->exact ? read_pair_exactly(value, point_value(j->exact, j->k, i))
                       : read_pair(value, s->prec, solution_value(s, j->k, i))))
            return wrong(j, "x", "pairs of numbers as strings, [\"re\", \"im\"]");
    if (t != NULL && !read_pair(t, s->prec, s->t + j->k * 2 * s->prec))
        return wrong(j, "t", "a pair of numbers as strings, [\"re\", \"im\"]");
    double multiplicity = json_member_number(node, "multiplicity", 1);
    if (!(multiplicity >= 0 && multiplicity <= 0x1p53) || multiplicity != floor(multiplicity))
        return wrong(j, "multiplicity", "a whole number");
    record->multiplicity = (int64_t)multiplicity;
    read_double(node, "error", &record->err);
    read_double(node, "rcond", &record->rco);
    read_double(node, "residual", &record->res);
    return PLUMB_OK;
}

static plumb_status take_names(json_solutions *j, const json_node *unknowns)
{
    plumb_status status = PLUMB_OK;
    system_names names = {.name = NULL};
    int64_t i = 0;
    for (json_node *n = unknowns->child; n != NULL && status == PLUMB_OK; n = n->next, i++) {
        bool good = n->kind == JSON_STRING && name_is_usable(n->string) &&
                    plumb_names_find(&names, n->string, strlen(n->string)) < 0;
        if (!good) {
            status = plumb_text_error_at(j->cursor, j->cursor->begin, PLUMB_ERR_PARSE, j->error,
                                         "unknowns[%lld]: expected a name that comes once, without space, ':' or '='",
                                         (long long)i);
        } else if ((status = plumb_names_add(&names, n->string, strlen(n->string))) != PLUMB_OK) {
            plumb_text_error_at(j->cursor, j->cursor->begin, status, j->error, "%s", plumb_status_text(status));
        } else {
            j->solutions->names[i] = n->string; /* moved */
            n->string = NULL;
        }
    }
    plumb_names_clear(&names);
    return status;
}

static plumb_status read_tree(json_solutions *j, const json_node *root, int32_t prec, bool exactly)
{
    const json_node *unknowns = json_member(root, "unknowns"), *list = json_member(root, "solutions");
    if (unknowns == NULL || unknowns->kind != JSON_ARRAY || unknowns->child == NULL)
        return plumb_text_error_at(j->cursor, j->cursor->begin, PLUMB_ERR_PARSE, j->error,
                                   "found no list \"unknowns\", expected their names");
    if (list == NULL || list->kind != JSON_ARRAY)
        return plumb_text_error_at(j->cursor, j->cursor->begin, PLUMB_ERR_PARSE, j->error,
                                   "found no list \"solutions\", expected one");
    plumb_status status = plumb_solutions_create(length_of(list), length_of(unknowns), prec, NULL, &j->solutions);
    if (status != PLUMB_OK)
        return plumb_text_error_at(j->cursor, j->cursor->begin, status, j->error, "%s", plumb_status_text(status));
    status = take_names(j, unknowns);
    if (status == PLUMB_OK && exactly) {
        status = plumb_points_make(j->solutions->count, j->solutions->unknowns, &j->exact);
        if (status != PLUMB_OK)
            plumb_text_error_at(j->cursor, j->cursor->begin, status, j->error, "%s", plumb_status_text(status));
    }
    for (const json_node *node = list->child; node != NULL && status == PLUMB_OK; node = node->next, j->k++)
        status = read_solution(j, node);
    return status;
}

plumb_status plumb_solutions_read_json(const text_cursor *c, int32_t prec, plumb_solutions **solutions,
                                       plumb_points **exact, plumb_text_error *error)
{
    json_node *root;
    *solutions = NULL;
    plumb_status status = json_read(c->begin, (size_t)(c->end - c->begin), &root, error);
    if (status != PLUMB_OK)
        return status;
    json_solutions j = {.cursor = c, .error = error};
    status = read_tree(&j, root, prec, exact != NULL);
    json_free(root);
    if (status == PLUMB_OK)
        *solutions = j.solutions;
    else
        plumb_solutions_destroy(j.solutions);
    if (status == PLUMB_OK && exact)
        *exact = j.exact;
    else
        plumb_points_destroy(j.exact);
    return status;
}

plumb_status plumb_solutions_read_list(const text_cursor *c, const json_node *list, const char *const *names,
                                       int64_t unknowns, int32_t prec, plumb_solutions **solutions,
                                       plumb_text_error *error)
{
    json_solutions j = {.cursor = c, .error = error};
    *solutions = NULL;
    plumb_status status = plumb_solutions_create(length_of(list), unknowns, prec, names, &j.solutions);
    if (status != PLUMB_OK)
        return plumb_text_error_at(c, c->begin, status, error, "%s", plumb_status_text(status));
    for (const json_node *node = list->child; node != NULL && status == PLUMB_OK; node = node->next, j.k++)
        status = read_solution(&j, node);
    if (status == PLUMB_OK)
        *solutions = j.solutions;
    else
        plumb_solutions_destroy(j.solutions);
    return status;
}
