// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "CSystemShim.h"

typedef union {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_storage storage;
} address_union;

static socklen_t to_system(const hs_address *from, address_union *to) {
  memset(to, 0, sizeof *to);
  if (from->length == 4) {
    to->v4.sin_family = AF_INET;
    to->v4.sin_port = htons(from->port);
    memcpy(&to->v4.sin_addr, from->ip, 4);
    return sizeof to->v4;
  }
  to->v6.sin6_family = AF_INET6;
  to->v6.sin6_port = htons(from->port);
  memcpy(&to->v6.sin6_addr, from->ip, 16);
  to->v6.sin6_scope_id = from->scope;
  return sizeof to->v6;
}

static void from_system(const address_union *from, hs_address *to) {
  memset(to, 0, sizeof *to);
  if (from->any.sa_family == AF_INET) {
    to->length = 4;
    to->port = ntohs(from->v4.sin_port);
    memcpy(to->ip, &from->v4.sin_addr, 4);
  } else if (from->any.sa_family == AF_INET6) {
    to->length = 16;
    to->port = ntohs(from->v6.sin6_port);
    memcpy(to->ip, &from->v6.sin6_addr, 16);
    // The scope tells link-local addresses apart; on others it would only make equals unequal.
    if (IN6_IS_ADDR_LINKLOCAL(&from->v6.sin6_addr)) to->scope = from->v6.sin6_scope_id;
  }
}

static int fail_closing(int fd) {
  int failure = errno;
  close(fd);
  return -failure;
}

int hs_tcp_listen(const hs_address *at, int backlog) {
  address_union address;
  socklen_t length = to_system(at, &address);
  int one = 1;
  int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0) return fail_closing(fd);
  if (address.any.sa_family == AF_INET6 &&
      setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one) < 0)
    return fail_closing(fd);
  if (bind(fd, &address.any, length) < 0 || listen(fd, backlog) < 0) return fail_closing(fd);
  return fd;
}

int hs_tcp_dial(const hs_address *to) {
  address_union address;
  socklen_t length = to_system(to, &address);
  int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  if (connect(fd, &address.any, length) < 0 && errno != EINPROGRESS) return fail_closing(fd);
  return fd;
}

int hs_tcp_accept(int listener, hs_address *from) {
  address_union address;
  socklen_t length = sizeof address;
  int fd = accept4(listener, &address.any, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return -errno;
  from_system(&address, from);
  return fd;
}

int hs_unix_accept(int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

void hs_tcp_tune(int fd, unsigned user_timeout_ms) {
  int one = 1;
  // A refused option costs latency or patience, never correctness: nothing to report.
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_ms, sizeof user_timeout_ms);
}

int hs_socket_error(int fd) {
  int failure = 0;
  socklen_t length = sizeof failure;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &length) < 0) return -errno;
  return -failure;
}

int hs_local_address(int fd, hs_address *out) {
  address_union address;
  socklen_t length = sizeof address;
  if (getsockname(fd, &address.any, &length) < 0) return -errno;
  from_system(&address, out);
  return 0;
}

int hs_peer_uid(int fd, uint32_t *uid) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -errno;
  *uid = peer.uid;
  return 0;
}

long hs_send(int fd, const void *bytes, size_t count) {
  ssize_t done = send(fd, bytes, count, MSG_NOSIGNAL);
  return done < 0 ? -errno : done;
}

long hs_receive(int fd, void *bytes, size_t count) {
  ssize_t done = recv(fd, bytes, count, 0);
  return done < 0 ? -errno : done;
}

int hs_private_directory(const char *path) {
  struct stat info;
  if (lstat(path, &info) < 0) return -errno;
  if (!S_ISDIR(info.st_mode)) return -ENOTDIR;
  if (info.st_uid != geteuid() || (info.st_mode & 077) != 0) return -EPERM;
  return 0;
}

int hs_unix_listen(const char *path, unsigned mode, int backlog) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  // The file must never exist with more rights than it ends with: mask first, chmod never.
  mode_t before = umask(0777 & ~mode);
  int bound = bind(fd, (struct sockaddr *)&address, sizeof address);
  int failure = errno;
  umask(before);
  if (bound < 0) {
    close(fd);
    return -failure;
  }
  if (listen(fd, backlog) < 0) return fail_closing(fd);
  return fd;
}

int hs_address_watch(void) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                .nl_groups =
                                    RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (fd < 0) return -errno;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) return fail_closing(fd);
  return fd;
}

int hs_address_watch_drain(int fd) {
  char buffer[8192] __attribute__((aligned(8)));
  int changed = 0;
  for (;;) {
    ssize_t count = recv(fd, buffer, sizeof buffer, 0);
    if (count < 0 && errno == ENOBUFS) {  // the kernel dropped some: something changed
      changed = 1;
      continue;
    }
    if (count <= 0) return changed;
    unsigned left = (unsigned)count;
    for (struct nlmsghdr *m = (struct nlmsghdr *)buffer; NLMSG_OK(m, left);
         m = NLMSG_NEXT(m, left))
      if (m->nlmsg_type == RTM_NEWADDR || m->nlmsg_type == RTM_DELADDR ||
          m->nlmsg_type == RTM_NEWLINK || m->nlmsg_type == RTM_DELLINK)
        changed = 1;
  }
}

int hs_parse_address(const char *text, hs_address *out) {
  char host[64];
  memset(out, 0, sizeof *out);
  const char *percent = strchr(text, '%');
  size_t length = percent ? (size_t)(percent - text) : strlen(text);
  if (length >= sizeof host) return -EINVAL;
  memcpy(host, text, length);
  host[length] = 0;
  if (!percent && inet_pton(AF_INET, host, out->ip) == 1) {
    out->length = 4;
    return 0;
  }
  if (inet_pton(AF_INET6, host, out->ip) != 1) return -EINVAL;
  out->length = 16;
  if (percent) {
    out->scope = if_nametoindex(percent + 1);
    if (out->scope == 0) out->scope = (uint32_t)strtoul(percent + 1, NULL, 10);
    if (out->scope == 0) return -EINVAL;
  }
  return 0;
}

void hs_format_address(const hs_address *address, char *out, size_t room) {
  char host[INET6_ADDRSTRLEN] = "?";
  if (address->length == 4) {
    inet_ntop(AF_INET, address->ip, host, sizeof host);
    snprintf(out, room, "%s:%u", host, address->port);
  } else if (address->scope) {
    inet_ntop(AF_INET6, address->ip, host, sizeof host);
    snprintf(out, room, "[%s%%%u]:%u", host, address->scope, address->port);
  } else {
    inet_ntop(AF_INET6, address->ip, host, sizeof host);
    snprintf(out, room, "[%s]:%u", host, address->port);
  }
}
