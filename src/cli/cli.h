/* cli.h - the subcommands of the program plumb. */
#ifndef PLUMB_CLI_H
#define PLUMB_CLI_H

/* argv[0] is the name of the subcommand. Each answers --help on stdout with status 0, showing defaults. */
int plumb_cli_info(int argc, char **argv);
int plumb_cli_bench(int argc, char **argv);
int plumb_cli_demo(int argc, char **argv);
int plumb_cli_lsq(int argc, char **argv);
int plumb_cli_qr(int argc, char **argv);
int plumb_cli_random(int argc, char **argv);
int plumb_cli_eval(int argc, char **argv);
int plumb_cli_newton(int argc, char **argv);
int plumb_cli_system(int argc, char **argv);
int plumb_cli_track(int argc, char **argv);

#endif
