/* table.h - tables in Markdown of one result file each. */
#ifndef PLUMB_BENCH_TABLE_H
#define PLUMB_BENCH_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "text/json/read.h"

/* False when the tree is not what that benchmark writes. */
bool bench_table_lsq(FILE *out, const json_node *root, bool brief);
bool bench_table_lsq_gpu(FILE *out, const json_node *root, bool brief);
bool bench_table_eval(FILE *out, const json_node *root, bool brief);
bool bench_table_accuracy(FILE *out, const json_node *root);

/* A cell with three figures that count, empty for NaN; mark follows the number. */
void bench_table_cell(FILE *out, double x, const char *mark);

#endif
