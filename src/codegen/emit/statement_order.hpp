// The order of a text's statements in which a processor finds work at all times.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

struct TextStatement {
  std::string text;
  std::vector<int> needs;  // statements before it whose values it uses
  int operations = 0;      // 0: moves a value from or to memory
  int cycles = 4;          // from its operands to its value
};

/// The statements' texts in the order in which a processor that begins two operations a cycle, and looks ahead without end,
/// would come to them, what is farthest from an end first (list scheduling: Landskov, Davidson, Shriver and Mallett, Local
/// microcode compaction techniques, Computing Surveys 1980). One that looks ahead over a hundred operations then seldom waits.
/// What only reads memory comes where it is first needed. As they are, where too many values would be alive at once for the
/// registers. Cost: n log n for n statements.
std::string in_order_of_work(const std::vector<TextStatement>& statements);

}  // namespace sparsedyn
