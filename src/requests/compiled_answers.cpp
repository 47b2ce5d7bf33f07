#include "compiled_answers.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "codegen/ir/health_states.hpp"
#include "io/file_cache.hpp"
#include "io/fnv_hash.hpp"
#include "jit/build_id.hpp"
#include "recorded_rows.hpp"
#include "requests/digits/refined_program.hpp"
#include "sparsedyn/io/detail/user_cache.hpp"

namespace sparsedyn {
namespace {

constexpr std::size_t rows_at_once = 264;  // not a power of two, which would crowd few sets of the cache
constexpr double weak = 1e-7;              // health below which a row is left to the careful solver
constexpr double too_different = 1e-6;     // of one row by both ways, relative to its largest result
constexpr long largest_program = 200000;   // operations; beyond, compilers take minutes
const char *const function_name = "sparsedyn_rows", *const inputs_name = "sparsedyn_rows_inputs",
                  *const outputs_name = "sparsedyn_rows_outputs";

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

/// How many texts compilers work on at once.
constexpr int units = 4;

/// What compilers take, by measurements of gcc 12 at 3 GHz.
double compile_seconds(long operations) {
  const double workers = std::min<double>(units, std::max(1.0, static_cast<double>(std::thread::hardware_concurrency())));
  return static_cast<double>(operations) * 1.1e-4 / workers;
}

/// Throws CompilerFailure where a program has too many operations.
void require_few_operations(const Program& program) {
  const long flops = program.counts().flops();
  if (flops > largest_program) throw CompilerFailure(std::to_string(flops) + " operations are too many to compile");
}

/// Throws CompilerFailure.
Program program_of(const SensorSolver& careful, const ReadInputs& read, const CompilerTold& told) try {
  if (!careful.plan()) throw CompilerFailure("there is no program for this request");
  const auto record = [&](const RefinementSteps& refined) {
    std::optional<Program> program = recorded(careful, read, false, {}, {}, refined);
    if (!program) throw CompilerFailure("there is no program for this request");
    require_few_operations(*program);
    return *std::move(program);
  };
  ColumnComparison how;
  how.least_health = weak, how.most_operations = static_cast<double>(largest_program);
  const RefinedProgram found = refined_program(careful, read, record, how);
  if (!found.lost.empty()) throw CompilerFailure("of the program, " + in_words(found.lost));
  const long flops = found.program.counts().flops();
  if (told) told(flops, compile_seconds(flops));
  return with_health(found.program, health_states(careful.system().model(), found.program));
} catch (const std::domain_error& refused) {
  throw CompilerFailure(refused.what());
}

void add(FnvHash& hash, const Order& order) {
  for (const std::vector<int>* indices : {&order.rows, &order.columns}) {
    hash.add(static_cast<long>(indices->size()));
    for (int index : *indices) hash.add(static_cast<long>(index));
  }
}

/// Over all that the program is made of: this build, the equations with their numbers, the order, what is read and asked for.
/// Empty where the build has no number.
std::string fingerprint_of(const SensorSolver& careful, const ReadInputs& read) {
  const std::string build = build_id();
  const std::optional<AnswerPlan> from = careful.plan();
  if (build.empty() || !from) return "";
  FnvHash hash;
  for (const std::string& text : {build, from->system.exact_fingerprint(), careful.system().exact_fingerprint()})
    hash.add(text);
  for (const std::string& output : from->outputs) hash.add(output);
  for (bool flag : read) hash.add(static_cast<long>(flag));
  for (bool flag : {from->plan_is_chosen, from->deviations, from->innovations}) hash.add(static_cast<long>(flag));
  if (from->plan) add(hash, from->plan->order);
  if (const EstimatorPlan* plan = from->estimator_plan) {
    add(hash, plan->plan.order);
    for (char left_out : plan->left_out) hash.add(static_cast<long>(left_out));
    for (char open : plan->regularisation.undetermined) hash.add(static_cast<long>(open));
    hash.add(static_cast<long>(plan->regularisation.redundancy));
  }
  return "program " + hash.hexadecimal();
}

/// A C string of any bytes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char octal[5];
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += (std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_') ? std::string(1, c) : std::string(octal);
  }
  return out + "\"";
}

/// `const char* const NAME[]` of the names of ports, each followed by its elements and a null, and at the end one null more: so
/// that a kept program tells what it reads and gives.
std::string names_of_ports(const std::string& name, const std::vector<Port>& ports) {
  std::string text = "extern const char* const " + name + "[];\nconst char* const " + name + "[] = {";
  for (const Port& port : ports) {
    text += "\n    " + quoted(port.name) + ", ";
    for (const std::string& element : port.elements) text += quoted(element) + ", ";
    text += "0, ";
  }
  return text + "0};\n";
}

std::vector<Port> ports_named(const char* const* names) {
  std::vector<Port> ports;
  for (; *names; ++names) {
    ports.push_back({*names, {}});
    for (++names; *names; ++names) ports.back().elements.emplace_back(*names);
  }
  return ports;
}

CProgram written(const Program& program) {
  EmitOptions options;
  options.units = units;
  CProgram code = emit_c(program, function_name, options);
  code.source += names_of_ports(inputs_name, program.inputs()) + names_of_ports(outputs_name, program.outputs());
  return code;
}

/// That there is no program, and why: kept in the user's cache beside the programs, so that none is recorded at each start.
/// What is known to have none is refused at once.
class Refusals {
 public:
  /// Throws CompilerFailure. An empty fingerprint stands for nothing.
  explicit Refusals(const std::string& fingerprint) : cache_(fingerprint.empty() ? "" : user_cache_folder(), "refused", most) {
    FnvHash hash;
    hash.add(fingerprint);
    key_ = hash.hexadecimal();
    if (const std::string why = cache_.read(key_); !why.empty()) throw CompilerFailure(why);
  }
  void keep(const std::string& why) const { cache_.keep(key_, why); }

