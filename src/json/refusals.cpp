#include "refusals.hpp"

#include "determinacy_report.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {
namespace {

std::string reason_json(const std::string& reason) { return json::json_text({{"reason", reason}}); }

}  // namespace

void require_plannable(const System& system, const Determinacy& found) {
  if (found.verdict() == Verdict::insufficient || !found.redundant_exact.empty())
    throw AnswerIsNo(in_words(system, found), json::json_text(to_json(system, found)));
}

void refuse_plan(const std::string& reason) {
  throw AnswerIsNo(reason, json::json_text({{"fits", false}, {"reason", reason}}));
}

void rethrow_as_answer(const System& system, const PlanSource& plans) {
  try {
    throw;
  } catch (const PlanMismatch& mismatch) {
    refuse_plan(mismatch.what());
  } catch (const FormulationMisfit& misfit) {
    if (!plans.stored) throw;
    refuse_plan(plans.stored->name() + ": " + misfit.what());
  } catch (const OutputNotInPlan& output) {
    throw AnswerIsNo(output.what(), reason_json(output.what()));
  } catch (const RedundantExactRows& redundant) {
    throw AnswerIsNo(redundant.what(), json::json_text(to_json(system, determinacy(system))));
  } catch (const UndeterminedOutputs& open) {
    const Determinacy verdict = determinacy(system);
    throw AnswerIsNo(open.what() + (open.by_name ? "\n" + in_words(system, verdict) : ""),
                     json::json_text(to_json(system, verdict)));
  }
}

}  // namespace sparsedyn
