// swift-format-ignore-file
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Made by `dev assets Sources/WebPages`.

extension GeneratedAssets {
  static let iconSvg = #"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2e7d4f" d="M2 3h12v2H2zm0 4h12v2H2zm0 4h12v2H2z"/></svg>

"""#
}
