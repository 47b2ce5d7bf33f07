// Forward dynamics: sparse LU of the Newton–Euler equations as the Solver executes it, assembly included, beside the executed
// articulated-body algorithm; and LU as a folded program in the cheapest formulation beside the folded algorithm.
// Multiplications; sines and cosines apart.
//   plan_against_aba [N …] [ROBOT.urdf …]        robots float; default: chains of 2 … 50 joints
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sparsedyn/flops/counts.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

std::vector<Formulation> folding_well() {
  return {formulation_named("canonical+intermediate-frames+shifted"), formulation_named("canonical+shifted"),
          formulation_named("canonical+joint-space")};
}

void compare(const std::string& name, const Model& model) {
  OptimiseOptions options;
  options.outputs = {"ddq"};
  const SensorSet forward = load_sensor_set("forward-dynamics");
  OperationCounts executed, folded;
  for (const AlgorithmCounts& counted : recursive_counts(model))
    if (counted.algorithm == "aba") executed = counted.raw, folded = *counted.folded;
  const FormulationResult plain = compare_formulations(model, forward, {{}}, Cost::executed, options).front();
  const FormulationResult plan = compare_formulations(model, forward, folding_well(), Cost::folded, options).front();
  const long plain_mul = plain.assembly.mul + plain.plan.flops().mul, mul = plan.orders.front().folded->mul;
  std::printf("%-18s %12ld %8ld %13ld (%.2f) %13ld (%.2f)  %s, %s\n", name.c_str(), executed.mul, folded.mul, plain_mul,
              static_cast<double>(plain_mul) / static_cast<double>(executed.mul), mul,
              static_cast<double>(mul) / static_cast<double>(folded.mul), formulation_name(plan.formulation).c_str(),
              plan.plan.strategy.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> of(argv + 1, argv + argc);
  if (of.empty())
    for (int n : {2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50}) of.push_back(std::to_string(n));
  std::printf("multiplications    ABA executed, folded   LU executed (ratio)   plan folded (ratio)\n");
  for (const std::string& name : of) {
    if (const int n = std::atoi(name.c_str())) {
      compare("chain " + name, general_chain(n));
      continue;
    }
    LoadOptions options;
    options.floating = true;
    compare(name.substr(name.find_last_of('/') + 1), load_urdf(name, options));
  }
}
