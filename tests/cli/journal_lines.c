/* journal_lines.c - gives every line of a journal on standard input the checksum that belongs to it.
 *
 * A test changes lines and has them accepted as if plumb track had written them so. */
#include <inttypes.h>
#include <string.h>

#include "solver/run/line.h"
#include "text/lines.h"

int main(void)
{
    static const char tail[] = ", \"" LINE_CHECK "\": \"";
    uint64_t seed = LINE_SEED;
    text_lines lines = lines_begin(stdin);
    while (lines_next(&lines) == PLUMB_OK && lines.text != NULL) {
        char *end = strstr(lines.text, tail);
        if (end == NULL)
            return 1;
        *end = 0;
        const uint64_t check = run_line_hash(seed, lines.text, strlen(lines.text));
        printf("%s%s%016" PRIx64 "\"}\n", lines.text, tail, check);
        if (lines.number == 1)
            seed = check;
    }
    lines_end(&lines);
    return 0;
}
