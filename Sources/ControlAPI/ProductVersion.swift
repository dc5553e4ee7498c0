// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The version of this build: told to peers, to clients, and by `hedge version`.
public enum ProductVersion {
  public static let text = "0.1.0"
}
