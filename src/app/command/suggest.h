/* suggest.h - which known word was meant by an unknown one. */
#ifndef PLUMB_APP_SUGGEST_H
#define PLUMB_APP_SUGGEST_H

#include <stddef.h>

typedef struct app_guess {
    const char *word;
    size_t length;
    const char *best; /* NULL: nothing is near enough */
    int distance;
} app_guess;

/* Try every known word; best is then the nearest one. Near: at most one edit (insert, delete, replace, exchange two
 * neighbours) per three letters, at least one; or the word begins the known one. Of equally near words the first wins. */
app_guess app_guess_begin(const char *word, size_t length);
void app_guess_try(app_guess *guess, const char *known);

#endif
