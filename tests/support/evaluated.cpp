#include "support/evaluated.hpp"

#include <catch2/catch.hpp>

namespace sparsedyn::test {

std::vector<std::vector<double>> evaluated(const Program& program, const std::map<std::string, const double*>& inputs) {
  std::vector<const double*> arg;
  for (const Port& port : program.inputs()) arg.push_back(inputs.at(port.name));
  std::vector<std::vector<double>> out;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size());
  std::vector<double*> res;
  for (auto& x : out) res.push_back(x.data());
  std::vector<double> work(program.nodes().size());
  REQUIRE(program.evaluate(arg.data(), res.data(), work.data()));
  return out;
}

}  // namespace sparsedyn::test
