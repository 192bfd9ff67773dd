/* suggest.c - see suggest.h. The distance is that of Damerau and Levenshtein, restricted to adjacent exchanges. */
#include "app/command/suggest.h"

#include <string.h>

enum { LONGEST = 40 }; /* of a word that is compared; no option of ours is longer */

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int edit_distance(const char *a, size_t m, const char *b, size_t n)
{
    int d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= m; i++)
        d[i][0] = (int)i;
    for (size_t j = 0; j <= n; j++)
        d[0][j] = (int)j;
    for (size_t i = 1; i <= m; i++)
        for (size_t j = 1; j <= n; j++) {
            int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(replaced, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

app_guess app_guess_begin(const char *word, size_t length)
{
    return (app_guess){.word = word, .length = length, .distance = LONGEST};
}

void app_guess_try(app_guess *guess, const char *known)
{
    size_t m = guess->length, n = strlen(known);
    if (m == 0 || m > LONGEST || n > LONGEST)
        return;
    int distance = edit_distance(guess->word, m, known, n);
    int allowed = m < 6 ? 1 : (int)(m / 3);
    if (m < n && memcmp(guess->word, known, m) == 0) /* a word left unfinished */
        allowed = distance;
    if (distance <= allowed && distance < (int)n && distance < guess->distance) {
        guess->distance = distance;
        guess->best = known;
    }
}
