// What of an estimate's readings the headers of all inputs name, together.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "packets.hpp"

namespace sparsedyn {

/// By the newest header of each input.
class NamedReadings {
 public:
  NamedReadings(const std::vector<LiveReading>& readings, std::size_t inputs) : readings_(readings), from_(inputs) {}

  /// An input has these columns from now on.
  void name(std::size_t input, const NamedColumns& columns) { from_[input] = columns.from; }
  /// Whether an input has named its columns.
  bool has_named(std::size_t input) const { return !from_[input].empty(); }
  bool all_have_named() const;

  /// "no column a, b (near: c)" of columns that are required and that no input names; empty: none. newest: the header that has
  /// come now, whose names may be meant, those first that nobody reads.
  std::string lacking(const NamedColumns& newest) const;
  /// "no column a: these feet always stand" of contacts' flags; empty: none.
  std::string standing() const;

 private:
  bool is_named(std::size_t reading) const;
  const std::vector<LiveReading>& readings_;
  std::vector<std::vector<int>> from_;  // by input: NamedColumns::from; empty: it has named none yet
};

}  // namespace sparsedyn
