// What a comparison found, for the index of all of them: PAGE.facts beside PAGE, a line each, cells apart by tabs.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn::reproduce {

struct Fact {
  std::string figure, quantity, published, ours, remark;
};

/// Throws std::runtime_error where the file cannot be written.
void write_facts(const std::string& page, const std::vector<Fact>& facts);

/// Throws std::runtime_error where it cannot be read, or a line has not five cells.
std::vector<Fact> read_facts(const std::string& path);

/// Whether SPARSEDYN_SHORT is set: fewer sizes and shorter measurements, to see that all works.
bool short_run();

}  // namespace sparsedyn::reproduce
