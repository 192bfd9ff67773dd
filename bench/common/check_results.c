/* check_results.c - is a file what `plumb bench ... --json` promises? Used by the tests.
 *
 * arith: every result must name its operation, precision and instruction set and hold a positive finite time, a count of
 * instructions and the times of peers; every operation of the library must be there in every precision.
 * lsq: every result has a positive time and solved its system about as well as its precision allows; every precision and
 * kind is there.
 * lsq of a GPU: the same for one after the other, by columns and in batches, complex; what stands beside them is positive.
 * eval: every result has a positive time and a count of instructions; every precision is there one by one and in a batch.
 * eval of a GPU: the same for one after the other and a batch, with results as the processor's.
 * accuracy: all twenty rows, none worse than the paper by more than 0.3.
 * paper: every case has its times, on a GPU too where there is one; and the rows of accuracy. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json/read.h"

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

static bool check_arith(const json_node *root)
{
    const json_node *results = json_member(root, "results");
    if (!(json_member_number(root, "ghz", 0) > 0.1)) {
        fprintf(stderr, "ghz is missing\n");
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

static bool solved_well(const json_node *r)
{
    const char *prec = json_member_string(r, "prec", "?"), *mode = json_member_string(r, "mode", "?");
    double n = json_member_number(r, "n", 0), us = json_member_number(r, "us", -1);
    double error = json_member_number(r, "error", -1);
    /* Condition numbers of the systems stay below 10^5. */
    double most = 1e5 * n * ldexp(1.0, 3 - 52 * plumb_prec_from_name(prec));
    bool good = n >= 1 && us > 0 && us < 1e9 && error >= 0 && error <= most;
    if (!good)
        fprintf(stderr, "%s %s n = %g: us %g, error %g, at most %g\n", prec, mode, n, us, error, most);
    return good;
}

static bool check_solve(const json_node *r)
{
    return solved_well(r) && json_member(r, "peers") != NULL;
}

static bool has_solve(const json_node *results, const char *prec, const char *kind, const char *mode)
{
    for (const json_node *r = results->child; r != NULL; r = r->next)
        if (strcmp(json_member_string(r, "prec", ""), prec) == 0 &&
            strcmp(json_member_string(r, "kind", ""), kind) == 0 &&
            strcmp(json_member_string(r, "mode", ""), mode) == 0)
            return true;
    fprintf(stderr, "no result for %s %s %s\n", prec, kind, mode);
    return false;
}

static bool check_gpu_solve(const json_node *r)
{
    static const char *const beside[] = {"launch_us",   "cpu1_us",           "cpuall_us",
                                         "cusolver_us", "cublas_batched_us", "floor_us"};
    const char *how = json_member_string(r, "how", "?");
    bool good = solved_well(r) && (strcmp(how, "graph") == 0 || strcmp(how, "launch") == 0);
    for (size_t k = 0; k < sizeof beside / sizeof beside[0]; k++)
        good &= json_member(r, beside[k]) == NULL || json_member_number(r, beside[k], -1) > 0;
    good &= json_member(r, "launch_us") != NULL && json_member_number(r, "solves", 0) >= 1;
    if (!good)
        fprintf(stderr, "%s %s n = %g: not a proper result of a GPU\n", json_member_string(r, "prec", "?"),
                json_member_string(r, "mode", "?"), json_member_number(r, "n", 0));
    return good;
}

static bool check_lsq_gpu(const json_node *root)
{
    const json_node *results = json_member(root, "results"), *quality = json_member(root, "quality_up");
    bool good = json_member_string(root, "device", NULL) != NULL && json_member_string(root, "driver", NULL) != NULL &&
                json_member_number(root, "double_rate", 0) > 0 && json_member_number(quality, "dd_one_core", -1) >= 0;
    if (!good)
        fprintf(stderr, "device, driver, double_rate or quality_up is missing\n");
    for (const json_node *r = results->child; r != NULL; r = r->next)
        good &= check_gpu_solve(r);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int mode = 0; mode < 3; mode++) {
            static const char *const modes[] = {"sequence", "columns", "batch"};
            good &= has_solve(results, plumb_prec_name(prec), "complex", modes[mode]);
        }
    return good;
}

static bool check_lsq(const json_node *root)
{
    const json_node *results = json_member(root, "results");
    bool good = true;
    if (strcmp(json_member_string(root, "backend", "cpu"), "gpu") == 0)
        return check_lsq_gpu(root);
    for (const json_node *r = results->child; r != NULL; r = r->next)
        good &= check_solve(r);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int kind = 0; kind < 2; kind++)
            for (int mode = 0; mode < 3; mode++) {
                static const char *const kinds[] = {"real", "complex"}, *const modes[] = {"one", "batch", "refined"};
                if (prec != PLUMB_D || mode != 2) /* nothing is below d to refine from */
                    good &= has_solve(results, plumb_prec_name(prec), kinds[kind], modes[mode]);
            }
    return good;
}

