// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI

/// All that a page shows at first, so that it can be read without its script.
package struct PageSnapshot: Hashable, Sendable {
  /// Display name of this device.
  package var device: String
  package var version: String
  package var lists: [ListRow]
  /// The list that is open, with all its rows, done ones too; `nil` where there is none.
  package var page: ItemsPage?
  /// What a guest may do with the list; `nil` for somebody who may do all.
  package var guest: GuestRole?
  /// Where other devices find the page; `nil` while it is closed to them, and for guests.
  package var lan: LANAddress?
  /// What went wrong with the last form, for people.
  package var notice: String?

  package init(
    device: String, version: String, lists: [ListRow], page: ItemsPage? = nil,
    notice: String? = nil
  ) {
    (self.device, self.version, self.lists) = (device, version, lists)
    (self.page, self.notice) = (page, notice)
  }
}
