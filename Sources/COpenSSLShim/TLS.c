// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#include "COpenSSLShim.h"
#include "Keys.h"

#define ALPN_MAX 4
#define LEAF_BYTES_MAX 4096

struct hs_tls_context {
  SSL_CTX *ssl;
};

struct hs_tls {
  SSL *ssl;
  BIO *in;   // owned by ssl
  BIO *out;  // owned by ssl
  hs_tls_check check;
  void *user;
  uint8_t peer[HS_KEY_BYTES];
  int has_peer;
  char *names;                 // owns what alpn points into
  const char *alpn[ALPN_MAX];
  size_t alpn_count;
  int agreed;
};

static int index_of_tls = -1;
static CRYPTO_ONCE index_once = CRYPTO_ONCE_STATIC_INIT;
static void make_index(void) { index_of_tls = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }
static int tls_index(void) {
  return CRYPTO_THREAD_run_once(&index_once, make_index) == 1 ? index_of_tls : -1;
}

// Replaces chain building: the leaf's Ed25519 key is all that counts. Dates, names and extensions
// are not looked at. A server has chosen the protocol before it sees this, so who may connect can
// depend on it; a client that named none has no claim to be judged.
static int verify(X509_STORE_CTX *store, void *unused) {
  (void)unused;
  SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
  hs_tls *tls = ssl ? SSL_get_ex_data(ssl, tls_index()) : NULL;
  X509 *leaf = X509_STORE_CTX_get0_cert(store);
  EVP_PKEY *key = leaf ? X509_get0_pubkey(leaf) : NULL;
  size_t length = HS_KEY_BYTES;
  int protocol = !tls ? -1 : SSL_is_server(ssl) ? tls->agreed : 0;
  if (tls && protocol >= 0 && key && EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 &&
      EVP_PKEY_get_raw_public_key(key, tls->peer, &length) == 1 && length == HS_KEY_BYTES &&
      tls->check(tls->user, tls->peer, protocol) == 1) {
    tls->has_peer = 1;
    X509_STORE_CTX_set_error(store, X509_V_OK);
    return 1;
  }
  X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
  return 0;
}

