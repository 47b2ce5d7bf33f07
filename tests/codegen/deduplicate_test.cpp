// Programs without repeated results, against the whole ones.
#include "codegen/passes/deduplicate.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "sparsedyn/codegen/programs.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Results by the names of their elements, for a program of q, dq, ddq.
std::map<std::string, double> named_results(const Program& program, const State& s) {
  const double* arg[] = {s.q.data(), s.v.data(), s.a.data()};
  REQUIRE(program.inputs().size() == 3);
  std::vector<std::vector<double>> out;
  std::vector<double*> res;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size() + 1);
  for (auto& x : out) res.push_back(x.data());
  std::vector<double> workspace(program.nodes().size());
  REQUIRE(program.evaluate(arg, res.data(), workspace.data()));
  std::map<std::string, double> named;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t e = 0; e < program.outputs()[k].elements.size(); ++e) named[program.outputs()[k].elements[e]] = out[k][e];
  return named;
}

}  // namespace

TEST_CASE("distinct programs leave out results that equal others up to the sign and say which") {
  const Model model = random_tree(5, 3, {true, false, 0.4, {JointKind::revolute, JointKind::prismatic}});
  std::mt19937 rng(1);
  const State s = random_state(model, rng);
  const Program whole = algorithm_program(model, "rnea-with-derivatives");
  const DeduplicatedProgram once = deduplicated(whole);
  const std::map<std::string, double> all = named_results(whole, s), written = named_results(once.program, s);

  CHECK(once.program.outputs().size() == whole.outputs().size());
  CHECK(written.size() + once.equal.size() == all.size());
  CHECK(once.equal.size() > all.size() / 3);
  for (const auto& [name, value] : written) CHECK(value == all.at(name));
  for (const std::string& line : once.equal) {
    const std::size_t sign = line.find(" = ");
    REQUIRE(sign != std::string::npos);
    const std::string left = line.substr(0, sign), right = line.substr(sign + 3);
    const bool negative = right[0] == '-';
    CHECK(written.count(left) == 0);
    const double value = written.at(right.substr(negative));
    CHECK(all.at(left) == (negative ? -value : value));
  }
}
