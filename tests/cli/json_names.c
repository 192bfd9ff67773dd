/* json_names.c - json_names FILE...: does every member of these JSON files have the type that docs/json.md gives to its name? Files that
 * end in .jsonl have one object per line. json_names --list prints the names. For the tests.
 *
 * A name that is not in the table is an error, so that a new member is described before it is written. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json/read.h"

typedef enum kind {
    STRING,
    STRING_OR_NULL,
    WHOLE_OR_NULL,
    WHOLE,
    NUMBER, /* or null: not finite */
    BOOLEAN,
    BOOLEAN_OR_NULL,
    REAL,    /* a number of any precision: a string that reads as one */
    COMPLEX, /* a pair of those */
    STRINGS,
    WHOLES,
    NUMBERS,
    REALS,
    COMPLEXES,
    COLUMNS, /* lists of COMPLEXES */
    OBJECTS,
    OBJECT,
    OBJECT_OR_NULL,
    ROWS_OR_NULL, /* lists of WHOLES */
    COUNTS,       /* an object whose members are whole numbers, whatever their names */
    TIMES,        /* the same with numbers */
    REASONS,      /* the same with strings */
} kind;

static const struct {
    const char *name;
    kind kind;
} table[] = {
    {"schema", STRING},
    {"command", STRING},
    {"version", STRING},
    {"precision", STRING_OR_NULL},
    {"backend", STRING},
    {"threads", WHOLE},
    {"seconds", NUMBER},
    {"seed", WHOLE},
    {"note", STRING_OR_NULL},
    /* least squares */
    {"method", STRING},
    {"m", WHOLE},
    {"n", WHOLE},
    {"right_hand_sides", OBJECTS},
    {"residual_norm", REAL},
    {"standard_errors", REALS},
    {"condition", NUMBER},
    {"digits", NUMBER},
    {"digits_wanted", NUMBER},
    {"rank", WHOLE},
    {"factor_precision", STRING},
    {"steps", WHOLE},
    {"orthogonality", NUMBER},
    {"permutation", WHOLES},
    {"matrix", COLUMNS},
    /* systems and points */
    {"equations", WHOLE},
    {"unknowns", STRINGS},
    {"degrees", WHOLES},
    {"monomials", WHOLES},
    {"most_unknowns_in_a_monomial", WHOLE},
    {"coefficients", STRING},
    {"bezout", STRING_OR_NULL},
    {"multihomogeneous", WHOLE_OR_NULL},
    {"groups", WHOLES},
    {"mixed_volume", WHOLE_OR_NULL},
    {"stable_mixed_volume", WHOLE_OR_NULL},
    {"products", WHOLE},
    {"sum_terms", WHOLE},
    {"system_file", STRING_OR_NULL},
    {"solutions_file", STRING_OR_NULL},
    {"written", WHOLE},
    {"points", OBJECTS},
    {"x", COMPLEXES},
    {"values", COMPLEXES},
    {"jacobian", COLUMNS},
    /* solutions and paths */
    {"solutions", OBJECTS},
    {"number", WHOLE},
    {"t", COMPLEX},
    {"multiplicity", WHOLE},
    {"error", NUMBER},
    {"rcond", NUMBER},
    {"residual", NUMBER},
    {"code", STRING},
    {"jacobian_precision", STRING},
    {"quadratic", BOOLEAN},
    {"trace", OBJECTS},
    {"correction", NUMBER},
    {"count", WHOLE},
    {"converged", WHOLE},
    {"refined", STRING},
    {"path_count", WHOLE},
    {"plan", OBJECT},
    {"denominators", WHOLE},
    {"sample", WHOLE},
    {"estimated_seconds", NUMBER},
    {"no_solution", STRING_OR_NULL},
    {"kind", STRING},
    {"real", BOOLEAN_OR_NULL},
    {"err", NUMBER},
    {"simplified", COUNTS},
    {"start", OBJECT},
    {"counts", COUNTS},
    {"counted_in", TIMES},
    {"mixed_cells", STRING_OR_NULL},
    {"given_up", REASONS},
    {"target", WHOLE},
    {"outcome", STRING},
    {"arcs", WHOLE},
    {"neighbour", STRING},
    {"real_count", WHOLE},
    {"positive_count", WHOLE},
    /* monodromy */
    {"parameters", STRINGS},
    {"classes", WHOLE},
    {"orbits", WHOLE},
    {"loops", COUNTS},
    {"doubt", NUMBER},
    {"trace_test", STRING_OR_NULL},
    {"trace_error", NUMBER},
    {"group_order", STRING_OR_NULL},
    {"group_proven", BOOLEAN},
    {"paths", COUNTS},
    {"total", WHOLE},
    {"regular", WHOLE},
    {"singular", WHOLE},
    {"infinite", WHOLE},
    {"not_isolated", WHOLE},
    {"extraneous", WHOLE},
    {"undecided", WHOLE},
    {"clusters", WHOLE},
    {"near_misses", OBJECT},
    {"mpfr", OBJECT},
    {"least_dimension", WHOLE},
    {"system", STRING},
    {"dimensions", OBJECTS},
    {"dimension", WHOLE},
    {"slice", STRING_OR_NULL},
    {"components", OBJECTS},
    {"degree", WHOLE},
    {"multiplicity_is_bound", BOOLEAN},
    {"state", STRING},
    {"trace_digits", NUMBER},
    {"root_count", WHOLE_OR_NULL},
    {"degree_proven", BOOLEAN},
    {"isolated", OBJECTS},
    {"tolerance", NUMBER},
    {"members", OBJECTS},
    {"point", WHOLE},
    {"of_components", OBJECTS},
    {"member", STRING},
    {"proven", BOOLEAN},
    {"distance", NUMBER},
    {"distance_error", NUMBER},
    {"isolated_member", STRING},
    {"sampled", OBJECTS},
    {"component", WHOLE},
    {"points_found", WHOLE},
    {"exhausted", WHOLE},
    {"unfollowed", WHOLE},
    {"followed", WHOLE},
    {"max_digits", WHOLE},
    {"least", NUMBER},
    {"first_path", WHOLE},
    {"done", WHOLE},
    {"failed", WHOLE},
    {"not_tracked", WHOLE},
    {"stopped", BOOLEAN},
    {"paths_by_code", COUNTS},
    {"paths_by_winding", COUNTS},
    {"paths_by_precision", COUNTS},
    {"most_steps", WHOLE},
    {"tracked_again", WHOLE},
    {"shared_ends", WHOLE},
    {"distinct_ends", WHOLE},
    {"gamma", COMPLEX},
    {"scales", WHOLES},
    {"failures", OBJECTS},
    {"path", WHOLE},
    {"step", WHOLE},
    {"size", NUMBER},
    {"corrections", WHOLE},
    {"rerun", WHOLE},
    {"most_precision", STRING},
    {"winding", WHOLE},
    {"rejected", WHOLE},
    {"solves", WHOLE},
    {"least_step", NUMBER},
    {"component_error", NUMBER},
    {"checked_in", STRING_OR_NULL},
    /* certificates */
    {"certificate", OBJECT_OR_NULL},
    {"verdict", STRING},
    {"positive", BOOLEAN_OR_NULL},
    {"distinct", BOOLEAN_OR_NULL},
    {"same_as", WHOLE_OR_NULL},
    {"bits", WHOLE},
    {"moved", NUMBER},
    {"centre", COMPLEXES},
    {"radius", REALS},
    {"square_up", ROWS_OR_NULL},
    {"certified", WHOLE},
    {"squared_up", WHOLE},
    {"excluded", WHOLE},
    {"certified_distinct", WHOLE},
    {"certified_real", WHOLE},
    {"certified_not_real", WHOLE},
    {"certified_positive", WHOLE},
    {"bound", WHOLE_OR_NULL},
    {"bound_name", STRING_OR_NULL},
    {"complete", BOOLEAN},
    {"uncertified", STRING_OR_NULL},
    {"incomplete", STRING_OR_NULL},
    {"checked", WHOLE},
    {"holding", WHOLE},
    {"refused", OBJECTS},
    {"refused_summary", STRING_OR_NULL},
    /* plumb info */
    {"certify", OBJECT},
    {"library", STRING_OR_NULL},
    {"precisions", STRINGS},
    {"isas", OBJECTS},
    {"isa", STRING},
    {"name", STRING},
    {"lanes", WHOLE},
    {"usable", BOOLEAN},
    {"chosen", BOOLEAN},
    {"cuda", OBJECT},
    {"built", BOOLEAN},
    {"reason", STRING_OR_NULL},
    {"devices", OBJECTS},
    {"index", WHOLE},
    {"memory_total", WHOLE},
    {"memory_free", WHOLE},
    {"capability", STRING},
    {"multiprocessors", WHOLE},
    {"arch", STRING},
    {"compiler", STRING},
};
enum { NAMES = sizeof table / sizeof table[0] };

