/* t_output.c - tests files that are written beside their place: they replace a file as a whole or not at all, leave nothing
 * behind, follow links, and are recognised under other names; and locks. */
#define _GNU_SOURCE
#include "text/output.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "text/file.h"

static char folder[] = "/tmp/plumb-t-output-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : 1;
}

static int count_files(void)
{
    int count = 0;
    DIR *all = opendir(".");
    assert_non_null(all);
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(all);
    return count;
}

static int leave(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : 1;
}

/* Each test begins in an empty folder. */
static int clear(void **state)
{
    (void)state;
    return system("find . -mindepth 1 -delete");
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = 0;
    fclose(file);
    assert_string_equal(found, text);
}

static void replaces_a_file_as_a_whole(void **state)
{
    (void)state;
    struct stat rights;
    file_output output;
    put("a", "old");
    assert_int_equal(chmod("a", 0640), 0);
    assert_int_equal(file_output_open(&output, "a"), 0);
    fputs("new", output.file);
    assert_int_equal(file_output_finish(&output), 0);
    expect("a", "old");
    assert_int_equal(file_output_place(&output, true), 0);
    expect("a", "new");
    fputs(" and more", output.file);
    assert_int_equal(file_output_close(&output), 0);
    expect("a", "new and more");
    assert_int_equal(stat("a", &rights), 0);
    assert_int_equal(rights.st_mode & 07777, 0640);
    assert_int_equal(count_files(), 1);
}

static void leaves_nothing_behind(void **state)
{
    (void)state;
    file_output output;
    put("a", "old");
    for (int k = 0; k < 2; k++) {
        assert_int_equal(file_output_open(&output, k ? "b" : "a"), 0);
        fputs("new", output.file);
        assert_int_equal(file_output_close(&output), 0);
        assert_int_equal(file_output_try(k ? "b" : "a"), 0);
    }
    expect("a", "old");
    assert_int_equal(count_files(), 1);
}

static void takes_a_free_place_only(void **state)
{
    (void)state;
    file_output output;
    assert_int_equal(file_output_open(&output, "a"), 0);
    put("a", "of another");
    assert_int_equal(file_output_place(&output, false), EEXIST);
    assert_int_equal(file_output_close(&output), 0);
    expect("a", "of another");
    assert_int_equal(file_output_open(&output, "b"), 0);
    assert_int_equal(file_output_place(&output, false), 0);
    assert_int_equal(file_output_close(&output), 0);
    assert_int_equal(count_files(), 2);
}

