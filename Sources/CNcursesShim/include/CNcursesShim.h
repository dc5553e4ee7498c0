// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The part of ncursesw that the live view uses: its macros, globals and wide characters behind plain
// functions. One screen a process, one thread.
#ifndef CNcursesShim_h
#define CNcursesShim_h

#include <stdint.h>

// Pairs of foreground and attributes, in the order of LiveView.Style.
enum { HN_STYLES = 10 };

// Starts the screen on the controlling terminal; 0, or -1 where TERM is unknown or there is no
// terminal. `colors` 0 never uses colour.
int hn_open(int colors);
void hn_close(void);

void hn_size(int *height, int *width);
void hn_clear(void);
// Draws UTF-8 text in a style, from HN_STYLES.
void hn_put(int line, int column, const char *text, int style);
// Shows the cursor at a place, or hides it for a negative line.
void hn_cursor(int line, int column);
void hn_show(void);

// Kinds of keys; HN_NONE when nothing is there, HN_RESIZED when the size changed.
enum {
  HN_NONE, HN_CHARACTER, HN_ENTER, HN_ESCAPE, HN_TAB, HN_BACK_TAB, HN_BACKSPACE, HN_DELETE,
  HN_UP, HN_DOWN, HN_LEFT, HN_RIGHT, HN_HOME, HN_END, HN_PAGE_UP, HN_PAGE_DOWN,
  HN_ALT_UP, HN_ALT_DOWN, HN_ALT_LEFT, HN_ALT_RIGHT, HN_CONTROL, HN_RESIZED
};
// The next key without waiting; `scalar` is set for HN_CHARACTER and HN_CONTROL (the letter).
int hn_key(uint32_t *scalar);

// Columns that a character takes in the C library's opinion, -1 for one that is not printable.
int hn_columns(uint32_t scalar);

#endif
