// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

#include "CLooseTLS.h"

#include <malloc.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

struct loose_tls {
  SSL_CTX *context;
  SSL *ssl;
  BIO *in;   // owned by ssl
  BIO *out;  // owned by ssl
  char alpn[64];
  int tickets;
  int sees_psk;
};

static int trust(X509_STORE_CTX *store, void *unused) {
  (void)unused;
  X509_STORE_CTX_set_error(store, X509_V_OK);
  return 1;
}

static int ticket(SSL *ssl, SSL_SESSION *session) {
  (void)session;
  ((loose_tls *)SSL_get_app_data(ssl))->tickets++;
  return 0;
}

static int hello(SSL *ssl, int *alert, void *tls) {
  (void)alert;
  const unsigned char *found;
  size_t count;
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_psk, &found, &count))
    ((loose_tls *)tls)->sees_psk = 1;
  return SSL_CLIENT_HELLO_SUCCESS;
}

static int choose(SSL *ssl, const unsigned char **out, unsigned char *count,
                  const unsigned char *offered, unsigned offered_count, void *tls) {
  (void)ssl;
  const char *own = ((loose_tls *)tls)->alpn;
  return SSL_select_next_proto((unsigned char **)out, count, (const unsigned char *)own,
                               (unsigned)strlen(own), offered,
                               offered_count) == OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_NOACK;
}

static int certify(SSL_CTX *context, enum loose_certificate kind) {
  if (kind == LOOSE_NONE) return 1;
  EVP_PKEY *key = kind == LOOSE_P256 ? EVP_EC_gen("P-256") : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  X509 *x = X509_new();
  int good = key && x && X509_set_version(x, 2) && ASN1_INTEGER_set(X509_get_serialNumber(x), 1) &&
             ASN1_TIME_set_string(X509_getm_notBefore(x), "20000101000000Z") &&
             ASN1_TIME_set_string(X509_getm_notAfter(x), "99991231235959Z") &&
             X509_set_pubkey(x, key) &&
             X509_sign(x, key, kind == LOOSE_P256 ? EVP_sha256() : NULL) > 0 &&
             SSL_CTX_use_certificate(context, x) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1;
  X509_free(x);
  EVP_PKEY_free(key);
  return good;
}

loose_tls *loose_new(int is_server, int version_max, const char *alpn,
                     enum loose_certificate certificate) {
  loose_tls *tls = calloc(1, sizeof *tls);
  if (!tls) return NULL;
  tls->context = SSL_CTX_new(TLS_method());
  if (!tls->context || !certify(tls->context, certificate) || (alpn && strlen(alpn) > 60)) {
    loose_free(tls);
    return NULL;
  }
  SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION);
  SSL_CTX_set_max_proto_version(tls->context, version_max);
  SSL_CTX_set_session_cache_mode(tls->context, SSL_SESS_CACHE_CLIENT);
  SSL_CTX_sess_set_new_cb(tls->context, ticket);
  SSL_CTX_set_client_hello_cb(tls->context, hello, tls);
  SSL_CTX_set_session_id_context(tls->context, (const unsigned char *)"loose", 5);
  SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
  SSL_CTX_set_cert_verify_callback(tls->context, trust, NULL);
  if (alpn) {
    tls->alpn[0] = (char)strlen(alpn);
    strcpy(tls->alpn + 1, alpn);
    SSL_CTX_set_alpn_select_cb(tls->context, choose, tls);
    SSL_CTX_set_alpn_protos(tls->context, (const unsigned char *)tls->alpn,
                            (unsigned)strlen(tls->alpn));
  }
  tls->ssl = SSL_new(tls->context);
  tls->in = BIO_new(BIO_s_mem());
  tls->out = BIO_new(BIO_s_mem());
  BIO_set_mem_eof_return(tls->in, -1);
  BIO_set_mem_eof_return(tls->out, -1);
  SSL_set_bio(tls->ssl, tls->in, tls->out);
  SSL_set_app_data(tls->ssl, tls);
  if (is_server)
    SSL_set_accept_state(tls->ssl);
  else
    SSL_set_connect_state(tls->ssl);
  return tls;
}

void loose_free(loose_tls *tls) {
  if (!tls) return;
  SSL_free(tls->ssl);
  SSL_CTX_free(tls->context);
  free(tls);
}

int loose_receive(loose_tls *tls, const uint8_t *bytes, size_t count) {
  ERR_clear_error();
  if (count > 0 && BIO_write(tls->in, bytes, (int)count) != (int)count) return -1;
  int result = SSL_do_handshake(tls->ssl);
  uint8_t plain[1024];
  int is_open = result == 1;
  while (result > 0) result = SSL_read(tls->ssl, plain, sizeof plain);
  int error = SSL_get_error(tls->ssl, result);
  ERR_clear_error();
  return error == SSL_ERROR_WANT_READ ? is_open : -1;
}

size_t loose_pending(loose_tls *tls) { return BIO_ctrl_pending(tls->out); }

size_t loose_take(loose_tls *tls, uint8_t *out, size_t room) {
  int taken = BIO_read(tls->out, out, (int)room);
  return taken > 0 ? (size_t)taken : 0;
}

int loose_write(loose_tls *tls, const uint8_t *bytes, size_t count) {
  ERR_clear_error();
  return SSL_write(tls->ssl, bytes, (int)count) == (int)count;
}

int loose_tickets(loose_tls *tls) { return tls->tickets; }
int loose_is_resumed(loose_tls *tls) { return SSL_session_reused(tls->ssl); }
int loose_sees_psk(loose_tls *tls) { return tls->sees_psk; }
int64_t loose_heap_bytes(void) { return (int64_t)mallinfo2().uordblks; }