 private:
  static constexpr std::size_t most = 1000;
  FileCache cache_;
  std::string key_;
};

}  // namespace

struct CompiledAnswers::Code {
  Code(const std::string& fingerprint, const std::function<CProgram()>& write)
      : compiled(fingerprint, write, function_name),
        inputs(ports_named(static_cast<const char* const*>(compiled.symbol(inputs_name)))),
        outputs(ports_named(static_cast<const char* const*>(compiled.symbol(outputs_name)))) {}
  CompiledProgram compiled;
  std::vector<Port> inputs, outputs;
};

CompiledAnswers::CompiledAnswers(const SensorSolver& careful, const ReadInputs& read, const CompilerTold& told) {
  const auto start = std::chrono::steady_clock::now();
  const std::string fingerprint = fingerprint_of(careful, read);
  const Refusals refusals(fingerprint);
  const auto write = [&] {
    try {
      return written(program_of(careful, read, told));
    } catch (const CompilerFailure& refused) {
      refusals.keep(refused.what());
      throw;
    }
  };
  if (fingerprint.empty()) {
    const CProgram code = write();
    std::string text = code.source;
    for (const std::string& unit : code.units) text += unit;
    code_ = std::make_shared<const Code>(text, [&code] { return code; });
  } else {
    code_ = std::make_shared<const Code>(fingerprint, write);
  }
  report_.cached = code_->compiled.cached();
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Model& model = careful.system().model();
  const std::vector<std::string>& columns = careful.columns();
  const int state = model.nq + model.nv;
  for (int k = 0; k < state; ++k) reads_.push_back(k);
  for (std::size_t k = 0; k < read.size(); ++k)
    if (read[k]) reads_.push_back(state + static_cast<int>(k));
  const std::vector<std::string> names = all_elements(code_->outputs);
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
  lay_out<const double*>(code_->inputs, in_.data(), n_, arg_);
  lay_out<double*>(code_->outputs, out_.data(), n_, res_);
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
