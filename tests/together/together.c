/* together.c - runs the tests named in its arguments in one process.
 *
 * For sanitized builds: gcc's search for leaks at the end of a process takes four seconds on arm64, however small the process was.
 * Each test is compiled with its main renamed to <name>_main; together_list.h, which CMake writes, names and declares them all. */
#include <stdio.h>
#include <string.h>

#include "together_list.h"

#define ENTRY(name) {#name, name##_main},
static const struct test {
    const char *name;
    int (*run)(void);
} tests[] = {TOGETHER_LIST(ENTRY)};

static const struct test *find(const char *name)
{
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
        if (strcmp(tests[k].name, name) == 0)
            return &tests[k];
    return NULL;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int k = 1; k < argc; k++) {
        const struct test *test = find(argv[k]);
        if (!test) {
            fprintf(stderr, "together: no test '%s'\n", argv[k]);
            return 2;
        }
        printf("=== %s\n", test->name);
        fflush(stdout);
        failed += test->run() != 0;
    }
    return failed > 0;
}
