/* lsq_json.c - reads what plumb lsq --json wrote and summarises it in one line, for the tests.
 *
 * Every promised key must be there with its kind and shape, and every number must read as one. right is how many decimals
 * all entries of x share with 1, which the tests' solutions consist of; residual the decimal exponent of the largest. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json/read.h"

enum { MOST = 1 << 20 };

static int complain(const char *what)
{
    fprintf(stderr, "lsq_json: %s\n", what);
    return 1;
}

static int length_of(const json_node *array)
{
    int length = 0;
    for (const json_node *child = array->child; child != NULL; child = child->next)
        length++;
    return length;
}

static bool is_array(const json_node *node, int length)
{
    return node != NULL && node->kind == JSON_ARRAY && (length < 0 || length_of(node) == length);
}

/* The number less what is expected of it. */
static bool read_error(const json_node *node, double expected, double *error)
{
    double limbs[PLUMB_QD];
    if (node == NULL || node->kind != JSON_STRING ||
        plumb_number_read(node->string, strlen(node->string), PLUMB_QD, limbs, NULL, NULL) != PLUMB_OK)
        return false;
    *error = fabs((limbs[0] - expected) + limbs[1] + limbs[2] + limbs[3]);
    return isfinite(*error);
}

/* The largest error of an entry of one column of x, each of which should be 1. */
static bool error_of_x(const json_node *x, int n, double *worst)
{
    if (!is_array(x, n))
        return false;
    for (const json_node *entry = x->child; entry != NULL; entry = entry->next) {
        double re, im;
        if (!is_array(entry, 2) || !read_error(entry->child, 1.0, &re) || !read_error(entry->child->next, 0.0, &im))
            return false;
        *worst = fmax(*worst, fmax(re, im));
    }
    return true;
}

static int check(const json_node *root)
{
    static const char *const words[] = {"schema", "command", "version", "precision", "method", "backend"};
    static const char *const numbers[] = {"m", "n", "condition", "digits", "seconds", "rank"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (json_member_string(root, words[i], NULL) == NULL)
            return complain(words[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (isnan(json_member_number(root, numbers[i], (double)NAN)))
            return complain(numbers[i]);
    const json_node *sides = json_member(root, "right_hand_sides");
    int n = (int)json_member_number(root, "n", 0);
    double worst = 0.0, size, largest = 0.0;
    if (!is_array(sides, -1) || sides->child == NULL)
        return complain("right_hand_sides");
    for (const json_node *side = sides->child; side != NULL; side = side->next) {
        if (!error_of_x(json_member(side, "x"), n, &worst))
            return complain("x");
        if (!read_error(json_member(side, "residual_norm"), 0.0, &size))
            return complain("residual_norm");
        largest = fmax(largest, size);
    }
    printf("precision=%s method=%s backend=%s m=%.0f n=%d rhs=%d rank=%.0f digits=%d right=%d residual=%d\n",
           json_member_string(root, "precision", ""), json_member_string(root, "method", ""),
           json_member_string(root, "backend", ""), json_member_number(root, "m", 0), n, length_of(sides),
           json_member_number(root, "rank", 0), (int)floor(json_member_number(root, "digits", 0)),
           worst > 0 ? (int)floor(-log10(worst)) : 99, largest > 0 ? (int)floor(log10(largest)) : -999);
    return 0;
}

int main(void)
{
    static char text[MOST];
    size_t length = fread(text, 1, sizeof text, stdin);
    json_node *root = NULL;
    plumb_text_error error;
    if (json_read(text, length, &root, &error) != PLUMB_OK) {
        fprintf(stderr, "lsq_json: %lld:%lld: %s\n", (long long)error.line, (long long)error.column, error.message);
        return 1;
    }
    int result = check(root);
    json_free(root);
    return result;
}
