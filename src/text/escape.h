/* escape.h - strings from outside as part of another language: JSON, CSV, XML, gnuplot, a line on a terminal.
 *
 * There is one function for each language, and every string that comes from a file, a file name or the command line
 * goes through it. No text can end the literal it stands in, no control character reaches a terminal, and bytes that
 * are not UTF-8 never come out as they are. */
#ifndef PLUMB_TEXT_ESCAPE_H
#define PLUMB_TEXT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void escape_json(FILE *out, const char *text);

/* One field of a CSV file, in quotes where it has a comma, a quote or a line break. */
void escape_csv(FILE *out, const char *text);

/* Text of an XML element or attribute. Control characters become spaces, and bytes that are not UTF-8 become U+FFFD. */
void escape_xml(FILE *out, const char *text);

/* A string of gnuplot in single quotes, in which gnuplot substitutes nothing. A control character becomes a space,
 * because no escape exists for it there. */
void escape_gnuplot(FILE *out, const char *text);

/* One line for a terminal; what does not fit into size (at least 16) is left out in the middle. Control characters, characters that change the
 * direction of text, and bytes that are not UTF-8 are shown as \n, \t, \x1b, \u202e. Returns out. */
char *escape_line(char *out, size_t size, const char *text);

#endif
