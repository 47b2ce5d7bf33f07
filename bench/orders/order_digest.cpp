// The orders that are found and the operations that are counted, as text that must be the same with every compiler, flag and
// machine (.ci/orders compares): for each robot and sensor set every strategy's order, as a fingerprint, and its operations,
// the order chosen and the one to fall back to; Nori's figures; in a build with codegen also what folds, and what is generated.
//   order_digest [--quick] [ROBOT.urdf[:floating] …]       default: the robots that ship, and those of ../shared/robots
// --quick: health at 60 states and nothing of codegen: what takes longest without optimisation.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "../plans/six_sets.hpp"
#include "../reproduce/published_count.hpp"
#include "io/fnv_hash.hpp"
#include "ordering/algorithms/umfpack.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"
#ifdef SPARSEDYN_CODEGEN
#include "sparsedyn/flops/counts.hpp"
#endif

using namespace sparsedyn;

namespace {

FnvHash everything;

void say(const std::string& line) {
  everything.add(line);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::string words(const std::vector<std::string>& parts) {
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : "  ") + part;
  return line;
}

std::string text(const Flops& f) { return std::to_string(f.mul) + " " + std::to_string(f.add) + " " + std::to_string(f.div); }
#ifdef SPARSEDYN_CODEGEN
std::string text(const OperationCounts& c) {
  return std::to_string(c.mul) + " " + std::to_string(c.add) + " " + std::to_string(c.div) + " " + std::to_string(c.sqrt) +
         " " + std::to_string(c.trig);
}
#endif
std::string text(const Order& order) {
  FnvHash hash;
  for (const std::vector<int>* indices : {&order.rows, &order.columns})
    for (int i : *indices) hash.add(static_cast<long>(i));
  return hash.hexadecimal();
}

/// What the search found, and what it chose.
void say_orders(const std::string& head, const std::vector<StrategyResult>& strategies, const Plan& plan) {
  for (const StrategyResult& s : strategies)
    say(words({head, s.strategy, text(s.factor), text(s.solve), text(s.order),
               !s.health.healthy()    ? "not healthy"
               : !s.health.accurate() ? "not accurate"
                                      : ""}));
  say(words({head, "chosen", plan.strategy, text(plan.flops()), std::to_string(plan.pattern.entries()) + " entries",
             text(plan.order), plan.fallback ? plan.fallback_strategy + " " + text(*plan.fallback) : "no fallback"}));
}

/// Torques and accelerations of all joints: more than the dynamics needs.
SensorSet redundant_set(const Model& model) {
  const std::vector<bench::KnownRobot> sets = bench::six_sets(model);
  SensorSet set = sets[0].set;
  set.name = "redundant";
  const std::vector<Sensor>& torques = sets[1].set.sensors;  // all but the wrenches, which come last
  set.sensors.insert(set.sensors.end() - 1, torques.begin(), torques.end() - 1);
  for (Sensor& sensor : set.sensors) sensor.sigma = {sensor.type == "joint_torque" ? 0.1 : 0.02};
  return set;
}

#ifdef SPARSEDYN_CODEGEN
void say_folded(const std::string& head, const System& system, const Plan& plan, const std::vector<std::string>& outputs) {
  if (const auto folded = folded_counts(system, plan, outputs))
    say(words({head, "folded", text(folded->assembly), text(folded->factorisation), text(folded->solve)}));
}
void say_programs(const std::string& name, const Model& model) {
  for (const AlgorithmCounts& counted : recursive_counts(model))
    say(words({name, counted.algorithm, text(counted.raw), counted.folded ? text(*counted.folded) : counted.not_folded}));
  for (const char* algorithm : {"rnea", "aba"})
    say(words({name, "generated", algorithm, text(program_counts(model, algorithm))}));
}
#else
void say_folded(const std::string&, const System&, const Plan&, const std::vector<std::string>&) {}
void say_programs(const std::string&, const Model&) {}
#endif

void of_robot(const std::string& name, const Model& model, bool quick) {
  OptimiseOptions options;
  if (quick) options.health_states = 60;
  for (const bench::KnownRobot& known : bench::six_sets(model)) {
    const std::string head = name + " " + known.set.name;
    try {
      const System system(model, known.set);
      const OptimiseResult found = optimise(system, options);
      say_orders(head, found.strategies, found.plan);
      if (!quick && known.set.name.find("dynamics") != std::string::npos) say_folded(head, system, found.plan, known.outputs);
    } catch (const SingularSystem& singular) {
      say(words({head, singular.what()}));
    }
  }
  const SearchedEstimator estimator = search_estimator_plan(System(model, redundant_set(model)), {}, options);
  say_orders(name + " redundant", estimator.strategies, estimator.plan->plan);
  if (estimator.plan->missing_data)
    say(words({name + " redundant", "missing data", text(estimator.plan->missing_data->order)}));
  if (estimator.plan->open_gaps) say(words({name + " redundant", "open gaps", text(estimator.plan->open_gaps->plan.order)}));
  if (!quick) say_programs(name, model);
}

/// The matrices of bench/reproduce-nori, by the published rule and as executed.
void of_published_figures() {
  using namespace reproduce;
  if (!has_umfpack()) return;
  for (int n : {10, 20, 30}) {
    const System forward(published_chain(n, 1.5, 0.9), dynamics_set(false)),
        feet(published_chain(n, 1, 1), slippery_feet_set(n));
    for (const System* system : {&forward, &feet}) {
      const NumericMatrix A = with_net_wrenches(*system, static_cast<unsigned>(n));
      const std::optional<Order> order = umfpack_order(pattern_of(A), entries_of(A).data());
      if (!order) throw std::runtime_error("UMFPACK finds a published matrix singular");
      const NumericMatrix ordered = permuted(A, *order), by_rows = permuted(A, row_pivoting(A));
      std::string line = "published " + system->sensors().name + " " + std::to_string(n) + "  " + text(*order);
      for (const NumericMatrix* B : {&ordered, &by_rows})
        for (const MulAdd& count : {published_lu_count(*B, true), published_lu_count(*B, false), honest_lu_count(*B)})
          line += "  " + std::to_string(count.mul) + " " + std::to_string(count.add);
      say(line);
    }
  }
}

std::vector<std::string> robots_at_hand() {
  const std::string own = SPARSEDYN_SOURCE_DIR "/robots/", shared = SPARSEDYN_SOURCE_DIR "/../shared/robots/";
  std::vector<std::string> robots{own + "arm.urdf", own + "quadruped.urdf:floating", own + "humanoid.urdf:floating"};
  for (const char* name : {"kuka_lwr.urdf", "panda.urdf", "hyq.urdf:floating", "solo12.urdf:floating", "nao.urdf:floating",
                           "icub.urdf:floating", "simple_humanoid.urdf:floating", "atlas.urdf:floating"})
    if (std::filesystem::exists(shared + std::string(name).substr(0, std::string(name).find(':'))))
      robots.push_back(shared + name);
  return robots;
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> robots(argv + 1, argv + argc);
  const bool quick = !robots.empty() && robots.front() == "--quick";
  if (quick) robots.erase(robots.begin());
  if (robots.empty()) robots = robots_at_hand();
  of_published_figures();
  for (const std::string& robot : robots) {
    const std::size_t colon = robot.rfind(":floating");
    LoadOptions load;
    load.floating = colon != std::string::npos;
    const std::string path = robot.substr(0, colon);
    of_robot(std::filesystem::path(path).stem(), load_urdf(path, load), quick);
  }
  std::printf("digest %s\n", everything.hexadecimal().c_str());
} catch (const std::exception& e) {
  std::fprintf(stderr, "order_digest: %s\n", e.what());
  return 3;
}
