#include "compiled_answers.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "codegen/ir/health_states.hpp"
#include "recorded_rows.hpp"

namespace sparsedyn {
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

/// Throws CompilerFailure.
Program program_of(const SensorSolver& careful, const ReadInputs& read) {
  std::optional<Program> program;
  try {
    program = recorded(careful, read);
  } catch (const std::domain_error& refused) {
    throw CompilerFailure(refused.what());
  }
  if (!program) throw CompilerFailure("there is no program for this request");
  const long flops = program->counts().flops();
  if (flops > largest_program) throw CompilerFailure(std::to_string(flops) + " operations are too many to compile");
  return with_health(*program, health_states(careful.system().model(), *program));
}

}  // namespace

struct CompiledAnswers::Code {
  explicit Code(Program p) : program(std::move(p)), compiled(emit_c(program, function_name), function_name) {}
  Program program;
  CompiledProgram compiled;
};

CompiledAnswers::CompiledAnswers(const SensorSolver& careful, const ReadInputs& read) {
  const auto start = std::chrono::steady_clock::now();
  code_ = std::make_shared<const Code>(program_of(careful, read));
  report_.cached = code_->compiled.cached();
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Model& model = careful.system().model();
  const std::vector<std::string>& columns = careful.columns();
  const int state = model.nq + model.nv;
  for (int k = 0; k < state; ++k) reads_.push_back(k);
  for (std::size_t k = 0; k < read.size(); ++k)
    if (read[k]) reads_.push_back(state + static_cast<int>(k));
  const std::vector<std::string> names = all_elements(code_->program.outputs());
  std::map<std::string, std::size_t> place;
  for (std::size_t e = 0; e < names.size(); ++e) place[names[e]] = e;
  for (const std::string& column : columns) places_.push_back(place.at(column));
  health_ = names.size() - 1;
  for (std::size_t e = 0; e < health_; ++e)  // chi2 comes before innovations
    if (names[e] == "chi2" || names[e].rfind("innovation.", 0) == 0 ||
        std::find(columns.begin(), columns.end(), names[e]) == columns.end())
      more_places_.push_back(e);
  in_.resize(reads_.size() * rows_at_once), out_.resize(names.size() * rows_at_once);
  more_.resize(more_places_.size() + 1);
}

std::size_t CompiledAnswers::batch() const { return rows_at_once; }

void CompiledAnswers::expect(const std::vector<const double*>& samples) {
  next_ = 0;
  if (!report_.trusted) return;
  n_ = samples.size();
  for (std::size_t e = 0; e < reads_.size(); ++e)
    for (std::size_t s = 0; s < n_; ++s) in_[e * n_ + s] = samples[s][reads_[e]];
  lay_out<const double*>(code_->program.inputs(), in_.data(), n_, arg_);
  lay_out<double*>(code_->program.outputs(), out_.data(), n_, res_);
  code_->compiled.batch(arg_.data(), res_.data(), static_cast<long>(n_));
}

Answer CompiledAnswers::solve(SensorSolver& careful, const double* q, const double* v, const double* y, double* results) {
  const std::size_t s = next_++;
  const bool good = report_.trusted && is_good(s);
  for (std::size_t k = 0; k < more_places_.size(); ++k) more_[k] = good ? value(more_places_[k], s) : 0.0;
  by_program_ = good && s > 0 && careful.accept(y, more_.data());
  if (by_program_) {
    for (std::size_t c = 0; c < places_.size(); ++c) results[c] = value(places_[c], s);
    report_.smallest_health = std::min(report_.smallest_health, value(health_, s));
    ++report_.answered;
    Answer answer;
    answer.ok = true, answer.failed = false;
    return answer;
  }
  const Answer answer = careful.solve(q, v, y, results);
  if (good && answer.ok) compare(s, results);
  return answer;
}

bool CompiledAnswers::is_good(std::size_t s) const {
  bool finite = true;
  for (std::size_t e = 0; e < health_; ++e) finite = finite && std::isfinite(value(e, s));
  return finite && value(health_, s) > weak;
}

/// The program is done with where it answers otherwise than the careful solver.
void CompiledAnswers::compare(std::size_t s, const double* results) {
  double size = 1, difference = 0;
  for (std::size_t c = 0; c < places_.size(); ++c) {
    size = std::max(size, std::fabs(results[c]));
    difference = std::max(difference, std::fabs(results[c] - value(places_[c], s)));
  }
  ++report_.compared;
  report_.worst_difference = std::max(report_.worst_difference, difference / size);
  report_.trusted = difference / size <= too_different;
}

}  // namespace sparsedyn