static bool check_object(const char *file, const json_node *object);

static bool is_real(const json_node *node)
{
    double limbs[PLUMB_QD];
    return node != NULL && node->kind == JSON_STRING &&
           plumb_number_read(node->string, strlen(node->string), PLUMB_QD, limbs, NULL, NULL) == PLUMB_OK;
}

static bool has_kind(const char *file, const json_node *node, kind wanted);

static bool is_list(const char *file, const json_node *node, kind wanted)
{
    bool good = node->kind == JSON_ARRAY;
    for (const json_node *n = good ? node->child : NULL; n != NULL; n = n->next)
        good = good && has_kind(file, n, wanted);
    return good;
}

static bool has_kind(const char *file, const json_node *node, kind wanted)
{
    switch (wanted) {
    case STRING:
        return node->kind == JSON_STRING;
    case STRING_OR_NULL:
        return node->kind == JSON_STRING || node->kind == JSON_NULL;
    case WHOLE:
        return node->kind == JSON_NUMBER && node->number == floor(node->number);
    case WHOLE_OR_NULL:
        return node->kind == JSON_NULL || (node->kind == JSON_NUMBER && node->number == floor(node->number));
    case NUMBER:
        return node->kind == JSON_NUMBER || node->kind == JSON_NULL;
    case BOOLEAN_OR_NULL:
        return node->kind == JSON_BOOL || node->kind == JSON_NULL;
    case OBJECT_OR_NULL:
        return node->kind == JSON_NULL || has_kind(file, node, OBJECT);
    case ROWS_OR_NULL:
        return node->kind == JSON_NULL || is_list(file, node, WHOLES);
    case BOOLEAN:
        return node->kind == JSON_BOOL;
    case REAL:
        return is_real(node);
    case COMPLEX:
        return node->kind == JSON_ARRAY && node->child != NULL && is_real(node->child) && is_real(node->child->next) &&
               node->child->next->next == NULL;
    case STRINGS:
        return is_list(file, node, STRING);
    case WHOLES:
        return is_list(file, node, WHOLE);
    case NUMBERS:
        return is_list(file, node, NUMBER);
    case REALS:
        return is_list(file, node, REAL);
    case COMPLEXES:
        return is_list(file, node, COMPLEX);
    case COLUMNS:
        return is_list(file, node, COMPLEXES);
    case OBJECTS:
        return is_list(file, node, OBJECT);
    case OBJECT:
        return check_object(file, node);
    case COUNTS:
    case TIMES:
    case REASONS:
        for (const json_node *n = node->child; n != NULL; n = n->next)
            if (!has_kind(file, n, wanted == COUNTS ? WHOLE : wanted == TIMES ? NUMBER : STRING))
                return false;
        return node->kind == JSON_OBJECT;
    }
    return false;
}

