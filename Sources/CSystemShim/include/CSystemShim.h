// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#ifndef CSystemShim_h
#define CSystemShim_h
#endif