static void follows_links(void **state)
{
    (void)state;
    file_output output;
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_int_equal(symlink("sub/b", "a"), 0); /* to nothing yet */
    for (int k = 0; k < 2; k++) {
        assert_int_equal(file_output_open(&output, "a"), 0);
        fprintf(output.file, "%d", k);
        assert_int_equal(file_output_finish(&output), 0);
        assert_int_equal(file_output_place(&output, true), 0);
        assert_int_equal(file_output_close(&output), 0);
        expect("sub/b", k ? "1" : "0");
    }
    struct stat link;
    assert_int_equal(lstat("a", &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(symlink("round", "round"), 0);
    assert_int_equal(file_output_try("round"), ELOOP);
}

static void knows_a_file_by_all_its_names(void **state)
{
    (void)state;
    char full[128];
    put("a", "");
    put("b", "");
    snprintf(full, sizeof full, "%s/a", folder);
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_int_equal(symlink("..", "sub/up"), 0);
    assert_int_equal(symlink("new", "to_new"), 0);
    assert_int_equal(link("a", "hard"), 0);
    const char *const same[][2] = {{"a", "./a"},     {"a", "sub/up/a"},     {"a", full},      {"hard", "a"},
                                   {"new", "./new"}, {"new", "sub/up/new"}, {"to_new", "new"}};
    const char *const other[][2] = {{"a", "b"}, {"new", "newer"}, {"new", "sub/new"}, {"a", "new"}, {"a", "no/a"}};
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
        assert_true(file_same(same[k][0], same[k][1]));
    for (size_t k = 0; k < sizeof other / sizeof other[0]; k++)
        assert_false(file_same(other[k][0], other[k][1]));
}

static void tries_without_a_trace(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(file_output_try("pipe"), 0); /* there is no reader: opening it would wait for ever */
    assert_int_equal(file_output_try("/dev/null"), 0);
    assert_int_equal(file_output_try("/dev/full"), ENOSPC);
    assert_int_equal(file_output_try("."), EISDIR);
    assert_int_equal(file_output_try(""), ENOENT);
    assert_int_equal(file_output_try("none/a"), ENOENT);
    assert_int_equal(file_output_try("pipe/a"), ENOTDIR);
    assert_int_equal(file_output_try("a/"), EISDIR);
    assert_int_equal(count_files(), 1);
}

static plumb_status write_and_fail(FILE *out, const void *what)
{
    fputs("half", out);
    return *(const plumb_status *)what;
}

static void a_save_that_fails_keeps_the_old_file(void **state)
{
    (void)state;
    const plumb_status range = PLUMB_ERR_RANGE, io = PLUMB_ERR_IO, good = PLUMB_OK;
    put("a", "old");
    assert_int_equal(plumb_file_save("a", write_and_fail, &range), PLUMB_ERR_RANGE);
    assert_int_equal(plumb_file_save("a", write_and_fail, &io), PLUMB_ERR_IO);
    expect("a", "old");
    assert_int_equal(plumb_file_save("none/a", write_and_fail, &good), PLUMB_ERR_IO);
    assert_int_equal(plumb_file_save("a", write_and_fail, &good), PLUMB_OK);
    expect("a", "half");
    assert_int_equal(count_files(), 1);
}

static void a_lock_names_its_process(void **state)
{
    (void)state;
    int ready[2] = {-1, -1}, go[2] = {-1, -1};
    char byte = 0;
    pid_t holder;
    put("a", "");
    assert_true(pipe(ready) == 0 && pipe(go) == 0);
    const pid_t child = fork();
    if (child == 0) {
        FILE *file = fopen("a", "r+");
        byte = file != NULL && file_lock(file, &holder) == 0;
        _exit(write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1 ? 0 : 1);
    }
    assert_true(read(ready[0], &byte, 1) == 1 && byte == 1);
    FILE *file = fopen("a", "r+");
    assert_non_null(file);
    assert_int_equal(file_lock(file, &holder), EAGAIN);
    assert_int_equal(holder, child);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(file_lock(file, &holder), 0); /* it vanished with its process */
    assert_true(file_is_at(file, "a"));
    assert_int_equal(rename("a", "b"), 0);
    put("a", "");
    assert_false(file_is_at(file, "a"));
    fclose(file);
}

static void unnamed_files_have_no_name(void **state)
{
    (void)state;
    char text[8] = "";
    FILE *file = file_unnamed(".");
    assert_non_null(file);
    assert_int_equal(count_files(), 0);
    assert_true(fputs("abc", file) >= 0 && fseek(file, 0, SEEK_SET) == 0 && fread(text, 1, 3, file) == 3);
    assert_string_equal(text, "abc");
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(replaces_a_file_as_a_whole, clear),
        cmocka_unit_test_setup(leaves_nothing_behind, clear),
        cmocka_unit_test_setup(takes_a_free_place_only, clear),
        cmocka_unit_test_setup(follows_links, clear),
        cmocka_unit_test_setup(knows_a_file_by_all_its_names, clear),
        cmocka_unit_test_setup(tries_without_a_trace, clear),
        cmocka_unit_test_setup(a_save_that_fails_keeps_the_old_file, clear),
        cmocka_unit_test_setup(a_lock_names_its_process, clear),
        cmocka_unit_test_setup(unnamed_files_have_no_name, clear),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
