/* account.h - the account of the paths of plumb solve: every path ended in one way, and each way has one name wherever it is shown. */
#ifndef PLUMB_APP_ACCOUNT_H
#define PLUMB_APP_ACCOUNT_H

#include <stdbool.h>

#include "plumb.h"

enum { APP_ACCOUNT = 9 };

typedef struct app_account_entry {
    const char *name;    /* "regular", "at infinity" */
    const char *meaning; /* the same as a sentence without its subject */
    int64_t count;
    bool shown; /* in the line of the text, which leaves out what is rare */
} app_account_entry;

/* largest is that of the options: infinity if there is no limit. */
void app_account(const plumb_solve_report *report, double largest, app_account_entry entry[APP_ACCOUNT]);

#endif
