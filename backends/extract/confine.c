/* SPDX-License-Identifier: MIT */
/* backends/extract/confine.c - setrlimit, Landlock, seccomp, in this order. Failure: none; see the
 * header. */
#include "backends/extract/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/defs.h"

enum { MAX_FDS = 64, MAX_FILE_BYTES = 0 };

static void set_limit(int what, uint64_t most)
{
    const struct rlimit limit = {most, most};
    (void)setrlimit((__rlimit_resource_t)what, &limit);
}

static void set_limits(const struct confine_limits *limits)
{
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_FSIZE, MAX_FILE_BYTES); /* of regular files; pipes have none */
    set_limit(RLIMIT_NOFILE, MAX_FDS);
    set_limit(RLIMIT_CPU, limits->cpu_seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    set_limit(RLIMIT_AS, limits->address_bytes);
#endif
}

/* ---- files ---- */

static void allow_folder(int rules, const char *path)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access =
            LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE,
        .parent_fd = open(path, O_PATH | O_CLOEXEC),
    };
    if (rule.parent_fd < 0)
        return;
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    (void)close(rule.parent_fd);
}

static void allow_null(int rules)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE,
        .parent_fd = open("/dev/null", O_PATH | O_CLOEXEC),
    };
    if (rule.parent_fd < 0)
        return;
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    (void)close(rule.parent_fd);
}

static void fence_files(void)
{
    static const char *const folders[] = {
        "/usr", "/lib", "/lib64", "/bin", "/etc/fonts", "/etc/ld.so.cache", "/etc/alternatives"};
    const struct landlock_ruleset_attr all = {
        .handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                             LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                             LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                             LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                             LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                             LANDLOCK_ACCESS_FS_MAKE_SYM};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0)
        return;
    for (size_t i = 0; i < countof(folders); i++)
        allow_folder(rules, folders[i]);
    allow_null(rules);
    (void)syscall(SYS_landlock_restrict_self, rules, 0);
    (void)close(rules);
}

/* ---- system calls ---- */

#if defined(__x86_64__)
#define CONFINE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CONFINE_ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(CONFINE_ARCH)
#define REFUSE(call)                                                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/* Sockets of any kind, other processes, and ways into the kernel that no reader of files needs. */
static void fence_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CONFINE_ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(socket),
        REFUSE(socketpair),
        REFUSE(connect),
        REFUSE(bind),
        REFUSE(sendto),
        REFUSE(sendmsg),
        REFUSE(ptrace),
        REFUSE(process_vm_readv),
        REFUSE(process_vm_writev),
        REFUSE(kill),
        REFUSE(tkill),
        REFUSE(pidfd_open),
        REFUSE(mount),
        REFUSE(umount2),
        REFUSE(unshare),
        REFUSE(setns),
        REFUSE(bpf),
        REFUSE(perf_event_open),
        REFUSE(userfaultfd),
        REFUSE(keyctl),
        REFUSE(add_key),
        REFUSE(io_uring_setup),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {countof(filter), filter};
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static void fence_calls(void)
{
}
#endif

void confine_process(const struct confine_limits *limits)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_DUMPABLE, 0);
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)close_range(STDERR_FILENO + 1, ~0U, 0);
    set_limits(limits);
    fence_files();
    fence_calls();
}
