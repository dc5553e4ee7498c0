// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE 1
#include "CNcursesShim.h"

#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static SCREEN *screen;
static int has_colors_now;
static attr_t styles[HN_STYLES];

// Key codes that ncurses gives to strings of its own terminal description (modified arrows).
static int alt_up, alt_down, alt_left, alt_right;

static int code_of(const char *capability) {
  const char *text = tigetstr((char *)capability);
  if (!text || text == (char *)-1) return -1;
  int code = key_defined(text);
  return code > 0 ? code : -1;
}

static void choose_styles(int colors) {
  static const short inks[HN_STYLES] = {-1, -1, -1, -1, -1, COLOR_GREEN, COLOR_RED, COLOR_CYAN,
                                        COLOR_YELLOW, -1};
  static const attr_t looks[HN_STYLES] = {A_NORMAL, A_DIM,  A_BOLD,   A_BOLD | A_UNDERLINE,
                                          A_REVERSE, A_BOLD, A_BOLD,  A_BOLD,
                                          A_BOLD,    A_REVERSE};
  has_colors_now = colors && has_colors();
  if (has_colors_now) {
    start_color();
    use_default_colors();
  }
  for (int style = 0; style < HN_STYLES; style++) {
    styles[style] = looks[style];
    if (has_colors_now && inks[style] >= 0) {
      init_pair((short)(style + 1), inks[style], -1);
      styles[style] |= COLOR_PAIR(style + 1);
    }
  }
}

int hn_open(int colors) {
  setlocale(LC_ALL, "");
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return -1;
  screen = newterm(NULL, stdout, stdin);
  if (!screen) return -1;
  set_term(screen);
  raw();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(40);
  choose_styles(colors);
  alt_up = code_of("kUP3");
  alt_down = code_of("kDN3");
  alt_left = code_of("kLFT3");
  alt_right = code_of("kRIT3");
  return 0;
}

void hn_close(void) {
  if (!screen) return;
  endwin();
  delscreen(screen);
  screen = NULL;
}

void hn_size(int *height, int *width) { getmaxyx(stdscr, *height, *width); }

void hn_clear(void) { erase(); }

void hn_put(int line, int column, const char *text, int style) {
  if (style < 0 || style >= HN_STYLES) style = 0;
  attrset(styles[style]);
  mvaddstr(line, column, text);
  attrset(A_NORMAL);
}

void hn_cursor(int line, int column) {
  if (line < 0) {
    curs_set(0);
    return;
  }
  curs_set(1);
  move(line, column);
}

void hn_show(void) { refresh(); }

static int control(wint_t letter, uint32_t *scalar) {
  *scalar = letter + 'a' - 1;
  return HN_CONTROL;
}

// What follows an escape at once belongs to it: Alt with an arrow on terminals without own codes.
static int escaped(void) {
  wint_t next = 0;
  int kind = get_wch(&next);
  if (kind == ERR) return HN_ESCAPE;
  if (kind == KEY_CODE_YES) {
    switch (next) {
      case KEY_UP: return HN_ALT_UP;
      case KEY_DOWN: return HN_ALT_DOWN;
      case KEY_LEFT: return HN_ALT_LEFT;
      case KEY_RIGHT: return HN_ALT_RIGHT;
    }
  }
  return HN_NONE;
}

static int special(wint_t code) {
  if ((int)code == alt_up) return HN_ALT_UP;
  if ((int)code == alt_down) return HN_ALT_DOWN;
  if ((int)code == alt_left) return HN_ALT_LEFT;
  if ((int)code == alt_right) return HN_ALT_RIGHT;
  switch (code) {
    case KEY_UP: return HN_UP;
    case KEY_DOWN: return HN_DOWN;
    case KEY_LEFT: return HN_LEFT;
    case KEY_RIGHT: return HN_RIGHT;
    case KEY_HOME: return HN_HOME;
    case KEY_END: return HN_END;
    case KEY_PPAGE: return HN_PAGE_UP;
    case KEY_NPAGE: return HN_PAGE_DOWN;
    case KEY_BACKSPACE: return HN_BACKSPACE;
    case KEY_DC: return HN_DELETE;
    case KEY_BTAB: return HN_BACK_TAB;
    case KEY_ENTER: return HN_ENTER;
    case KEY_RESIZE: return HN_RESIZED;
    default: return -1;
  }
}

int hn_key(uint32_t *scalar) {
  // A key that means nothing here is passed over; the loop ends with what the terminal has sent.
  for (;;) {
    wint_t key = 0;
    int kind = get_wch(&key);
    if (kind == ERR) return HN_NONE;
    if (kind == KEY_CODE_YES) {
      int known = special(key);
      if (known >= 0) return known;
      continue;
    }
    switch (key) {
      case '\r':
      case '\n': return HN_ENTER;
      case '\t': return HN_TAB;
      case 127: return HN_BACKSPACE;
      case 27: {
        int known = escaped();
        if (known != HN_NONE) return known;
        continue;
      }
    }
    if (key >= 1 && key <= 26) return control(key, scalar);
    if (key < 32) continue;
    *scalar = key;
    return HN_CHARACTER;
  }
}

int hn_columns(uint32_t scalar) { return wcwidth((wchar_t)scalar); }
