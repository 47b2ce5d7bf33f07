#include "cli/determinacy_report.hpp"

#include "cli/exit_code.hpp"
#include "cli/messages.hpp"

namespace sparsedyn::cli {
namespace {

std::vector<std::string> pick(const std::vector<int>& which, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (int k : which) out.push_back(names[k]);
  return out;
}

std::string advice_in_words(const Determinacy& found) {
  constexpr std::size_t most = 10;
  const std::string gap = std::to_string(found.unknowns - found.rank);
  std::string text = "sensors that would help, each alone:\n";
  for (std::size_t i = 0; i < found.advice.size() && i < most; ++i)
    text += "  " + found.advice[i].type + " on " + found.advice[i].target + ": removes " +
            std::to_string(found.advice[i].removes) + " of " + gap + " undetermined directions\n";
  return text;
}

}  // namespace

std::string in_words(const System& system, const Determinacy& found) {
  std::string text = std::string(verdict_name(found.verdict())) + ": " + std::to_string(found.equations) + " equations for " +
                     std::to_string(found.unknowns) + " unknowns, rank " + std::to_string(found.rank) + " (structural " +
                     std::to_string(found.structural_rank) + "), " + std::to_string(found.redundant_rows()) + " redundant\n";
  if (!found.undetermined.empty())
    text += "undetermined: " + listing(pick(found.undetermined, system.unknown_names()), 12) + "\n";
  if (!found.redundant_exact.empty())
    text += "exact rows that depend on each other: " + listing(pick(found.redundant_exact, system.equation_names()), 12) + "\n";
  if (!found.advice.empty()) text += advice_in_words(found);
  return text;
}

Json to_json(const System& system, const Determinacy& found) {
  Json advice = Json::array();
  for (const SensorAdvice& sensor : found.advice)
    advice.push_back({{"type", sensor.type}, {sensor.on_joint ? "joint" : "link", sensor.target}, {"removes", sensor.removes}});
  return {{"verdict", verdict_name(found.verdict())},
          {"unknowns", found.unknowns},
          {"equations", found.equations},
          {"rank", found.rank},
          {"structural_rank", found.structural_rank},
          {"redundant_rows", found.redundant_rows()},
          {"undetermined", pick(found.undetermined, system.unknown_names())},
          {"redundant_exact", pick(found.redundant_exact, system.equation_names())},
          {"advice", advice},
          {"determined_with_priors", found.determined_with_priors}};
}

void require_determined(const System& system, const Determinacy& found) {
  if (found.verdict() != Verdict::determined) throw AnswerIsNo(in_words(system, found), json_text(to_json(system, found)));
}

}  // namespace sparsedyn::cli
