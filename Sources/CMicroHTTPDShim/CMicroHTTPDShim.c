// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#define _GNU_SOURCE
#include "CMicroHTTPDShim.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

struct MHD_Daemon *hm_start(int listener, const hm_settings *settings) {
  // Without a certificate the list ends at its first entry.
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->pem},
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->pem},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, "NORMAL:-VERS-ALL:+VERS-TLS1.3"},
      {MHD_OPTION_END, 0, NULL},
  };
  if (!settings->pem) tls[0].option = MHD_OPTION_END;
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (settings->pem ? MHD_USE_TLS : 0), 0, NULL, NULL,
      settings->access, settings->context,                                  //
      MHD_OPTION_LISTEN_SOCKET, listener,                                   //
      MHD_OPTION_URI_LOG_CALLBACK, settings->begin, settings->context,      //
      MHD_OPTION_NOTIFY_COMPLETED, settings->done, settings->context,       //
      MHD_OPTION_NOTIFY_CONNECTION, settings->changed, settings->context,   //
      MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,                //
      MHD_OPTION_CONNECTION_LIMIT, settings->connections,                   //
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(16 * 1024),              //
      MHD_OPTION_STRICT_FOR_CLIENT, 1,                                      //
      MHD_OPTION_ARRAY, tls,                                                //
      MHD_OPTION_END);
}

int hm_epoll_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

int hm_connection_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

int64_t hm_peer_uid(int fd) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -1;
  return peer.uid;
}

int hm_hub_create(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

static int add(int hub, int fd, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data.u64 = token};
  return epoll_ctl(hub, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int hm_hub_add_daemon(int hub, int fd) { return add(hub, fd, EPOLLIN, 0); }

int hm_hub_add_client(int hub, int fd, uint64_t token) { return add(hub, fd, EPOLLRDHUP, token); }

void hm_hub_remove(int hub, int fd) { epoll_ctl(hub, EPOLL_CTL_DEL, fd, NULL); }

int hm_hub_ready(int hub, uint64_t *tokens, int capacity) {
  struct epoll_event events[32];
  int count = epoll_wait(hub, events, capacity < 32 ? capacity : 32, 0);
  for (int i = 0; i < count; i++) tokens[i] = events[i].data.u64;
  return count < 0 ? 0 : count;
}

uint64_t hm_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
