// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#define _GNU_SOURCE
#include "CSystemShim.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

const uint32_t HS_READABLE = EPOLLIN, HS_WRITABLE = EPOLLOUT, HS_PEER_CLOSED = EPOLLRDHUP,
               HS_HANG_UP = EPOLLHUP, HS_FAILED = EPOLLERR;

int hs_epoll_create(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

static int control(int epoll, int op, int fd, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data.u64 = token};
  return epoll_ctl(epoll, op, fd, &event) < 0 ? -errno : 0;
}

int hs_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}

int hs_epoll_change(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}

int hs_epoll_remove(int epoll, int fd) { return control(epoll, EPOLL_CTL_DEL, fd, 0, 0); }

int hs_epoll_wait(int epoll, hs_event *out, int capacity, int64_t timeout) {
  struct epoll_event events[64];
  struct timespec limit = {.tv_sec = timeout / 1000000000, .tv_nsec = timeout % 1000000000};
  if (capacity > 64) capacity = 64;
  int count = epoll_pwait2(epoll, events, capacity, timeout < 0 ? NULL : &limit, NULL);
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) {
    out[i].token = events[i].data.u64;
    out[i].events = events[i].events;
  }
  return count;
}

int hs_eventfd(void) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

void hs_eventfd_raise(int fd) {
  uint64_t one = 1;
  while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void hs_eventfd_drain(int fd) {
  uint64_t value;
  while (read(fd, &value, sizeof value) < 0 && errno == EINTR) {
  }
}

int hs_signalfd(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  signal(SIGPIPE, SIG_IGN);
  int failure = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (failure) return -failure;
  int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int hs_signalfd_next(int fd) {
  struct signalfd_siginfo info;
  ssize_t count = read(fd, &info, sizeof info);
  return count == sizeof info ? (int)info.ssi_signo : 0;
}

void hs_precise_timers(void) { prctl(PR_SET_TIMERSLACK, 1UL); }

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t hs_monotonic(void) { return nanoseconds(CLOCK_MONOTONIC); }
uint64_t hs_boottime(void) { return nanoseconds(CLOCK_BOOTTIME); }

int64_t hs_wall_milliseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
