/* track_files.c - do the files of `plumb track` say what they should, and do their numbers survive?
 *
 *   track_files json FILE          one JSON value
 *   track_files log FILE           JSON lines: steps and records with all their members; every x is written as it reads; prints
 *                                  the number of steps and of records
 *   track_files solutions FILE P   read at precision P and written again, every line with a number is the same
 *
 * A number survives when the decimal that its limbs are written as is the one they were read from. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <stdlib.h>
#include <string.h>

#include "text/json/read.h"
#include "text/solutions/text.h"

static int wrong(const char *file, long line, const char *what)
{
    fprintf(stderr, "%s:%ld: %s\n", file, line, what);
    return 1;
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0, got;
    *length = 0;
    while (file != NULL && !feof(file)) {
        text = realloc(text, room += 1 << 16);
        if (text == NULL || (got = fread(text + *length, 1, room - *length, file), ferror(file)))
            break;
        *length += got;
    }
    if (file != NULL)
        fclose(file);
    return text;
}

static int check_json(const char *path)
{
    size_t length;
    char *text = read_file(path, &length);
    json_node *root = NULL;
    plumb_text_error error = {0};
    int result = text == NULL || json_read(text, length, &root, &error) != PLUMB_OK;
    if (result)
        wrong(path, (long)error.line, error.message);
    json_free(root);
    free(text);
    return result;
}

/* Does this decimal come back? */
static bool survives(const char *decimal, int32_t prec)
{
    double limbs[PLUMB_QD];
    char again[2400];
    return plumb_number_read(decimal, strlen(decimal), prec, limbs, NULL, NULL) == PLUMB_OK &&
           plumb_number_write(prec, limbs, 0, again, sizeof again, NULL) == PLUMB_OK && strcmp(again, decimal) == 0;
}

static bool has_numbers(const json_node *node, const char *const *names)
{
    for (; *names != NULL; names++) {
        const json_node *member = json_member(node, *names);
        if (member == NULL || (member->kind != JSON_NUMBER && member->kind != JSON_NULL))
            return false;
    }
    return true;
}

/* A complex number: two strings. */
static bool has_t(const json_node *node)
{
    const json_node *t = json_member(node, "t");
    return t != NULL && t->kind == JSON_ARRAY && t->child != NULL && t->child->kind == JSON_STRING &&
           t->child->next != NULL && t->child->next->kind == JSON_STRING && t->child->next->next == NULL;
}

static bool is_step(const json_node *node)
{
    static const char *const names[] = {"path", "step", "size", "residual", "condition", "corrections", "rerun", NULL};
    int32_t prec = plumb_prec_from_name(json_member_string(node, "precision", ""));
    const json_node *x = json_member(node, "x");
    bool good = has_numbers(node, names) && has_t(node) && prec != 0 && x != NULL && x->child != NULL;
    for (const json_node *pair = good ? x->child : NULL; pair != NULL; pair = pair->next)
        for (const json_node *part = pair->child; part != NULL; part = part->next)
            good &= part->kind == JSON_STRING && survives(part->string, prec);
    return good;
}

static bool is_record(const json_node *node)
{
    static const char *const names[] = {"path",     "winding", "rerun",     "steps",      "rejected",        "solves",
                                        "residual", "error",   "condition", "least_step", "component_error", NULL};
    return has_numbers(node, names) && plumb_prec_from_name(json_member_string(node, "precision", "")) != 0 &&
           plumb_prec_from_name(json_member_string(node, "most_precision", "")) != 0 && has_t(node) &&
           json_member(node, "unknowns") != NULL;
}

static int check_log(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *line = NULL;
    size_t room = 0;
    long steps = 0, records = 0;
    int result = file == NULL ? wrong(path, 0, "could not be read") : 0;
    for (ssize_t length; result == 0 && (length = getline(&line, &room, file)) > 0;) {
        json_node *node = NULL;
        bool good = json_read(line, (size_t)length, &node, NULL) == PLUMB_OK;
        bool record = json_member(node, "code") != NULL;
        good = good && (record ? is_record(node) : is_step(node));
        steps += !record;
        records += record;
        if (!good)
            result = wrong(path, steps + records, "neither a step nor a record");
        json_free(node);
    }
    if (file != NULL)
        fclose(file);
    free(line);
    if (result == 0)
        printf("%ld steps, %ld records\n", steps, records);
    return result;
}

/* Both texts line by line; what stands after "solution k :" is for people. */
static int compare_lines(const char *path, char *a, char *b)
{
    long line = 1;
    char *rest_a, *rest_b, *x = strtok_r(a, "\n", &rest_a), *y = strtok_r(b, "\n", &rest_b);
    for (; x != NULL && y != NULL; line++) {
        bool heading = strncmp(y, "solution", 8) == 0;
        if (heading ? strncmp(x, y, strlen(y)) != 0 : strcmp(x, y) != 0)
            return wrong(path, line, "is written otherwise");
        x = strtok_r(NULL, "\n", &rest_a);
        y = strtok_r(NULL, "\n", &rest_b);
    }
    return x != NULL || y != NULL ? wrong(path, line, "has more or fewer lines") : 0;
}

static int check_solutions(const char *path, int32_t prec)
{
    size_t length, size = 0;
    char *text = read_file(path, &length), *again = NULL;
    plumb_solutions *solutions = NULL;
    plumb_text_error error = {0};
    int result = text == NULL || plumb_solutions_read(text, length, prec, &solutions, &error) != PLUMB_OK;
    if (result)
        wrong(path, (long)error.line, error.message);
    FILE *out = result == 0 ? open_memstream(&again, &size) : NULL;
    if (result == 0 && (out == NULL || plumb_solutions_write_phc(out, solutions) != PLUMB_OK))
        result = wrong(path, 0, "cannot be written again");
    if (out != NULL)
        fclose(out);
    if (result == 0 && (text = realloc(text, length + 1)) != NULL) {
        text[length] = 0;
        result = compare_lines(path, text, again);
    }
    plumb_solutions_destroy(solutions);
    free(text);
    free(again);
    return result;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "json") == 0)
        return check_json(argv[2]);
    if (argc == 3 && strcmp(argv[1], "log") == 0)
        return check_log(argv[2]);
    if (argc == 4 && strcmp(argv[1], "solutions") == 0)
        return check_solutions(argv[2], plumb_prec_from_name(argv[3]));
    return 2;
}
