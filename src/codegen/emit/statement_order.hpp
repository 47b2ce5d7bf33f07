// An order of a text's statements in which the processor always finds an operation that can start.
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

/// The statements' texts by list scheduling (Landskov, Davidson, Shriver and Mallett, Local microcode compaction techniques,
/// Computing Surveys 1980): a model processor begins two operations a cycle, and of those that can start takes the one with the
/// longest way to an end. A real one, which looks ahead over a hundred operations, then seldom waits. Statements that only read
/// memory stand where they are first needed. The order stays as it is where this would keep too many values alive for the
/// registers. Cost: n log n for n statements.
std::string in_order_of_work(const std::vector<TextStatement>& statements);

}  // namespace sparsedyn