// Server side: takes the first of its own names that the client offers; none of them ends the
// handshake with an alert.
static int select_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                       const unsigned char *offered, unsigned int count, void *unused) {
  (void)unused;
  hs_tls *tls = SSL_get_ex_data(ssl, tls_index());
  if (!tls) return SSL_TLSEXT_ERR_ALERT_FATAL;
  for (size_t own = 0; own < tls->alpn_count; own++) {
    size_t length = strlen(tls->alpn[own]);
    for (unsigned int at = 0; at < count && at + 1 + offered[at] <= count;
         at += 1 + offered[at]) {
      if (offered[at] == length && memcmp(offered + at + 1, tls->alpn[own], length) == 0) {
        *out = offered + at + 1;
        *out_length = offered[at];
        tls->agreed = (int)own;
        return SSL_TLSEXT_ERR_OK;
      }
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

// A self-signed certificate that says nothing but the key. Valid 2000 to 9999: time never decides.
static X509 *certificate(EVP_PKEY *key) {
  X509 *x = X509_new();
  if (!x) return NULL;
  X509_NAME *name = X509_get_subject_name(x);
  int good = X509_set_version(x, 2) == 1 &&
             ASN1_INTEGER_set(X509_get_serialNumber(x), 1) == 1 &&
             ASN1_TIME_set_string(X509_getm_notBefore(x), "20000101000000Z") == 1 &&
             ASN1_TIME_set_string(X509_getm_notAfter(x), "99991231235959Z") == 1 &&
             X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const uint8_t *)"hedgerow", -1,
                                        -1, 0) == 1 &&
             X509_set_issuer_name(x, name) == 1 && X509_set_pubkey(x, key) == 1 &&
             X509_sign(x, key, NULL) > 0;
  if (good) return x;
  X509_free(x);
  return NULL;
}

static int configure(SSL_CTX *c, EVP_PKEY *key) {
  X509 *x = certificate(key);
  if (!x) return 0;
  int good = SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) == 1 &&
             SSL_CTX_set_max_proto_version(c, TLS1_3_VERSION) == 1 &&
             SSL_CTX_set_ciphersuites(
                 c, "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256") == 1 &&
             SSL_CTX_set1_groups_list(c, "X25519") == 1 &&
             SSL_CTX_set1_sigalgs_list(c, "ed25519") == 1 && SSL_CTX_use_certificate(c, x) == 1 &&
             SSL_CTX_use_PrivateKey(c, key) == 1 && SSL_CTX_set_num_tickets(c, 0) == 1 &&
             SSL_CTX_set_max_early_data(c, 0) == 1 && SSL_CTX_set_recv_max_early_data(c, 0) == 1;
  X509_free(x);
  if (!good) return 0;
  SSL_CTX_set_options(c, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                             SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_max_cert_list(c, LEAF_BYTES_MAX);
  SSL_CTX_set_mode(c, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                          SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  SSL_CTX_set_verify_depth(c, 0);
  SSL_CTX_set_cert_verify_callback(c, verify, NULL);
  SSL_CTX_set_alpn_select_cb(c, select_alpn, NULL);
  return 1;
}

hs_tls_context *hs_tls_context_new(const hs_key *key) {
  // The machine's openssl.cnf must not loosen what stands here.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
  hs_tls_context *context = calloc(1, sizeof *context);
  if (!context) return NULL;
  context->ssl = SSL_CTX_new(TLS_method());
  if (context->ssl && configure(context->ssl, key->pkey)) return context;
  hs_tls_context_free(context);
  ERR_clear_error();
  return NULL;
}

void hs_tls_context_free(hs_tls_context *context) {
  if (!context) return;
  SSL_CTX_free(context->ssl);
  free(context);
}

// Splits the comma-separated names into `tls->alpn`.
static int take_names(hs_tls *tls, const char *names) {
  tls->names = strdup(names);
  if (!tls->names) return 0;
  char *rest = tls->names;
  for (char *name; (name = strsep(&rest, ",")) != NULL;) {
    size_t length = strlen(name);
    if (length == 0 || length > 255 || tls->alpn_count == ALPN_MAX) return 0;
    tls->alpn[tls->alpn_count++] = name;
  }
  return tls->alpn_count > 0;
}

static int offer_first(hs_tls *tls) {
  uint8_t offer[256];
  size_t length = strlen(tls->alpn[0]);
  offer[0] = (uint8_t)length;
  memcpy(offer + 1, tls->alpn[0], length);
  return SSL_set_alpn_protos(tls->ssl, offer, (unsigned)length + 1) == 0;  // 0 is success here
}

hs_tls *hs_tls_new(hs_tls_context *context, int is_server, const char *alpn, hs_tls_check check,
                   void *user) {
  ERR_clear_error();
  hs_tls *tls = calloc(1, sizeof *tls);
  if (!tls) return NULL;
  tls->ssl = SSL_new(context->ssl);
  tls->in = BIO_new(BIO_s_mem());
  tls->out = BIO_new(BIO_s_mem());
  tls->check = check;
  tls->user = user;
  tls->agreed = -1;
  if (!tls->ssl || !tls->in || !tls->out || SSL_set_ex_data(tls->ssl, tls_index(), tls) != 1 ||
      !take_names(tls, alpn) || (!is_server && !offer_first(tls))) {
    BIO_free(tls->in);
    BIO_free(tls->out);
    hs_tls_free(tls);
    return NULL;
  }
  BIO_set_mem_eof_return(tls->in, -1);  // empty = "wants bytes", not end of file
  BIO_set_mem_eof_return(tls->out, -1);
  SSL_set_bio(tls->ssl, tls->in, tls->out);
  if (is_server)
    SSL_set_accept_state(tls->ssl);
  else
    SSL_set_connect_state(tls->ssl);
  return tls;
}

void hs_tls_free(hs_tls *tls) {
  if (!tls) return;
  SSL_free(tls->ssl);
  free(tls->names);
  free(tls);
}

int hs_tls_feed(hs_tls *tls, const uint8_t *bytes, size_t count) {
  ERR_clear_error();
  while (count > 0) {
    int part = count > (1 << 20) ? 1 << 20 : (int)count;
    int written = BIO_write(tls->in, bytes, part);
    if (written <= 0) return 0;
    bytes += written;
    count -= (size_t)written;
  }
  return 1;
}

size_t hs_tls_pending(hs_tls *tls) { return BIO_ctrl_pending(tls->out); }

size_t hs_tls_take(hs_tls *tls, uint8_t *out, size_t room) {
  int taken = BIO_read(tls->out, out, room > (1 << 30) ? 1 << 30 : (int)room);
  return taken > 0 ? (size_t)taken : 0;
}

static int outcome(hs_tls *tls, int result) {
  if (result > 0) return HS_TLS_OK;
  int error = SSL_get_error(tls->ssl, result);
  ERR_clear_error();
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return HS_TLS_WANTS_BYTES;
  if (error == SSL_ERROR_ZERO_RETURN) return HS_TLS_CLOSED;
  return HS_TLS_FAILED;
}

int hs_tls_handshake(hs_tls *tls) {
  ERR_clear_error();
  int result = outcome(tls, SSL_do_handshake(tls->ssl));
  if (result != HS_TLS_OK) return result;
  if (tls->agreed < 0) {
    const unsigned char *name = NULL;
    unsigned length = 0;
    SSL_get0_alpn_selected(tls->ssl, &name, &length);
    for (size_t at = 0; at < tls->alpn_count; at++)
      if (name && strlen(tls->alpn[at]) == length && memcmp(name, tls->alpn[at], length) == 0)
        tls->agreed = (int)at;
  }
  // No agreement on a protocol, or no judged key, is no connection.
  return tls->agreed >= 0 && tls->has_peer ? HS_TLS_OK : HS_TLS_FAILED;
}

int hs_tls_read(hs_tls *tls, uint8_t *out, size_t room, size_t *count) {
  ERR_clear_error();
  *count = 0;
  return outcome(tls, SSL_read_ex(tls->ssl, out, room, count));
}

int hs_tls_write(hs_tls *tls, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    ERR_clear_error();
    size_t written = 0;
    int result = outcome(tls, SSL_write_ex(tls->ssl, bytes, count, &written));
    if (result != HS_TLS_OK) return result;
    bytes += written;
    count -= written;
  }
  return HS_TLS_OK;
}

void hs_tls_close(hs_tls *tls) {
  ERR_clear_error();
  SSL_shutdown(tls->ssl);
  ERR_clear_error();
}

int hs_tls_peer_key(hs_tls *tls, uint8_t out[HS_KEY_BYTES]) {
  if (!tls->has_peer) return 0;
  memcpy(out, tls->peer, HS_KEY_BYTES);
  return 1;
}

int hs_tls_alpn(hs_tls *tls) { return tls->agreed; }

int hs_tls_export(hs_tls *tls, const char *label, uint8_t *out, size_t count) {
  ERR_clear_error();
  return SSL_export_keying_material(tls->ssl, out, count, label, strlen(label), NULL, 0, 0) == 1;
}

int hs_tls_is_resumed(hs_tls *tls) { return SSL_session_reused(tls->ssl); }

const char *hs_tls_version(hs_tls *tls) { return SSL_get_version(tls->ssl); }
