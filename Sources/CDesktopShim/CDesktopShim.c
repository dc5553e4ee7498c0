// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#include "CDesktopShim.h"

#include <errno.h>
#include <string.h>
#include <systemd/sd-bus.h>

static const char *const name = "org.freedesktop.Notifications";
static const char *const path = "/org/freedesktop/Notifications";

// Whether the server reads markup in the body; -errno where nobody answers.
static int reads_markup(sd_bus *bus, sd_bus_error *error) {
  sd_bus_message *reply = NULL;
  int result = sd_bus_call_method(bus, name, path, name, "GetCapabilities", error, &reply, "");
  if (result < 0) return result;
  int found = 0;
  const char *word;
  if (sd_bus_message_enter_container(reply, 'a', "s") > 0)
    while (sd_bus_message_read(reply, "s", &word) > 0)
      if (strcmp(word, "body-markup") == 0) found = 1;
  sd_bus_message_unref(reply);
  return found;
}

int hd_notify(const char *title, const char *plain, const char *marked, uint32_t replaces,
              uint32_t *id) {
  sd_bus *bus = NULL;
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message *reply = NULL;
  if (sd_bus_open_user(&bus) < 0) return -ENOTCONN;
  sd_bus_set_method_call_timeout(bus, 4 * 1000 * 1000);
  int result = reads_markup(bus, &error);
  if (result >= 0)
    result = sd_bus_call_method(bus, name, path, name, "Notify", &error, &reply, "susssasa{sv}i",
                                "hedgerow", replaces, "hedgerow", title, result ? marked : plain,
                                0, 0, -1);
  if (result >= 0) result = sd_bus_message_read(reply, "u", id);
  if (sd_bus_error_has_name(&error, SD_BUS_ERROR_SERVICE_UNKNOWN) ||
      sd_bus_error_has_name(&error, SD_BUS_ERROR_NAME_HAS_NO_OWNER))
    result = -ENOTCONN;
  sd_bus_message_unref(reply);
  sd_bus_error_free(&error);
  sd_bus_unref(bus);
  return result < 0 ? result : 0;
}
