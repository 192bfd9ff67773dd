/* page.h - the page of a run: page.html with page.css and page.js in it (cmake/plumb_page.cmake), and the data of the run as JSON. All
 * that a reader sees is made from the data by page.js, so that Python fills the same page with the same members. */
#ifndef PLUMB_APP_PAGE_H
#define PLUMB_APP_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* With "@data@" where the JSON belongs. */
extern const char app_page_template[];

/* Copies the page with the JSON of the file data, from its beginning. A '<' occurs only in strings there and is written as an escape, so
 * that no text can end the script it stands in. False if something cannot be read or written. */
bool app_page_write(FILE *out, FILE *data);

#endif
