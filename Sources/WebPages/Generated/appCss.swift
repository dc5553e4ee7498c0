// swift-format-ignore-file
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Made by `dev assets Sources/WebPages`.

extension GeneratedAssets {
  static let appCss = #"""
/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: the hedgerow authors */
:root {
  color-scheme: light dark;
  font: 100%/1.5 system-ui, sans-serif;
}
body {
  margin: 0 auto;
  max-width: 60rem;
  padding: 0 1rem 2rem;
}
header, nav ul, main form {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1rem;
  align-items: baseline;
}
nav ul, .rows {
  list-style: none;
  padding: 0;
  margin: 0;
}
.rows li {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem 0.75rem;
  align-items: baseline;
  padding: 0.25rem 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent);
}
.done .text {
  text-decoration: line-through;
}
button, input {
  font: inherit;
}
.notice {
  border: 2px solid currentColor;
  padding: 0.5rem 1rem;
}

"""#
}
