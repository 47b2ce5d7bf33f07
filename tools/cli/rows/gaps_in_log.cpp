#include "gaps_in_log.hpp"

#include "cli/logs/system_inputs.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/csv_reader.hpp"
#include "planning/gap_patterns.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_gap_patterns = 4096;  // as many as an Estimator keeps

}  // namespace

std::vector<std::vector<char>> gaps_in_log(const System& system, const std::string& log, const CommonOptions& common) {
  CsvReader reader(log);
  SystemInputs inputs(system, reader, common, true);
  const Model& model = system.model();
  GapPatterns found;
  while (reader.next())
    if (inputs.read()) found.add(system, inputs.values().data() + model.nq + model.nv);
  std::vector<std::vector<char>> patterns = found.by_frequency();
  if (patterns.size() > most_gap_patterns) {
    warn(common, log + ": " + std::to_string(patterns.size()) + " patterns of gaps; only the " +
                     std::to_string(most_gap_patterns) + " that come most often are planned for");
    patterns.resize(most_gap_patterns);
  }
  return patterns;
}

}  // namespace sparsedyn::cli
