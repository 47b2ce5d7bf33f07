#include "facts.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "io/output_file.hpp"

namespace sparsedyn::reproduce {

void write_facts(const std::string& page, const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& f : facts)
    text += f.figure + "\t" + f.quantity + "\t" + f.published + "\t" + f.ours + "\t" + f.remark + "\n";
  write_file(page + ".facts", text);
}

std::vector<Fact> read_facts(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<Fact> facts;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells(1);
    for (char c : line) {
      if (c == '\t')
        cells.emplace_back();
      else
        cells.back().push_back(c);
    }
    if (cells.size() != 5) throw std::runtime_error(path + ": " + line + ": expected five cells");
    facts.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
  }
  return facts;
}

bool short_run() { return std::getenv("SPARSEDYN_SHORT") != nullptr; }

}  // namespace sparsedyn::reproduce
