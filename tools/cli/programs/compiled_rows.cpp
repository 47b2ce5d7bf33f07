#include "compiled_rows.hpp"

#include <cmath>
#include <cstdio>

#include "cli/support/components.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "requests/compiled_answers.hpp"

namespace sparsedyn::cli {
namespace {

class CompiledRows : public LogAnswers {
 public:
  CompiledRows(SensorSolver careful, CompiledAnswers answers, const CommonOptions& common)
      : LogAnswers(std::move(careful)), answers_(std::move(answers)), common_(common) {}

  std::size_t batch() const override { return answers_.batch(); }
  void expect(const std::vector<const double*>& rows) override { answers_.expect(rows); }
  Answer solve(const double* q, const double* v, const double* y, double* results) override {
    const bool trusted = answers_.report().trusted;
    const Answer answer = answers_.solve(solver_, q, v, y, results);
    if (trusted && !answers_.report().trusted)
      warn(common_, "--compiled: the compiled program differs from the solver, which goes on without it");
    return answer;
  }
  std::string why() const override { return answers_.by_program() ? "" : solver_.describe(); }

  void add_details(Json& summary) const override {
    LogAnswers::add_details(summary);
    const CompiledReport& r = answers_.report();
    summary["compiled"] = {{"rows", r.answered},
                           {"compared", r.compared},
                           {"worst_difference", r.worst_difference},
                           {"smallest_health", r.smallest_health},
                           {"cached", r.cached},
                           {"seconds", r.seconds}};
  }
  std::string details_text() const override {
    const CompiledReport& r = answers_.report();
    char line[200];
    std::snprintf(line, sizeof line,
                  "%ld rows by compiled code (%s in %.2f s), smallest health %.2g; %ld rows both ways, largest relative "
                  "difference %.1e\n",
                  r.answered, r.cached ? "cached, loaded" : "compiled", r.seconds, r.smallest_health, r.compared,
                  r.worst_difference);
    return line + LogAnswers::details_text();
  }

 private:
  CompiledAnswers answers_;
  CommonOptions common_;
};

}  // namespace

void require_codegen(const std::string&) {}

std::unique_ptr<LogAnswers> compiled_rows(SensorSolver careful, const std::vector<bool>& found, const CommonOptions& common) {
  try {
    CompiledAnswers answers(careful, found, [&](long operations, double seconds) {
      if (seconds < 1) return;  // not worth a word
      note(common, "--compiled: " + std::to_string(operations) + " operations, about " +
                       std::to_string(std::lround(seconds + 1)) + " s for the compiler; later runs find them compiled");
    });
    return std::make_unique<CompiledRows>(std::move(careful), std::move(answers), common);
  } catch (const CompilerFailure& failure) {
    warn(common, std::string("--compiled: ") + failure.what() + "; solved without");
    return std::make_unique<LogAnswers>(std::move(careful));
  }
}

}  // namespace sparsedyn::cli