static bool check_object(const char *file, const json_node *object)
{
    bool good = object != NULL && object->kind == JSON_OBJECT;
    for (const json_node *n = good ? object->child : NULL; n != NULL; n = n->next) {
        int i = 0;
        while (i < NAMES && strcmp(table[i].name, n->key) != 0)
            i++;
        if (i == NAMES)
            fprintf(stderr, "json_names: %s: the name \"%s\" is not described\n", file, n->key);
        else if (!has_kind(file, n, table[i].kind))
            fprintf(stderr, "json_names: %s: \"%s\" has another type than elsewhere\n", file, n->key);
        good = good && i < NAMES && has_kind(file, n, table[i].kind);
    }
    return good;
}

static bool check_text(const char *file, const char *text, size_t length, bool with_schema)
{
    json_node *root = NULL;
    bool good = json_read(text, length, &root, NULL) == PLUMB_OK && check_object(file, root);
    if (good && with_schema && strcmp(json_member_string(root, "schema", ""), "plumb/1") != 0) {
        fprintf(stderr, "json_names: %s: no schema\n", file);
        good = false;
    }
    json_free(root);
    return good;
}

static bool check_file(const char *path)
{
    size_t room = 0, tail = strlen(".jsonl");
    char *text = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    bool lines = strlen(path) > tail && strcmp(path + strlen(path) - tail, ".jsonl") == 0, good = true;
    ssize_t length = 0;
    if (lines) {
        while (good && (length = getline(&text, &room, file)) > 0)
            good = check_text(path, text, (size_t)length, false);
    } else {
        length = getdelim(&text, &room, 0, file);
        good = length > 0 && check_text(path, text, (size_t)length, true);
    }
    free(text);
    fclose(file);
    if (!good)
        fprintf(stderr, "json_names: %s does not follow the schema\n", path);
    return good;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < NAMES; i++)
            puts(table[i].name);
        return 0;
    }
    for (int i = 1; i < argc; i++)
        good = check_file(argv[i]) && good;
    return good ? 0 : 1;
}
