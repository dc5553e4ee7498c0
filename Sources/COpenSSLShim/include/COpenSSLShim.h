// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

#ifndef COpenSSLShim_h
#define COpenSSLShim_h

#include <stddef.h>
#include <stdint.h>

// Macros, callbacks and variadics of OpenSSL 3.0 behind plain functions.
// Functions that can fail return 1 for success and 0 for failure unless they say otherwise.

#define HS_KEY_BYTES 32
#define HS_SIGNATURE_BYTES 64
#define HS_HASH_BYTES 32

int hs_random(uint8_t *out, size_t count);
int hs_sha256(const uint8_t *bytes, size_t count, uint8_t out[HS_HASH_BYTES]);
int hs_hmac_sha256(const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count,
                   uint8_t out[HS_HASH_BYTES]);
int hs_equal(const uint8_t *a, const uint8_t *b, size_t count);  // constant time; 1 = equal

// An Ed25519 key pair or a public key alone. NULL on failure; freed with hs_key_free.
typedef struct hs_key hs_key;
hs_key *hs_key_private(const uint8_t seed[HS_KEY_BYTES]);
hs_key *hs_key_public(const uint8_t bytes[HS_KEY_BYTES]);
void hs_key_free(hs_key *key);
int hs_key_raw_public(const hs_key *key, uint8_t out[HS_KEY_BYTES]);
int hs_sign(const hs_key *key, const uint8_t *message, size_t count,
            uint8_t out[HS_SIGNATURE_BYTES]);
// 1 = good, 0 = bad or malformed.
int hs_verify(const hs_key *key, const uint8_t *message, size_t count, const uint8_t *signature,
              size_t signature_count);

// An ECDSA P-256 key and a self-signed certificate for it, as browsers take them: PEM, the key first.
// `names` is what the certificate is for: "DNS:kitchen,DNS:kitchen.local". Returns how many bytes were
// written, 0 on failure.
size_t hs_page_certificate(const char *names, uint8_t *out, size_t room);
// SHA-256 of the certificate in such a text; 0 as well where key and certificate do not belong together.
int hs_page_fingerprint(const uint8_t *pem, size_t count, uint8_t out[HS_HASH_BYTES]);

// One TLS context for all connections of a device.
typedef struct hs_tls_context hs_tls_context;
hs_tls_context *hs_tls_context_new(const hs_key *key);
void hs_tls_context_free(hs_tls_context *context);

// One connection, bytes in and bytes out, no socket. `check` is asked once about the peer's raw
// Ed25519 public key and the protocol (its index in `alpn`), and answers 1 to accept.
typedef struct hs_tls hs_tls;
typedef int (*hs_tls_check)(void *user, const uint8_t key[HS_KEY_BYTES], int protocol);
// `alpn` has up to four protocol names, separated by commas; a server takes any of them, a client
// offers the first. NULL on failure.
hs_tls *hs_tls_new(hs_tls_context *context, int is_server, const char *alpn, hs_tls_check check,
                   void *user);
void hs_tls_free(hs_tls *tls);

// Ciphertext from the wire. Returns 1, or 0 when memory ran out.
int hs_tls_feed(hs_tls *tls, const uint8_t *bytes, size_t count);
// Ciphertext for the wire: how much waits, and taking it.
size_t hs_tls_pending(hs_tls *tls);
size_t hs_tls_take(hs_tls *tls, uint8_t *out, size_t room);

// Results of the calls that move the connection on.
enum { HS_TLS_OK = 1, HS_TLS_WANTS_BYTES = 0, HS_TLS_CLOSED = -1, HS_TLS_FAILED = -2 };
int hs_tls_handshake(hs_tls *tls);
// Plaintext in `out`; `*count` is set. OK, WANTS_BYTES, CLOSED (close_notify) or FAILED.
int hs_tls_read(hs_tls *tls, uint8_t *out, size_t room, size_t *count);
int hs_tls_write(hs_tls *tls, const uint8_t *bytes, size_t count);
void hs_tls_close(hs_tls *tls);  // queues close_notify

int hs_tls_peer_key(hs_tls *tls, uint8_t out[HS_KEY_BYTES]);
// Index in the list `alpn` of what was agreed, or -1.
int hs_tls_alpn(hs_tls *tls);
int hs_tls_export(hs_tls *tls, const char *label, uint8_t *out, size_t count);
int hs_tls_is_resumed(hs_tls *tls);
const char *hs_tls_version(hs_tls *tls);

#endif
