/* options.h - command lines as tables: which options there are, what their values may be, and where they go.
 *
 * Options and files may come in any order; "--" ends the options; "-" alone is a file (standard input or output). Later
 * options win over earlier ones. */
#ifndef PLUMB_APP_OPTIONS_H
#define PLUMB_APP_OPTIONS_H

#include <stdint.h>

typedef enum cli_option_kind {
    CLI_FLAG,  /* bool: no value */
    CLI_TEXT,  /* const char *: any word */
    CLI_COUNT, /* int64_t: a whole number from least to most */
    CLI_REAL,  /* double: from least to most */
    CLI_SEED   /* uint64_t: any whole number that fits */
} cli_option_kind;

typedef struct cli_option {
    const char *name;
    cli_option_kind kind;
    void *value; /* left alone when the option is not given */
    double least, most;
} cli_option;

typedef struct cli_options {
    const char *command;
    const cli_option *option; /* ends with a name of NULL */
    const char **file;
    int most_files;
} cli_options;

/* Fills the values and files. Returns CLI_OK, or says what is wrong in one line and returns CLI_MISUSE. --help is not looked
 * for here: cli_wants_help does, first, so that help is there however wrong the rest is. */
int cli_options_parse(const cli_options *options, int argc, char **argv, int *files);
int cli_wants_help(int argc, char **argv);

/* Values that are words. They say what was expected and return CLI_MISUSE for any other. */
int cli_option_prec(const char *command, const char *word, int32_t *prec);
/* *index of the word in words, which ends with NULL. */
int cli_option_word(const char *command, const char *option, const char *word, const char *const *words, int *index);

/* --backend auto, cpu or gpu, as PLUMB_BACKEND_... */
int cli_option_backend(const char *command, const char *word, int32_t *backend);

#endif
