// Counts of a plan's static programs against what its replay executes, and against what recording leaves.
#include <catch2/catch.hpp>

#include "ordering/algorithms/umfpack.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/flops/counts.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Model robot(const std::string& name, bool floating) {
  LoadOptions options;
  options.floating = floating;
  return load_urdf(source_folder() + "/robots/" + name + ".urdf", options);
}

/// The wrench on one link is unknown; a force/torque sensor on its joint, off the joint's frame, finds it.
SensorSet unknown_wrench_set() {
  return parse_sensor_set(R"({"sensors": [
    {"name": "motion", "type": "joint_acceleration", "joint": "*"},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["link7"], "value": 0},
    {"name": "feel", "type": "force_torque", "joint": "joint7", "xyz": [0.01, 0.02, 0.03], "rpy": [0.1, 0.2, 0.3]}]})",
                          "unknown wrench");
}

std::vector<Candidate> orders_of(const System& system) {
  std::vector<Candidate> orders;
  if (const auto order = recursive_order(system)) orders.push_back({"recursive", *order});
  if (const auto order = substituted_order(system)) orders.push_back({"substituted", *order});
  std::vector<double> values(system.pattern().entries()), right_side(system.pattern().rows);
  samples_of(system, 1).fill(0, values.data(), right_side.data());
  if (const auto order = umfpack_order(system.pattern(), values.data())) orders.push_back({"umfpack", *order});
  return orders;
}

void executes_what_it_states(const System& system) {
  const std::vector<Candidate> orders = orders_of(system);
  REQUIRE(!orders.empty());
  for (const Candidate& candidate : orders)
    for (const UnitEntries& unit : {UnitEntries{}, unit_entries(system)})
      for (const std::vector<std::string>& wanted : {std::vector<std::string>{}, {"tau"}, {"ddq"}}) {
        INFO(candidate.strategy << ", " << unit.size() << " entries, " << wanted.size() << " outputs");
        const Plan plan = make_plan(system.pattern(), candidate.order, unit, Outputs(system, wanted).unknowns());
        const PhaseCounts stated = static_counts(system, plan), executed = executed_counts(system, plan);
        CHECK(executed.assembly == stated.assembly);
        CHECK(executed.factorisation == stated.factorisation);
        CHECK(executed.solve == stated.solve);
      }
}

}  // namespace

TEST_CASE("A plan's replay executes exactly the operations that its static counts state") {
  for (const SensorSet& set : {inverse_dynamics_set(), forward_dynamics_set()}) {
    executes_what_it_states(System(robot("arm", false), set));
    executes_what_it_states(System(robot("quadruped", true), set));
    executes_what_it_states(System(robot("humanoid", true), set));
    executes_what_it_states(System(random_tree(12, 3), set));
    TreeOptions every;
    every.kinds = every_joint_kind();
    every.floating = true;
    executes_what_it_states(System(random_tree(9, 5, every), set));
  }
  executes_what_it_states(System(robot("arm", false), unknown_wrench_set()));
  for (const char* formulation : {"shifted", "net-forces", "canonical+shifted"})
    executes_what_it_states(System(robot("arm", false), forward_dynamics_set(), formulation_named(formulation)));
}

TEST_CASE("The solver executes exactly the operations that its plan states on whole robots") {
  for (const std::string& path : all_robots()) {
    INFO(path);
    executes_what_it_states(System(load_urdf(path), forward_dynamics_set()));
  }
}

TEST_CASE("Assembly of a chain costs the same for every further joint, with one sine and one cosine") {
  std::vector<OperationCounts> counts;
  for (int n = 3; n <= 6; ++n) {
    const System system(general_chain(n), inverse_dynamics_set());
    const Plan plan = make_plan(system.pattern(), *recursive_order(system));
    counts.push_back(static_counts(system, plan).assembly);
    CHECK(counts.back().trig == 2 * n);
    CHECK(counts.back().div == 0);
  }
  for (std::size_t k = 2; k < counts.size(); ++k) {
    CHECK(counts[k].mul - counts[k - 1].mul == counts[1].mul - counts[0].mul);
    CHECK(counts[k].add - counts[k - 1].add == counts[1].add - counts[0].add);
  }
}

TEST_CASE("Folded phases: no more than raw ones, inverse dynamics needs no factorisation, forward one division a joint") {
  for (const Model& model : {general_chain(6), robot("arm", false)})
    for (bool inverse : {true, false}) {
      const System system(model, inverse ? inverse_dynamics_set() : forward_dynamics_set());
      const Plan plan = make_plan(system.pattern(), *recursive_order(system), unit_entries(system));
      const PhaseCounts raw = static_counts(system, make_plan(system.pattern(), plan.order));
      const auto folded = folded_counts(system, plan, {inverse ? "tau" : "ddq"});
      REQUIRE(folded);
      CHECK(folded->assembly.flops() <= raw.assembly.flops());
      CHECK(folded->factorisation.flops() <= raw.factorisation.flops());
      CHECK(folded->solve.flops() < raw.solve.flops());
      CHECK(folded->total().trig <= raw.total().trig);
      if (inverse)
        CHECK(folded->factorisation == OperationCounts{});
      else
        CHECK(folded->total().div <= model.nv);
    }
}

TEST_CASE("Folded phases add up to the program that is recorded, before its sums are factored") {
  const System system(general_chain(4), forward_dynamics_set());
  const Plan plan = make_plan(system.pattern(), *recursive_order(system), unit_entries(system));
  const auto folded = folded_counts(system, plan, {"ddq"});
  REQUIRE(folded);
  const OperationCounts program = sensor_program(system, plan, {"ddq"}, required_inputs(system)).counts();
  CHECK(program.trig == folded->total().trig);
  CHECK(program.div == folded->total().div);
  CHECK(program.flops() <= folded->total().flops());
  CHECK(program.flops() > folded->total().flops() * 3 / 4);
}
