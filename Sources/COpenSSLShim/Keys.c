// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

#include "COpenSSLShim.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdlib.h>

#include "Keys.h"

int hs_random(uint8_t *out, size_t count) {
  return count <= INT_MAX && RAND_bytes(out, (int)count) == 1;
}

// Fetched once: a fetch per hash costs as much as the hash of a small change.
static EVP_MD *sha256;
static CRYPTO_ONCE sha256_once = CRYPTO_ONCE_STATIC_INIT;
static void fetch_sha256(void) { sha256 = EVP_MD_fetch(NULL, "SHA256", NULL); }

int hs_sha256(const uint8_t *bytes, size_t count, uint8_t out[HS_HASH_BYTES]) {
  if (CRYPTO_THREAD_run_once(&sha256_once, fetch_sha256) != 1) return 0;
  EVP_MD *digest = sha256;
  unsigned length = 0;
  return EVP_Digest(bytes, count, out, &length, digest, NULL) == 1 && length == HS_HASH_BYTES;
}

int hs_hmac_sha256(const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count,
                   uint8_t out[HS_HASH_BYTES]) {
  unsigned length = 0;
  return HMAC(EVP_sha256(), key, (int)key_count, bytes, count, out, &length) != NULL &&
         length == HS_HASH_BYTES;
}

int hs_equal(const uint8_t *a, const uint8_t *b, size_t count) {
  return CRYPTO_memcmp(a, b, count) == 0;
}

static hs_key *wrap(EVP_PKEY *pkey) {
  if (!pkey) {
    ERR_clear_error();
    return NULL;
  }
  hs_key *key = calloc(1, sizeof *key);
  if (!key) {
    EVP_PKEY_free(pkey);
    return NULL;
  }
  key->pkey = pkey;
  return key;
}

hs_key *hs_key_private(const uint8_t seed[HS_KEY_BYTES]) {
  return wrap(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, HS_KEY_BYTES));
}

hs_key *hs_key_public(const uint8_t bytes[HS_KEY_BYTES]) {
  return wrap(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, HS_KEY_BYTES));
}

void hs_key_free(hs_key *key) {
  if (!key) return;
  EVP_PKEY_free(key->pkey);
  free(key);
}

int hs_key_raw_public(const hs_key *key, uint8_t out[HS_KEY_BYTES]) {
  size_t length = HS_KEY_BYTES;
  return EVP_PKEY_get_raw_public_key(key->pkey, out, &length) == 1 && length == HS_KEY_BYTES;
}

int hs_sign(const hs_key *key, const uint8_t *message, size_t count,
            uint8_t out[HS_SIGNATURE_BYTES]) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (!context) return 0;
  size_t length = HS_SIGNATURE_BYTES;
  int good = EVP_DigestSignInit(context, NULL, NULL, NULL, key->pkey) == 1 &&
             EVP_DigestSign(context, out, &length, message, count) == 1 &&
             length == HS_SIGNATURE_BYTES;
  EVP_MD_CTX_free(context);
  if (!good) ERR_clear_error();
  return good;
}

int hs_verify(const hs_key *key, const uint8_t *message, size_t count, const uint8_t *signature,
              size_t signature_count) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (!context) return 0;
  int good = EVP_DigestVerifyInit(context, NULL, NULL, NULL, key->pkey) == 1 &&
             EVP_DigestVerify(context, signature, signature_count, message, count) == 1;
  EVP_MD_CTX_free(context);
  ERR_clear_error();
  return good;
}
