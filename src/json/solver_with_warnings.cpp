#include "solver_with_warnings.hpp"

#include "answers/making_words.hpp"
#include "json_text.hpp"
#include "refusals.hpp"

namespace sparsedyn {
namespace {

void add(const std::vector<std::string>& sentences, std::vector<std::string>& warnings) {
  warnings.insert(warnings.end(), sentences.begin(), sentences.end());
}

void tell_making(const SolverMaking& making, const PlanSource& plans, std::vector<std::string>& warnings) {
  add(in_words(making, plans.stored ? plans.stored->name() : ""), warnings);
}

/// What `make` makes; where the answer is no, throws AnswerIsNo.
template <class Make>
auto made(const System& system, const PlanSource& plans, std::vector<std::string>& warnings, const Make& make) {
  try {
    return make();
  } catch (const UndeterminedOutputs& open) {
    if (!open.by_name) warnings.push_back(left_out_in_words(open.outputs));
    rethrow_as_answer(system, plans);
  } catch (...) {
    rethrow_as_answer(system, plans);
  }
}

}  // namespace

SensorSolver solver_with_refusals(const std::shared_ptr<const System>& system, const SensorSolverOptions& options,
                                  std::vector<std::string>& warnings) {
  add(exact_offsets(*system), warnings);
  return made(*system, options.plans, warnings, [&] { return SensorSolver(system, options); });
}

SensorSolver solver_with_warnings(const std::shared_ptr<const System>& system, const SensorSolverOptions& options,
                                  std::vector<std::string>& warnings) {
  SensorSolver solver = solver_with_refusals(system, options, warnings);
  tell_making(solver.report().making, options.plans, warnings);
  return solver;
}

SensorDerivatives derivatives_with_warnings(const std::shared_ptr<const System>& system,
                                            const std::vector<std::string>& outputs, const PlanSource& plans,
                                            std::vector<std::string>& warnings) try {
  SensorDerivatives rows = made(*system, plans, warnings, [&] { return SensorDerivatives(system, outputs, plans); });
  tell_making(rows.making(), plans, warnings);
  return rows;
} catch (const SingularSystem& singular) {
  throw AnswerIsNo(singular.what(), json::json_text({{"reason", singular.what()}}));
}

}  // namespace sparsedyn
