#include "log_answers.hpp"

#include "cli/reports/estimate_words.hpp"
#include "json/solve_report.hpp"

namespace sparsedyn::cli {

SolveReport LogAnswers::report() const {
  SolveReport report = solver_.report();
  if (innovations_are_drawn_) report.has_innovations = false, report.innovations.clear();
  return report;
}

void LogAnswers::add_details(Json& summary) const { sparsedyn::add_details(report(), scaled_, summary); }

std::string LogAnswers::details_text() const { return estimate_text(report(), scaled_); }

}  // namespace sparsedyn::cli
