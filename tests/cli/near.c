/* near.c - near DIGITS A B: do the numbers in two texts agree? For the tests.
 *
 * Numbers stand between white space, commas, quotes and brackets; everything else on a line that begins with a letter, a brace, '%'
 * or '#' is ignored. Both texts must have the same number of them, at least one. Each number of A may differ from that of B by
 * 10^-DIGITS times the largest of B. Differences are formed in quad doubles. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plumb.h"

enum { MOST = 4096, TEXT = 1 << 20 };

static int read_numbers(const char *path, double (*number)[PLUMB_QD])
{
    static char text[TEXT];
    FILE *in = fopen(path, "rb");
    size_t length = in != NULL ? fread(text, 1, sizeof text - 1, in) : 0;
    int count = 0;
    if (in != NULL)
        fclose(in);
    text[length] = 0;
    for (char *line = text, *next; *line != 0 && count < MOST; line = next) {
        next = line + strcspn(line, "\n");
        next += *next != 0;
        if (isalpha((unsigned char)*line) || strchr("{}%#", *line) != NULL)
            continue;
        for (char *s = line; s < next && count < MOST;) {
            s += strspn(s, " \t\r\n,\"[]:");
            size_t size = strcspn(s, " \t\r\n,\"[]:");
            if (s < next && size > 0 && plumb_number_read(s, size, PLUMB_QD, number[count], NULL, NULL) == PLUMB_OK)
                count++;
            s += size;
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    static double a[MOST][PLUMB_QD], b[MOST][PLUMB_QD];
    if (argc != 4)
        return 2;
    int count = read_numbers(argv[2], a), wanted = read_numbers(argv[3], b);
    double largest = 0, worst = 0;
    if (count != wanted || count == 0) {
        fprintf(stderr, "near: %d numbers in %s, %d in %s\n", count, argv[2], wanted, argv[3]);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        double difference = 0;
        for (int c = 0; c < PLUMB_QD; c++)
            difference += a[i][c] - b[i][c];
        largest = fmax(largest, fabs(b[i][0]));
        worst = fmax(worst, fabs(difference));
    }
    if (worst <= pow(10, -strtod(argv[1], NULL)) * largest)
        return 0;
    fprintf(stderr, "near: %s and %s agree to %.1f digits, expected %s\n", argv[2], argv[3], -log10(worst / largest),
            argv[1]);
    return 1;
}
