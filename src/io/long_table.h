// A stack of attention in long form: a row for each weight, the columns layer, head, query, key and weight in any order.
#pragma once

#include <optional>

#include "io/container.h"
#include "io/table_rows.h"

namespace rollscope {

// Where the columns are; -1: there is none.
struct LongColumns {
  int layer = -1, head = -1, query = -1, key = -1, weight = -1, query_token = -1, key_token = -1;
};

// What the first row of a table names; nothing if query, key and weight are not among it.
[[nodiscard]] std::optional<LongColumns> long_columns(const std::vector<TableCell>& cells);

// Reads the table twice: its extent, then its numbers. Positions count from 0 or 1; what is not listed is 0.
//   width  cells of the first row
// Errors: bad_table, ragged, too_big, empty, read_failed.
[[nodiscard]] Result<Container> read_long_table(ByteSource& source, const TableStyle& style, const LongColumns& columns, std::size_t width);

}  // namespace rollscope
