// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#include "COpenSSLShim.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>

static int extend(X509 *x, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, x, x, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  if (!extension) return 0;
  int good = X509_add_ext(x, extension, -1);
  X509_EXTENSION_free(extension);
  return good;
}

// Browsers show this one, so it has a serial number of its own; time decides nothing here either.
static X509 *certificate(EVP_PKEY *key, const char *names) {
  X509 *x = X509_new();
  if (!x) return NULL;
  uint8_t serial[8];
  X509_NAME *name = X509_get_subject_name(x);
  int good = RAND_bytes(serial, sizeof serial) == 1;
  serial[0] &= 0x7F;
  BIGNUM *number = good ? BN_bin2bn(serial, sizeof serial, NULL) : NULL;
  good = number && X509_set_version(x, 2) == 1 &&
         BN_to_ASN1_INTEGER(number, X509_get_serialNumber(x)) != NULL &&
         ASN1_TIME_set_string(X509_getm_notBefore(x), "20000101000000Z") == 1 &&
         ASN1_TIME_set_string(X509_getm_notAfter(x), "20491231235959Z") == 1 &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const uint8_t *)"hedgerow page", -1,
                                    -1, 0) == 1 &&
         X509_set_issuer_name(x, name) == 1 && X509_set_pubkey(x, key) == 1 &&
         extend(x, NID_basic_constraints, "critical,CA:FALSE") == 1 &&
         extend(x, NID_key_usage, "critical,digitalSignature") == 1 &&
         extend(x, NID_ext_key_usage, "serverAuth") == 1 &&
         extend(x, NID_subject_alt_name, names) == 1 && X509_sign(x, key, EVP_sha256()) > 0;
  BN_free(number);
  if (good) return x;
  X509_free(x);
  return NULL;
}

size_t hs_page_certificate(const char *names, uint8_t *out, size_t room) {
  size_t count = 0;
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *x = key ? certificate(key, names) : NULL;
  BIO *text = BIO_new(BIO_s_mem());
  if (x && text && PEM_write_bio_PrivateKey(text, key, NULL, NULL, 0, NULL, NULL) == 1 &&
      PEM_write_bio_X509(text, x) == 1) {
    char *bytes = NULL;
    long length = BIO_get_mem_data(text, &bytes);
    if (length > 0 && (size_t)length <= room) {
      count = (size_t)length;
      memcpy(out, bytes, count);
    }
  }
  BIO_free(text);
  X509_free(x);
  EVP_PKEY_free(key);
  return count;
}

int hs_page_fingerprint(const uint8_t *pem, size_t count, uint8_t out[HS_HASH_BYTES]) {
  if (count > INT32_MAX) return 0;
  BIO *text = BIO_new_mem_buf(pem, (int)count);
  if (!text) return 0;
  EVP_PKEY *key = PEM_read_bio_PrivateKey(text, NULL, NULL, NULL);
  X509 *x = key ? PEM_read_bio_X509(text, NULL, NULL, NULL) : NULL;
  unsigned length = 0;
  int good = x && X509_check_private_key(x, key) == 1 &&
             X509_digest(x, EVP_sha256(), out, &length) == 1 && length == HS_HASH_BYTES;
  X509_free(x);
  EVP_PKEY_free(key);
  BIO_free(text);
  return good;
}
