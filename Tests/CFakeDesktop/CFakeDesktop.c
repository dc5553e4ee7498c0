// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#include "CFakeDesktop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

static sd_bus *bus;
static pthread_t thread;
static atomic_int ends;
static int markup;
static fd_shown shown;

static int capabilities(sd_bus_message *call, void *context, sd_bus_error *error) {
  (void)context, (void)error;
  return markup ? sd_bus_reply_method_return(call, "as", 2, "body", "body-markup")
                : sd_bus_reply_method_return(call, "as", 1, "body");
}

static int notify(sd_bus_message *call, void *context, sd_bus_error *error) {
  (void)context, (void)error;
  const char *application, *icon, *title, *body;
  if (sd_bus_message_read(call, "susss", &application, &shown.replaces, &icon, &title, &body) < 0)
    return -1;
  snprintf(shown.title, sizeof shown.title, "%s", title);
  snprintf(shown.body, sizeof shown.body, "%s", body);
  shown.count++;
  return sd_bus_reply_method_return(call, "u", shown.replaces ? shown.replaces : 40 + shown.count);
}

static const sd_bus_vtable methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("GetCapabilities", "", "as", capabilities, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Notify", "susssasa{sv}i", "u", notify, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static void *serve(void *context) {
  while (!atomic_load(&ends))
    if (sd_bus_process(bus, NULL) == 0) sd_bus_wait(bus, 20 * 1000);
  return context;
}

int fd_start(const char *address, int reads_markup) {
  memset(&shown, 0, sizeof shown);
  markup = reads_markup;
  atomic_store(&ends, 0);
  const char *name = "org.freedesktop.Notifications";
  int result = sd_bus_new(&bus);
  if (result >= 0) result = sd_bus_set_address(bus, address);
  if (result >= 0) result = sd_bus_set_bus_client(bus, 1);
  if (result >= 0) result = sd_bus_start(bus);
  if (result >= 0)
    result = sd_bus_add_object_vtable(bus, NULL, "/org/freedesktop/Notifications", name, methods,
                                      NULL);
  if (result >= 0) result = sd_bus_request_name(bus, name, 0);
  if (result >= 0) result = -pthread_create(&thread, NULL, serve, NULL);
  return result < 0 ? result : 0;
}

fd_shown fd_stop(void) {
  atomic_store(&ends, 1);
  pthread_join(thread, NULL);
  sd_bus_flush_close_unref(bus);
  return shown;
}
