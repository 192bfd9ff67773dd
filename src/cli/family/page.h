/* page.h - the page of plumb solve --at --html: targets and their solutions are added as they are solved, so that no list of them is kept. */
#ifndef PLUMB_CLI_FAMILY_PAGE_H
#define PLUMB_CLI_FAMILY_PAGE_H

#include "app/page/data.h"
#include "cli/family/family.h"

typedef struct family_page {
    const family_words *words;
    const plumb_family *family;
    app_page_data data;
    double began;
    int64_t targets, left_out; /* written, and not */
    int64_t outcome[PLUMB_INSTANCE_STOPPED + 1], real, positive;
    int64_t regular, singular, infinite, failed; /* paths of all targets */
} family_page;

/* Begins with an array of targets. */
int family_page_begin(family_page *page, const family_words *words, const plumb_family *family);

/* Adds a target with those of its solutions that were asked for: entries first ... first + shown - 1 of the view and of the records.
 * limbs: its parameters, as family_rows_next reads them. */
void family_page_target(family_page *page, const plumb_instance *instance, const double *limbs,
                        const plumb_view *solutions, const plumb_solution_record *records, int64_t first,
                        int64_t shown);

/* Writes the rest and the file. doubtful: generic solutions may be missing. stopped: there are targets that were not solved. */
int family_page_save(family_page *page, bool doubtful, bool stopped);

#endif
