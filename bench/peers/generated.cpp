// sparsedyn's generated programs, compiled by $CC with $CFLAGS and loaded.
#include <map>

#include "contender.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/jit/compiled_program.hpp"

namespace peers {
namespace {

/// An algorithm's program and the outputs that a result is made of.
struct Wanted {
  const char* algorithm;
  std::vector<std::string> outputs;
};

const std::map<Algorithm, Wanted> programs{
    {Algorithm::rnea, {"rnea", {"tau"}}},
    {Algorithm::aba, {"aba", {"ddq"}}},
    {Algorithm::crba, {"crba", {"M"}}},
    {Algorithm::minverse, {"minverse", {"Minv"}}},
    {Algorithm::coriolis, {"coriolis", {"C"}}},
    {Algorithm::rnea_derivatives, {"rnea-derivatives", {"dtau_dq", "dtau_dv", "M"}}},
    {Algorithm::aba_derivatives, {"aba-derivatives", {"dddq_dq", "dddq_dv", "dddq_dtau"}}},
    {Algorithm::rnea_second_derivatives, {"rnea-second-derivatives", {"d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "dM_dq"}}}};

/// Where element `KIND.i.j…` stands in a whole matrix or tensor; `name` begins with the first number.
std::size_t place(const std::string& name, std::size_t nv) {
  std::size_t at = 0, number = 0;
  for (char c : name + ".") {
    if (c == '.')
      at = at * nv + number, number = 0;
    else
      number = 10 * number + static_cast<std::size_t>(c - '0');
  }
  return at;
}

struct Code {
  explicit Code(const sparsedyn::VectorisedProgram& p)
      : program(p.program), compiled(sparsedyn::emit_c(p, "generated"), "generated") {
    for (const sparsedyn::Port& port : program.outputs()) out.emplace_back(port.elements.size());
    for (std::vector<double>& x : out) res.push_back(x.data());
  }
  sparsedyn::Program program;
  sparsedyn::CompiledProgram compiled;
  std::vector<std::vector<double>> out;
  std::vector<double*> res;
};

class GeneratedContender : public Contender {
 public:
  GeneratedContender(const sparsedyn::Model& model, const std::vector<State>& states)
      : nv_(static_cast<std::size_t>(model.nv)), states_(states) {
    for (const auto& [algorithm, wanted] : programs)
      code_.emplace(algorithm, std::make_unique<Code>(sparsedyn::vectorised_program(model, wanted.algorithm)));
  }

  std::string label() const override { return "generated"; }
  bool offers(Algorithm algorithm) const override { return programs.count(algorithm) > 0; }

  void run(Algorithm algorithm, int s) override {
    Code& code = *code_.at(algorithm);
    const State& x = states_[s];
    const double* arg[4];
    for (std::size_t k = 0; k < code.program.inputs().size(); ++k) {
      const std::string& name = code.program.inputs()[k].name;
      arg[k] = (name == "q" ? x.q : name == "dq" ? x.v : name == "ddq" ? x.a : x.tau).data();
    }
    code.compiled.call(arg, code.res.data());
  }

  std::vector<double> result(Algorithm algorithm, int s) override {
    run(algorithm, s);
    const Code& code = *code_.at(algorithm);
    std::vector<double> all;
    for (const std::string& output : programs.at(algorithm).outputs)
      for (std::size_t k = 0; k < code.out.size(); ++k)
        if (code.program.outputs()[k].name == output) append(code.program.outputs()[k], code.out[k], algorithm, all);
    return all;
  }

 private:
  void append(const sparsedyn::Port& port, const std::vector<double>& x, Algorithm algorithm, std::vector<double>& all) const {
    const bool vector = algorithm == Algorithm::rnea || algorithm == Algorithm::aba;
    if (vector) return void(all.insert(all.end(), x.begin(), x.end()));
    const std::size_t first = all.size(), size = algorithm == Algorithm::rnea_second_derivatives ? nv_ * nv_ * nv_ : nv_ * nv_;
    all.resize(first + size, 0.0);
    for (std::size_t e = 0; e < x.size(); ++e) all[first + place(port.elements[e].substr(port.name.size() + 1), nv_)] = x[e];
  }

  std::size_t nv_;
  const std::vector<State>& states_;
  std::map<Algorithm, std::unique_ptr<Code>> code_;
};

}  // namespace

std::unique_ptr<Contender> generated_contender(const sparsedyn::Model& model, const std::vector<State>& states) {
  return std::make_unique<GeneratedContender>(model, states);
}

}  // namespace peers