static bool check_eval_gpu(const json_node *root)
{
    static const char *const times[] = {"us", "launch_us", "cpu1_us", "cpuall_us", "floor_us"};
    const json_node *results = json_member(root, "results");
    bool good = json_member_string(root, "device", NULL) != NULL && json_member_number(root, "double_rate", 0) > 0;
    for (const json_node *r = results->child; r != NULL; r = r->next) {
        const char *prec = json_member_string(r, "prec", "?");
        bool proper = json_member_number(r, "error", 1) <= ldexp(1e4, -52 * plumb_prec_from_name(prec));
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
            proper &= json_member_number(r, times[k], -1) > 0;
        if (!proper)
            fprintf(stderr, "%s %s: not a proper result of a GPU\n", json_member_string(r, "system", "?"), prec);
        good &= proper;
    }
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int mode = 0; mode < 2; mode++)
            good &= has_solve(results, plumb_prec_name(prec), "complex", mode == 0 ? "sequence" : "batch");
    return good;
}

static bool check_eval(const json_node *root)
{
    const json_node *results = json_member(root, "results");
    bool good = true;
    if (strcmp(json_member_string(root, "backend", "cpu"), "gpu") == 0)
        return check_eval_gpu(root);
    for (const json_node *r = results->child; r != NULL; r = r->next) {
        double us = json_member_number(r, "us", -1), count = json_member_number(r, "instructions", -1);
        if (!(us > 0 && us < 1e9 && count > 0 && json_member(r, "peers") != NULL)) {
            fprintf(stderr, "%s %s: us %g, instructions %g\n", json_member_string(r, "system", "?"),
                    json_member_string(r, "prec", "?"), us, count);
            good = false;
        }
    }
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int mode = 0; mode < 2; mode++)
            good &= has_solve(results, plumb_prec_name(prec), "complex", mode == 0 ? "one" : "batch");
    return good;
}

static bool check_accuracy(const json_node *root)
{
    int rows = 0;
    for (const json_node *r = json_member(root, "results")->child; r != NULL; r = r->next, rows++) {
        double least = json_member_number(r, "m_e", (double)NAN), most = json_member_number(r, "M_e", (double)NAN);
        double paper = json_member_number(json_member(r, "paper"), "M_e", (double)NAN);
        if (!(least <= most && most <= paper + 0.3)) {
            fprintf(stderr, "%s g = %g: m_e %g, M_e %g, the paper %g\n", json_member_string(r, "prec", "?"),
                    json_member_number(r, "g", 0), least, most, paper);
            return false;
        }
    }
    if (rows != 20)
        fprintf(stderr, "%d rows, expected 20\n", rows);
    return rows == 20;
}

static bool check_paper(const json_node *root)
{
    bool good = check_accuracy(json_member(root, "accuracy"));
    bool gpu = strcmp(json_member_string(root, "backend", "?"), "gpu") == 0;
    for (const json_node *r = json_member(root, "results")->child; r != NULL; r = r->next)
        if (!(json_member_number(r, "cpu1_us", -1) > 0 && json_member_number(r, "cpuall_us", -1) > 0 &&
              (!gpu || json_member(r, "recalibrates") != NULL || json_member_number(r, "gpu_us", -1) > 0))) {
            fprintf(stderr, "%s %s n = %g: a time is missing\n", json_member_string(r, "work", "?"),
                    json_member_string(r, "prec", "?"), json_member_number(r, "n", 0));
            good = false;
        }
    return good;
}

static bool check(const json_node *root)
{
    static const struct {
        const char *name;
        bool (*check)(const json_node *root);
    } kinds[] = {{"arith", check_arith},
                 {"lsq", check_lsq},
                 {"eval", check_eval},
                 {"accuracy", check_accuracy},
                 {"paper", check_paper}};
    const char *name = json_member_string(root, "benchmark", "?");
    const json_node *results = json_member(root, "results");
    if (json_member_string(root, "commit", NULL) == NULL || json_member(root, "machine") == NULL || results == NULL ||
        results->kind != JSON_ARRAY) {
        fprintf(stderr, "commit, machine or results are missing\n");
        return false;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(name, kinds[k].name) == 0)
            return kinds[k].check(root);
    fprintf(stderr, "'%s' is no benchmark of plumb's\n", name);
    return false;
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
