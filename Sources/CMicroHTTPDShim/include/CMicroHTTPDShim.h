// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The variadic calls of libmicrohttpd, and one epoll descriptor that stands for a whole server.
#ifndef CMicroHTTPDShim_h
#define CMicroHTTPDShim_h

#include <microhttpd.h>
#include <stdint.h>

typedef void *(*hm_begin)(void *context, const char *uri, struct MHD_Connection *connection);

typedef struct {
  unsigned idle_seconds;
  unsigned connections;
  MHD_AccessHandlerCallback access;
  hm_begin begin;
  MHD_RequestCompletedCallback done;
  MHD_NotifyConnectionCallback changed;
  void *context;
  // A private key and its certificate, PEM; NULL for a listener without TLS.
  const char *pem;
} hm_settings;

// Takes over a listening descriptor; external epoll, suspend and resume. NULL on failure.
struct MHD_Daemon *hm_start(int listener, const hm_settings *settings);
int hm_epoll_descriptor(struct MHD_Daemon *daemon);
int hm_connection_descriptor(struct MHD_Connection *connection);

// The user id at the other end of a Unix connection; -1 if the kernel does not say.
int64_t hm_peer_uid(int fd);

// A hub is an epoll descriptor that holds the daemons' descriptors (token 0) and those of clients
// that are only watched for their end (any other token). -errno on failure.
int hm_hub_create(void);
int hm_hub_add_daemon(int hub, int fd);
int hm_hub_add_client(int hub, int fd, uint64_t token);
void hm_hub_remove(int hub, int fd);
// Fills `tokens` with what is ready now, without waiting; returns how many.
int hm_hub_ready(int hub, uint64_t *tokens, int capacity);

// Monotonic nanoseconds.
uint64_t hm_now(void);

#endif
