/* check_results.c - is a file what `plumb bench arith --json` promises? Used by the tests.
 *
 * Every result must name its operation, precision and instruction set and hold a positive finite time, a count of
 * instructions and the times of peers; every operation of the library must be there in every precision. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json_read.h"

static bool check_result(const json_node *r)
{
    const char *op = json_member_string(r, "op", NULL), *prec = json_member_string(r, "prec", NULL);
    const char *isa = json_member_string(r, "isa", NULL);
    double ns = json_member_number(r, "ns", -1);
    const json_node *peers = json_member(r, "peers");
    if (op == NULL || prec == NULL || isa == NULL || plumb_prec_from_name(prec) == 0 || !(ns > 0 && ns < 1e9)) {
        fprintf(stderr, "result without a proper op, prec, isa or ns: %s %s %s %g\n", op ? op : "?", prec ? prec : "?",
                isa ? isa : "?", ns);
        return false;
    }
    if (peers == NULL || peers->kind != JSON_OBJECT) {
        fprintf(stderr, "%s %s %s: no peers\n", op, prec, isa);
        return false;
    }
    for (const json_node *p = peers->child; p != NULL; p = p->next)
        if (!(p->kind == JSON_NUMBER && p->number > 0)) {
            fprintf(stderr, "%s %s %s: peer %s has no time\n", op, prec, isa, p->key);
            return false;
        }
    double count = json_member_number(r, "flops", -1) + json_member_number(r, "others", -1);
    bool moves_only = strcmp(op, "conj") == 0; /* of real numbers a copy */
    if (!(count > 0) && !moves_only) {
        fprintf(stderr, "%s %s %s: no instructions counted\n", op, prec, isa);
        return false;
    }
    return true;
}

static bool has(const json_node *results, const char *op, const char *prec)
{
    for (const json_node *r = results->child; r != NULL; r = r->next)
        if (strcmp(json_member_string(r, "op", ""), op) == 0 && strcmp(json_member_string(r, "prec", ""), prec) == 0)
            return true;
    return false;
}

static bool check(const json_node *root)
{
    const json_node *results = json_member(root, "results");
    if (json_member_string(root, "commit", NULL) == NULL || json_member(root, "machine") == NULL || results == NULL ||
        results->kind != JSON_ARRAY || !(json_member_number(root, "ghz", 0) > 0.1)) {
        fprintf(stderr, "commit, machine, ghz or results are missing\n");
        return false;
    }
    for (const json_node *r = results->child; r != NULL; r = r->next)
        if (!check_result(r))
            return false;
    for (int op = 0; op < PLUMB_OP_COUNT; op++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
            if (!has(results, plumb_op_name((plumb_op)op), plumb_prec_name(prec))) {
                fprintf(stderr, "no result for %s in %s\n", plumb_op_name((plumb_op)op), plumb_prec_name(prec));
                return false;
            }
    return true;
}

int main(int argc, char **argv)
{
    static char text[1 << 22];
    FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (in == NULL) {
        fprintf(stderr, "usage: check_results FILE\n");
        return 2;
    }
    size_t length = fread(text, 1, sizeof text, in);
    fclose(in);
    json_node *root;
    plumb_text_error error;
    if (json_read(text, length, &root, &error) != PLUMB_OK) {
        fprintf(stderr, "%s:%lld:%lld: %s\n", argv[1], (long long)error.line, (long long)error.column, error.message);
        return 1;
    }
    bool good = check(root);
    json_free(root);
    return good ? 0 : 1;
}
