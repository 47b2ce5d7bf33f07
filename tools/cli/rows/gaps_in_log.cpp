#include "gaps_in_log.hpp"

#include <algorithm>
#include <map>

#include "cli/logs/system_inputs.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/csv_reader.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_gap_patterns = 4096;  // as many as an Estimator keeps

}  // namespace

std::vector<std::vector<char>> gaps_in_log(const System& system, const std::string& log, const CommonOptions& common) {
  CsvReader reader(log);
  SystemInputs inputs(system, reader, common, true);
  const Model& model = system.model();
  std::map<std::vector<char>, long> often;
  while (reader.next()) {
    if (!inputs.read()) continue;
    const std::vector<char> missing = missing_rows(system, inputs.values().data() + model.nq + model.nv);
    if (std::find(missing.begin(), missing.end(), char(1)) != missing.end()) ++often[missing];
  }
  std::vector<std::pair<std::vector<char>, long>> counted(often.begin(), often.end());
  std::stable_sort(counted.begin(), counted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::vector<char>> patterns;
  for (auto& [missing, count] : counted) patterns.push_back(missing);
  if (patterns.size() > most_gap_patterns) {
    warn(common, log + ": " + std::to_string(patterns.size()) + " patterns of gaps; only the " +
                     std::to_string(most_gap_patterns) + " that come most often are planned for");
    patterns.resize(most_gap_patterns);
  }
  return patterns;
}

}  // namespace sparsedyn::cli
