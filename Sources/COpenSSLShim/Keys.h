// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

#ifndef hs_keys_h
#define hs_keys_h

#include <openssl/evp.h>

struct hs_key {
  EVP_PKEY *pkey;
};

#endif
