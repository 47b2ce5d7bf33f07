#include "health_states.hpp"

#include <algorithm>

#include "codegen/ir/state_ports.hpp"
#include "model/samples.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

constexpr double usual_step = 0.01;  // s

}  // namespace

std::vector<ProgramState> health_states(const Model& model, const Program& program,
                                        const std::vector<std::pair<std::string, std::vector<double>>>& nominal) {
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> configurations = special_configurations(model, 8, rng);
  for (int k = 0; k < 52; ++k) configurations.push_back(normal_sample(model, rng));
  std::vector<ProgramState> states;
  for (const std::vector<double>& q : configurations) {
    states.emplace_back();
    for (const Port& port : program.inputs()) {
      std::vector<double> x(port.elements.size());
      for (double& each : x) each = normal(rng);
      for (const auto& [name, values] : nominal)
        if (name == port.name) x = values;
      if (port.name == "dt") x = {usual_step};
      if (begins_with_q(port, model)) std::copy(q.begin(), q.end(), x.begin());
      states.back().push_back(x);
    }
  }
  return states;
}

}  // namespace sparsedyn
