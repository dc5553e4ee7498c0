// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// One desktop notification over the user's D-Bus.
#ifndef CDesktopShim_h
#define CDesktopShim_h

#include <stdint.h>

// Shows a notification, in place of the one that `replaces` names where that is not 0. Servers that
// read markup get `marked`, all others `plain`. 0 and its id, or -errno; -ENOTCONN where there is no
// bus, or nobody on it who shows notifications.
int hd_notify(const char *title, const char *plain, const char *marked, uint32_t replaces,
              uint32_t *id);

#endif
