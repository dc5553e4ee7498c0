// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// What the Glibc module does not export (epoll, eventfd, signalfd, netlink), and socket set-up that
// is a dozen lines of casts in Swift. Every function returns -errno on failure unless it says else.
#ifndef CSystemShim_h
#define CSystemShim_h

#include <stddef.h>
#include <stdint.h>

// Waiting ---------------------------------------------------------------------------------------

typedef struct {
  uint64_t token;
  uint32_t events;  // EPOLLIN and so on, see the HS_ constants
} hs_event;

extern const uint32_t HS_READABLE, HS_WRITABLE, HS_PEER_CLOSED, HS_HANG_UP, HS_FAILED;

int hs_epoll_create(void);
int hs_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int hs_epoll_change(int epoll, int fd, uint32_t events, uint64_t token);
int hs_epoll_remove(int epoll, int fd);
// epoll_pwait2; timeout in nanoseconds, negative = for ever.
int hs_epoll_wait(int epoll, hs_event *out, int capacity, int64_t timeout);

int hs_eventfd(void);
void hs_eventfd_raise(int fd);
void hs_eventfd_drain(int fd);

// Blocks SIGTERM, SIGINT, SIGHUP in the calling thread, ignores SIGPIPE; returns a signalfd.
int hs_signalfd(void);
// Returns the next pending signal, 0 if there is none.
int hs_signalfd_next(int fd);

// Timers of this thread are at most 1 ns late instead of 50 us.
void hs_precise_timers(void);

// Clocks ----------------------------------------------------------------------------------------

uint64_t hs_monotonic(void);         // nanoseconds, stands still in suspend
uint64_t hs_boottime(void);          // nanoseconds, counts suspend
int64_t hs_wall_milliseconds(void);  // since 1970, UTC

// Sockets ---------------------------------------------------------------------------------------

typedef struct {
  uint8_t ip[16];
  uint8_t length;  // 4 or 16
  uint16_t port;   // host order
  uint32_t scope;  // interface index, for link-local IPv6
} hs_address;

// Non-blocking listening socket with SO_REUSEADDR; IPv6 sockets are v6-only.
int hs_tcp_listen(const hs_address *at, int backlog);
// Non-blocking connect; done when writable, then ask hs_socket_error.
int hs_tcp_dial(const hs_address *to);
// Accepts one; -EAGAIN when there is none. Fills `from`.
int hs_tcp_accept(int listener, hs_address *from);
int hs_unix_accept(int listener);
// TCP_NODELAY, TCP_USER_TIMEOUT and keep-alive.
void hs_tcp_tune(int fd, unsigned user_timeout_ms);
int hs_socket_error(int fd);
int hs_local_address(int fd, hs_address *out);
int hs_peer_uid(int fd, uint32_t *uid);
long hs_send(int fd, const void *bytes, size_t count);  // MSG_NOSIGNAL
long hs_receive(int fd, void *bytes, size_t count);

// Creates the socket file with mode `mode` (umask set for the moment), in a directory that the
// caller has verified. Single-threaded use only, because umask belongs to the process.
int hs_unix_listen(const char *path, unsigned mode, int backlog);
// 0 if `path` is a directory of ours with no right for anybody else, else -errno.
int hs_private_directory(const char *path);

// Routing messages: addresses and links that come and go.
int hs_address_watch(void);
// Drains; 1 if anything changed, 0 if not.
int hs_address_watch_drain(int fd);

// Parses a dotted or colon address with an optional %scope; 0 or -EINVAL. No name look-up.
int hs_parse_address(const char *text, hs_address *out);
// Formats into `out` (at least 64 bytes), brackets and scope for IPv6, with port.
void hs_format_address(const hs_address *address, char *out, size_t room);

// Children --------------------------------------------------------------------------------------

typedef struct {
  int pid;
  int pidfd;   // readable when the child has ended
  int socket;  // our end of a SOCK_STREAM pair, non-blocking; the child has its end as 3
} hs_child;

// posix_spawn with an empty signal mask and default SIGPIPE; descriptors of ours are close-on-exec.
int hs_spawn(const char *path, char *const argv[], hs_child *out);
typedef struct {
  int pid;     // leads a process group of its own
  int pidfd;   // readable when it has ended
  int output;  // a file in memory with what it wrote to standard output
} hs_program;

// Starts a program with `count` bytes on its standard input, which end; nothing of ours is open in it.
int hs_program_start(const char *path, char *const argv[], const void *input, size_t count,
                     hs_program *out);
// Ends it and all that it started in its group.
void hs_program_kill(int pid);

// Collects an ended child; its status as from waitpid, or -EAGAIN.
int hs_child_collect(int pidfd, int *status);

#endif
