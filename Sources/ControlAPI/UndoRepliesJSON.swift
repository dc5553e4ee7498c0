// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

extension UndoReply {
  func write(to json: inout JSONWriter) {
    json.member("redo", bool: isRedo)
    json.member("undone", undone)
    result.write(to: &json)
    json.key("stayed")
    json.beginArray()
    for stay in stays {
      json.beginObject()
      json.member("id", stay.id.hex)
      json.member("handle", stay.handle)
      json.member("text", stay.text)
      json.member("col", stay.column)
      json.member("by", stay.by)
      json.member("why", stay.reason)
      json.endObject()
    }
    json.endArray()
  }
}

extension UndoStepRow {
  static func write(_ rows: [UndoStepRow], to json: inout JSONWriter) {
    json.key("steps")
    json.beginArray()
    for row in rows {
      json.beginObject()
      json.member("txn", row.transaction)
      json.member("at", time: row.at)
      json.member("client", row.source)
      json.member("undone", bool: row.isUndone)
      json.member("stayed", bool: row.hasStayed)
      json.member("list", row.listName)
      json.member("changed", count: row.itemCount)
      TransactionResult.write("items", row.items, to: &json)
      json.endObject()
    }
    json.endArray()
  }
}

extension TrashReply {
  func write(to json: inout JSONWriter) {
    json.member("count", count: count)
    json.key("trash")
    json.beginArray()
    for row in rows {
      json.beginObject()
      json.member("id", row.id.hex)
      json.member("handle", row.handle)
      json.member("text", row.text)
      json.member("state", row.isRecovered ? "recovered" : "removed")
      json.member("list", row.list)
      json.member("parent", row.parent)
      json.member("hidden", count: row.hiddenCount)
      json.member("at", time: row.at)
      json.member("by", row.by)
      json.endObject()
    }
    json.endArray()
  }
}

extension ConflictRow {
  static func write(_ rows: [ConflictRow], to json: inout JSONWriter) {
    json.key("conflicts")
    json.beginArray()
    for row in rows {
      json.beginObject()
      json.member("id", row.id)
      json.member("list", row.list)
      json.member("item", row.item.hex)
      json.member("handle", row.handle)
      json.member("text", row.text)
      json.member("col", row.column)
      row.kept.write("kept", to: &json)
      row.dropped.write("dropped", to: &json)
      json.member("taken", bool: row.isTaken)
      json.endObject()
    }
    json.endArray()
  }
}

extension ConflictRow.Side {
  fileprivate func write(_ name: String, to json: inout JSONWriter) {
    json.key(name)
    json.beginObject()
    json.member("value", value: value)
    json.member("by", by)
    json.member("at", time: at)
    json.endObject()
  }
}
