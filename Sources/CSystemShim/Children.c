// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CSystemShim.h"

extern char **environ;

int hs_spawn(const char *path, char *const argv[], hs_child *out) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -errno;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  // dup2 onto itself would keep close-on-exec; posix_spawn clears the flag in that case.
  posix_spawn_file_actions_adddup2(&actions, pair[1], 3);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  int failure = posix_spawn(&pid, path, &actions, &attributes, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(pair[1]);
  if (failure) {
    close(pair[0]);
    return -failure;
  }
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (pidfd < 0) {
    failure = errno;
    close(pair[0]);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return -failure;
  }
  fcntl(pair[0], F_SETFL, O_NONBLOCK);
  out->pid = pid;
  out->pidfd = pidfd;
  out->socket = pair[0];
  return 0;
}

int hs_child_collect(int pidfd, int *status) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  if (waitid((idtype_t)3 /* P_PIDFD */, (id_t)pidfd, &info, WEXITED | WNOHANG) < 0) return -errno;
  if (info.si_pid == 0) return -EAGAIN;
  *status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status & 0x7f;
  return 0;
}

static int memory_file(const void *bytes, size_t count) {
  int fd = memfd_create("hedgerow", MFD_CLOEXEC);
  if (fd < 0) return -errno;
  for (size_t done = 0; done < count;) {
    ssize_t written = write(fd, (const char *)bytes + done, count - done);
    if (written <= 0) {
      int failure = errno;
      close(fd);
      return -failure;
    }
    done += (size_t)written;
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

int hs_program_start(const char *path, char *const argv[], const void *input, size_t count,
                     hs_program *out) {
  int in = memory_file(input, count), output = memory_file(NULL, 0);
  int failure = in < 0 ? -in : output < 0 ? -output : 0;
  pid_t pid = 0;
  if (!failure) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    failure = posix_spawn(&pid, path, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  if (in >= 0) close(in);
  int pidfd = failure ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
  if (!failure && pidfd < 0) {
    failure = errno;
    hs_program_kill(pid);
    waitpid(pid, NULL, 0);
  }
  if (failure) {
    if (output >= 0) close(output);
    return -failure;
  }
  out->pid = pid;
  out->pidfd = pidfd;
  out->output = output;
  return 0;
}

void hs_program_kill(int pid) { kill(-pid, SIGKILL); }
