// swift-format-ignore-file
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Made by `Packaging/page-assets`.

extension GeneratedAssets {
  static let iconSvg = #"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2b6147"/><g fill="none" stroke="#e9f3ea" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"><path d="M8 25V15c0-4 2.5-6.5 6-6.5v4c0 4-2 6.5-6 6.5"/><path d="M16 25v-7c0-4.5 3.5-6.5 8-6.5v2.5c0 5-3.5 7.5-8 7.5"/><path d="M6 25.5h20"/></g></svg>

"""#
}
