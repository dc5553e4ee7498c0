// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#ifndef COpenSSLShim_h
#define COpenSSLShim_h
#endif
