#include "compiled_rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>

#include "cli/support/components.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "codegen/ir/health_states.hpp"
#include "requests/recorded_rows.hpp"
#include "sparsedyn/jit/compiled_program.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t rows_at_once = 264;  // not a power of two, which would crowd few sets of the cache
constexpr double weak = 1e-7;              // health below which a row is left to the careful solver
constexpr double too_different = 1e-6;     // of one row by both ways, relative to its largest result
constexpr long largest_program = 200000;   // operations; beyond, compilers take minutes
const char* const function_name = "sparsedyn_rows";

/// The vectors of some ports as structures of arrays in one block, n samples wide.
template <class Pointer>
void lay_out(const std::vector<Port>& ports, Pointer block, std::size_t n, std::vector<Pointer>& at) {
  at.clear();
  for (const Port& port : ports) {
    at.push_back(block);
    block += port.elements.size() * n;
  }
}

std::vector<std::string> all_elements(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.insert(names.end(), port.elements.begin(), port.elements.end());
  return names;
}

struct Code {
  explicit Code(const Program& p) : program(p), compiled(emit_c(p, function_name), function_name) {}
  Program program;
  CompiledProgram compiled;
  double seconds = 0;  // to record, write, compile and load it
};

class CompiledRows : public LogAnswers {
 public:
  CompiledRows(SensorSolver careful, std::unique_ptr<const Code> code, const ReadInputs& found, const CommonOptions& common)
      : LogAnswers(std::move(careful)), code_(std::move(code)), common_(common) {
    const Model& model = solver_.system().model();
    const std::vector<std::string>& columns = solver_.columns();
    const int state = model.nq + model.nv;
    for (int k = 0; k < state; ++k) reads_.push_back(k);
    for (std::size_t k = 0; k < found.size(); ++k)
      if (found[k]) reads_.push_back(state + static_cast<int>(k));
    const std::vector<std::string> names = all_elements(code_->program.outputs());
    std::map<std::string, std::size_t> place;
    for (std::size_t e = 0; e < names.size(); ++e) place[names[e]] = e;
    for (const std::string& column : columns) places_.push_back(place.at(column));
    health_ = names.size() - 1;
    for (std::size_t e = 0; e < health_; ++e)
      if (std::find(columns.begin(), columns.end(), names[e]) == columns.end()) more_places_.push_back(e);
    in_.resize(reads_.size() * rows_at_once), out_.resize(names.size() * rows_at_once);
    more_.resize(more_places_.size() + 1);
  }

  std::size_t batch() const override { return rows_at_once; }
  void expect(const std::vector<const double*>& rows) override {
    next_ = 0;
    if (!trusted_) return;
    n_ = rows.size();
    for (std::size_t e = 0; e < reads_.size(); ++e)
      for (std::size_t s = 0; s < n_; ++s) in_[e * n_ + s] = rows[s][reads_[e]];
    lay_out<const double*>(code_->program.inputs(), in_.data(), n_, arg_);
    lay_out<double*>(code_->program.outputs(), out_.data(), n_, res_);
    code_->compiled.batch(arg_.data(), res_.data(), static_cast<long>(n_));
  }

  Answer solve(const double* q, const double* v, const double* y, double* results) override {
    const std::size_t s = next_++;
    const bool good = trusted_ && is_good(s);
    for (std::size_t k = 0; k < more_places_.size(); ++k) more_[k] = good ? value(more_places_[k], s) : 0.0;
    by_program_ = good && s > 0 && solver_.accept(y, more_.data());
    if (by_program_) {
      for (std::size_t c = 0; c < places_.size(); ++c) results[c] = value(places_[c], s);
      smallest_health_ = std::min(smallest_health_, value(health_, s));
      ++answered_;
      Answer answer;
      answer.ok = true, answer.failed = false;
      return answer;
    }
    const Answer answer = solver_.solve(q, v, y, results);
    if (good && answer.ok) compare(s, results);
    return answer;
  }
  std::string why() const override { return by_program_ ? "" : solver_.describe(); }

  void add_details(Json& summary) const override {
    LogAnswers::add_details(summary);
    summary["compiled"] = {{"rows", answered_},
                           {"compared", compared_},
                           {"worst_difference", worst_difference_},
                           {"smallest_health", smallest_health_},
                           {"cached", code_->compiled.cached()},
                           {"seconds", code_->seconds}};
  }
  std::string details_text() const override {
    char line[200];
    std::snprintf(line, sizeof line,
                  "%ld rows by compiled code (%s in %.2f s), smallest health %.2g; %ld rows both ways, largest relative "
                  "difference %.1e\n",
                  answered_, code_->compiled.cached() ? "cached, loaded" : "compiled", code_->seconds, smallest_health_,
                  compared_, worst_difference_);
    return line + LogAnswers::details_text();
  }

 private:
  double value(std::size_t element, std::size_t s) const { return out_[element * n_ + s]; }

  bool is_good(std::size_t s) const {
    bool finite = true;
    for (std::size_t e = 0; e < health_; ++e) finite = finite && std::isfinite(value(e, s));
    return finite && value(health_, s) > weak;
  }

  /// The program is done with where it answers otherwise than the careful solver.
  void compare(std::size_t s, const double* results) {
    double size = 1, difference = 0;
    for (std::size_t c = 0; c < places_.size(); ++c) {
      size = std::max(size, std::fabs(results[c]));
      difference = std::max(difference, std::fabs(results[c] - value(places_[c], s)));
    }
    ++compared_;
    worst_difference_ = std::max(worst_difference_, difference / size);
    trusted_ = difference / size <= too_different;
    if (!trusted_) warn(common_, "--compiled: the compiled program differs from the solver, which goes on without it");
  }

  std::unique_ptr<const Code> code_;
  CommonOptions common_;
  std::vector<int> reads_;                // of a row's q, v, y: what the program reads
  std::vector<std::size_t> places_;       // of columns(), among the program's outputs
  std::vector<std::size_t> more_places_;  // of its other outputs but
  std::size_t health_;                    // the last
  std::vector<double> in_, out_, more_;   // a batch, structures of arrays
  std::vector<const double*> arg_;
  std::vector<double*> res_;
  std::size_t n_ = 0, next_ = 0;              // rows in the batch, and those that solve() has seen
  bool trusted_ = true, by_program_ = false;  // by_program_: the last row
  double smallest_health_ = 1, worst_difference_ = 0;
  long answered_ = 0, compared_ = 0;
};

/// Throws CompilerFailure.
std::unique_ptr<const Code> code_of(const SensorSolver& careful, const ReadInputs& found) {
  const auto start = std::chrono::steady_clock::now();
  const std::optional<Program> program = recorded(careful, found);
  if (!program) throw CompilerFailure("there is no program for this request");
  const long flops = program->counts().flops();
  if (flops > largest_program) throw CompilerFailure(std::to_string(flops) + " operations are too many to compile");
  auto code = std::make_unique<Code>(with_health(*program, health_states(careful.system().model(), *program)));
  code->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return code;
}

}  // namespace

void require_codegen(const std::string&) {}

std::unique_ptr<LogAnswers> compiled_rows(SensorSolver careful, const std::vector<bool>& found, const CommonOptions& common) {
  try {
    std::unique_ptr<const Code> code = code_of(careful, found);
    return std::make_unique<CompiledRows>(std::move(careful), std::move(code), found, common);
  } catch (const CompilerFailure& failure) {
    warn(common, std::string("--compiled: ") + failure.what() + "; solved without");
    return std::make_unique<LogAnswers>(std::move(careful));
  }
}

}  // namespace sparsedyn::cli
