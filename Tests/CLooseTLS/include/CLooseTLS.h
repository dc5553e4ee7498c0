// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

#ifndef CLooseTLS_h
#define CLooseTLS_h

#include <stddef.h>
#include <stdint.h>

// A TLS peer that allows all that hedgerow forbids, for the lock-down tests: old versions, tickets,
// no certificate, keys of another kind. It judges nobody. Never linked into the product.

enum loose_certificate { LOOSE_NONE, LOOSE_ED25519, LOOSE_P256 };

typedef struct loose_tls loose_tls;
// `version_max` is 0x0303 (TLS 1.2) or 0x0304; `alpn` one protocol name or NULL.
loose_tls *loose_new(int is_server, int version_max, const char *alpn,
                     enum loose_certificate certificate);
void loose_free(loose_tls *tls);

// Moves the conversation on with bytes from the wire. 1 = open, 0 = wants bytes, -1 = refused.
int loose_receive(loose_tls *tls, const uint8_t *bytes, size_t count);
size_t loose_pending(loose_tls *tls);
size_t loose_take(loose_tls *tls, uint8_t *out, size_t room);
int loose_write(loose_tls *tls, const uint8_t *bytes, size_t count);  // 1 = written
int loose_tickets(loose_tls *tls);     // session tickets that came
int loose_is_resumed(loose_tls *tls);  // 1 = the peer skipped its certificate
int loose_sees_psk(loose_tls *tls);    // server: 1 = the peer offered to resume

int64_t loose_heap_bytes(void);  // what malloc has handed out in this process

#endif
