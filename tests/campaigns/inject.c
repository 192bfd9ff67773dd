/* inject.c - runs a program and lets its N-th use of the disk fail, or kills it there.
 *
 *   inject COUNT N full|once|kill COMMAND...
 *
 * Uses of the disk are the system calls that create, write, synchronise, link, rename or cut a plain file; standard output and
 * error, pipes and devices do not count. full: the N-th and all later ones fail with ENOSPC, as on a full disk. once: only the N-th fails so. kill: the program is
 * killed by SIGKILL before the N-th. With N = 0 nothing happens. The number of uses is written to the file COUNT. The
 * status is that of the program, 128 + the signal that ended it, or 77 where the system does not allow this.
 *
 * The kernel tells every such call of the program and of all processes it starts, in whatever thread (seccomp, SECCOMP_RET_USER_NOTIF;
 * Linux 5.5 or later); no privileges are needed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_ALLOWED = 77 };

/* The calls, and which argument is the descriptor of a file; -1: a path. */
static const struct {
    int number, descriptor;
} calls[] = {
    {__NR_write, 0},     {__NR_pwrite64, 0}, {__NR_writev, 0},     {__NR_fsync, 0},   {__NR_fdatasync, 0},
    {__NR_ftruncate, 0}, {__NR_linkat, -1},  {__NR_renameat2, -1}, {__NR_openat, -1},
#ifdef __NR_renameat
    {__NR_renameat, -1},
#endif
#ifdef __NR_rename
    {__NR_rename, -1},
#endif
#ifdef __NR_link
    {__NR_link, -1},
#endif
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* Tells the kernel to report the calls. Returns the descriptor of the reports, or -1. */
static int watch(void)
{
    struct sock_filter code[CALLS + 3];
    int n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int k = 0; k < CALLS; k++)
        code[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[k].number, (uint8_t)(CALLS - k), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* Sends a descriptor to, or receives it from, the other end of a socket. */
static int pass(int socket, int descriptor)
{
    char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (descriptor >= 0) {
        *header =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
        return sendmsg(socket, &message, 0) == 1 ? 0 : -1;
    }
    if (recvmsg(socket, &message, 0) != 1 || (header = CMSG_FIRSTHDR(&message)) == NULL)
        return -1;
    memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

static int is_plain(uint32_t process, uint64_t descriptor)
{
    char path[64], target[4096];
    snprintf(path, sizeof path, "/proc/%u/fd/%d", process, (int)descriptor);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    return (int)descriptor > STDERR_FILENO && target[0] == '/' && strncmp(target, "/dev/", 5) != 0;
}

static int uses_disk(const struct seccomp_notif *call)
{
    if (call->data.nr == __NR_openat)
        return (call->data.args[2] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) != 0;
    for (int k = 0; k < CALLS; k++)
        if (calls[k].number == call->data.nr && calls[k].descriptor >= 0)
            return is_plain(call->pid, call->data.args[calls[k].descriptor]);
    return 1;
}

/* Answers the calls of the process until it has ended, with everything it started. Returns the number of uses of the disk. */
static long supervise(int reports, pid_t process, long wanted, const char *mode)
{
    long uses = 0;
    struct pollfd ready = {.fd = reports, .events = POLLIN};
    while (poll(&ready, 1, -1) > 0 && (ready.revents & POLLIN)) {
        struct seccomp_notif call;
        memset(&call, 0, sizeof call); /* the kernel insists */
        if (ioctl(reports, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
            continue; /* its process has ended */
        struct seccomp_notif_resp answer = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
        if (uses_disk(&call) && ++uses >= wanted && wanted > 0 && (uses == wanted || strcmp(mode, "once") != 0)) {
            if (strcmp(mode, "kill") == 0)
                kill(process, SIGKILL);
            answer = (struct seccomp_notif_resp){.id = call.id, .error = -ENOSPC};
        }
        ioctl(reports, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    return uses;
}

int main(int argc, char **argv)
{
    int ends[2], status = 0;
    if (argc < 5 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return 2;
    const pid_t process = fork();
    if (process == 0) {
        const int reports = watch();
        if (reports < 0 || pass(ends[1], reports) != 0)
            _exit(NOT_ALLOWED);
        close(reports);
        execvp(argv[4], argv + 4);
        _exit(127);
    }
    close(ends[1]);
    const int reports = process > 0 ? pass(ends[0], -1) : -1;
    long uses = 0;
    if (reports >= 0)
        uses = supervise(reports, process, strtol(argv[2], NULL, 10), argv[3]);
    if (process < 0 || waitpid(process, &status, 0) != process || reports < 0)
        return NOT_ALLOWED;
    FILE *count = fopen(argv[1], "w");
    if (count == NULL || fprintf(count, "%ld\n", uses) < 0 || fclose(count) != 0)
        return 2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
