#include "flops_entries.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <iterator>
#include <thread>

#include "flops/direct_counts.hpp"
#include "flops_augmented.hpp"
#include "ordering/algorithms/umfpack.hpp"
#include "ordering/order_cost.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

constexpr int longest_program_chain = 100;  // beyond, generating the least program takes long
constexpr int longest_system_chain = 300;   // beyond, forming the system's worst-case pattern and its plans does

const char* const not_recorded = "a pivot of this order vanishes, or more than a million operations to record";
const char* const system_includes =
    "assembly of the matrix and of the right-hand side with all transforms and velocities, factorisation, both triangular "
    "solves; raw: for every unknown, runtime and folded: for the joint torques and accelerations that are not given";

std::string includes(const std::string& algorithm) {
  if (algorithm == "rnea") return "all passes from q, dq, ddq to tau; no external wrenches";
  if (algorithm == "aba") return "all passes from q, dq, tau to ddq; no external wrenches";
  if (algorithm == "crba") return "transforms and the upper triangle of M from q";
  return "bias by rnea, M by crba, its factorisation and both solves; no external wrenches";
}

FlopsEntry recursive_entry(const AlgorithmCounts& counted) {
  FlopsEntry entry;
  entry.algorithm = counted.algorithm;
  entry.raw = counted.raw, entry.folded = counted.folded;
  entry.includes = includes(counted.algorithm);
  entry.not_folded = counted.not_folded;
  return entry;
}

/// None where a joint that moves no mass leaves nothing to divide by.
void add_program(const Model& model, const std::string& algorithm, std::vector<FlopsEntry>& entries) {
  FlopsEntry entry;
  entry.algorithm = "program", entry.of = algorithm;
  try {
    entry.raw = program_counts(model, algorithm);
  } catch (const std::domain_error&) {
    return;
  }
  entry.folded = entry.raw;
  entry.includes = includes(algorithm) + "; the generated program executes what it holds: raw and folded are the same";
  entries.push_back(entry);
}

std::string name_of(const SensorSet& sensors) { return sensors.name.empty() ? "sensors" : sensors.name; }

FlopsEntry system_entry(const System& system, const std::string& algorithm, const PhaseCounts& raw) {
  FlopsEntry entry;
  entry.algorithm = algorithm, entry.of = name_of(system.sensors());
  entry.unknowns = static_cast<int>(system.unknowns().size());
  entry.raw_phases = raw, entry.raw = raw.total();
  entry.includes = system_includes;
  return entry;
}

FlopsEntry order_entry(const System& system, const Candidate& candidate) {
  const Plan plain = make_plan(system.pattern(), candidate.order);
  FlopsEntry entry = system_entry(system, "zero_fill_lu", static_counts(system, plain));
  entry.formulation = formulation_name(system.formulation()), entry.order = candidate.strategy;
  entry.fill = plain.elimination.fill;
  const std::vector<std::string> names = default_outputs(system);
  const Plan plan = make_plan(system.pattern(), candidate.order, unit_entries(system), Outputs(system, names).unknowns());
  entry.runtime_phases = static_counts(system, plan);
  entry.folded_phases = folded_counts(system, plan, names);
  if (entry.folded_phases)
    entry.folded = entry.folded_phases->total();
  else
    entry.not_folded = not_recorded;
  return entry;
}

/// What any solver of full matrices and any least-squares solver would cost on the same system.
void add_general_solvers(const System& system, const Order& order, const OperationCounts& assembly,
                         std::vector<FlopsEntry>& entries) {
  const auto add = [&](const char* algorithm, const DirectCounts& counts, const char* said) {
    entries.push_back(system_entry(system, algorithm, {assembly, counts.factorisation, counts.solve}));
    entries.back().includes = said;
    entries.back().not_folded = "counted in closed form, not recorded";
  };
  add("dense_lu", dense_lu_counts(static_cast<long>(system.unknowns().size())),
      "assembly, LU of the full matrix without its zeros' being known, both solves");
  add("normal_cholesky", normal_cholesky_counts(system.pattern(), order.columns),
      "assembly; factorisation: AᵀA and Aᵀb formed, and Cholesky of AᵀA inside its pattern, in the columns' order of the LU; "
      "both solves");
}

/// What `generate` makes of a set that is neither inverse nor forward dynamics alone (those are the programs rnea and aba).
void add_set_program(const System& system, const Plan& plan, std::vector<FlopsEntry>& entries) {
  const std::vector<std::string> outputs = default_outputs(system);
  if (outputs.empty() || is_plain_dynamics(system, outputs)) return;
  FlopsEntry entry;
  entry.algorithm = "program", entry.of = name_of(system.sensors());
  entry.raw = sensor_program(system, plan, outputs, required_inputs(system)).counts();
  entry.folded = entry.raw;
  entry.includes = "assembly, the plan's factorisation and solve, for the joint torques and accelerations that are not given";
  entries.push_back(entry);
}

void add_matrices(const System& system, const Order& order, const std::string& strategy, const std::string& subject,
                  FlopsReport& report) {
  const Elimination lu = eliminate(system.pattern(), order);
  const int unknowns = static_cast<int>(system.unknowns().size());
  report::Spy before = report::spy_of(system.pattern(), system.equation_names(), system.unknown_names());
  report::Spy after = report::spy_of(system.pattern(), order, lu, system.equation_names(), system.unknown_names());
  before.title = subject + ", as written down:";
  before.caption = std::to_string(unknowns) + " unknowns, " + std::to_string(system.pattern().entries()) + " entries";
  after.title = "in the order of elimination";
  after.caption = "(" + strategy + "): " + std::to_string(lu.fill) + " entries of fill-in";
  report.matrices.push_back(std::move(before));
  report.matrices.push_back(std::move(after));
}

/// One entry an order; the matrix is drawn in the one marked as chosen.
void add_orders(const System& system, const std::vector<Candidate>& orders, const std::string& chosen,
                std::vector<FlopsEntry>& entries) {
  for (const Candidate& candidate : orders) {
    entries.push_back(order_entry(system, candidate));
    entries.back().chosen = candidate.strategy == chosen;
  }
}

std::vector<Candidate> recursive_orders(const System& system) {
  std::vector<Candidate> orders;
  const auto add = [&](const char* strategy, const std::optional<Order>& order) {
    const auto same = [&](const Candidate& known) {
      return known.order.rows == order->rows && known.order.columns == order->columns;
    };
    if (order && std::none_of(orders.begin(), orders.end(), same)) orders.push_back({strategy, *order});
  };
  add("recursive", recursive_order(system));
  add("recursive, substituted", substituted_order(system));
  if (!system.formulation().maximal_coordinates) return orders;
  add("multipliers", multiplier_order(system));
  add("range space", range_space_order(system));
  return orders;
}

/// Orders for a chain that are found without a search: the recursive ones, and UMFPACK's at one state.
std::vector<Candidate> quick_orders(const System& system) {
  std::vector<Candidate> orders = recursive_orders(system);
  const Samples samples = samples_of(system, 1);
  std::vector<double> values(system.pattern().entries()), right_side(system.pattern().rows);
  samples.fill(0, values.data(), right_side.data());
  if (const auto order = umfpack_order(system.pattern(), values.data())) orders.push_back({"umfpack", *order});
  return orders;
}

/// The same in other formulations, as far as they serve, by the cheapest of the recursive orders; maximal coordinates by each.
void add_formulations(const Model& model, const SensorSet& sensors, const std::vector<Formulation>& formulations,
                      std::vector<FlopsEntry>& entries) {
  for (const Formulation& formulation : formulations) try {
      if (formulation_name(formulation) == formulation_name({})) continue;
      const System system(model, sensors, formulation);
      const auto cost = [&](const Candidate& c) { return order_cost(system.pattern(), c.order, unit_entries(system)).total(); };
      const std::vector<Candidate> orders = recursive_orders(system);
      if (formulation.maximal_coordinates) {
        for (const Candidate& order : orders) entries.push_back(order_entry(system, order));
        continue;
      }
      const auto best = std::min_element(orders.begin(), orders.end(),
                                         [&](const Candidate& a, const Candidate& b) { return cost(a) < cost(b); });
      if (best != orders.end()) entries.push_back(order_entry(system, *best));
    } catch (const FormulationMisfit&) {  // it has no entry
    }
}

void add_chain_systems(const Model& model, bool drawn, FlopsReport& report) {
  for (const char* sensors : {"inverse-dynamics", "forward-dynamics"}) {
    const System system(model, load_sensor_set(sensors));
    const std::vector<Candidate> orders = quick_orders(system);
    if (orders.empty()) continue;
    add_orders(system, orders, orders.front().strategy, report.entries);
    const OperationCounts assembly = report.entries.back().raw_phases->assembly;
    add_formulations(model, system.sensors(),
                     {formulation_named("canonical+intermediate-frames+shifted"), formulation_named("maximal-coordinates"),
                      formulation_named("canonical+joint-space")},
                     report.entries);
    add_general_solvers(system, orders.front().order, assembly, report.entries);
    if (drawn)
      add_matrices(system, orders.front().order, orders.front().strategy, std::string(sensors) + ", " + model.name, report);
  }
}

void add_chain(int n, bool drawn, FlopsReport& report) {
  const Model model = general_chain(n);
  const std::size_t first = report.entries.size();
  for (const AlgorithmCounts& counted : recursive_counts(model)) {
    report.entries.push_back(recursive_entry(counted));
    for (const PublishedCount& formula : published_counts(n))
      if (formula.algorithm == counted.algorithm) report.entries.back().published.push_back(formula);
  }
  if (n <= longest_program_chain)
    for (const char* algorithm : {"rnea", "aba"}) add_program(model, algorithm, report.entries);
  if (n <= longest_system_chain) add_chain_systems(model, drawn, report);
  for (std::size_t k = first; k < report.entries.size(); ++k) report.entries[k].n = n;
}

/// A set that knows more than the dynamics need, or less and its priors the rest.
void add_estimated(const System& system, const Determinacy& found, const std::string& sensors,
                   std::vector<std::string>& warnings, FlopsReport& report) {
  if (!found.determined_with_priors) {
    warnings.push_back(sensors + ": does not determine the dynamics, so there is no LU to count");
    return;
  }
  try {
    add_augmented(system, name_of(system.sensors()), report);
  } catch (const std::domain_error& refused) {
    warnings.push_back(sensors + ": " + refused.what() + ", so there is no LU to count");
  }
}

}  // namespace

FlopsReport flops_of_robot(const Model& model, const std::string& sensors, std::vector<std::string>& warnings) {
  FlopsReport report{model.name, {}, {}};
  for (const AlgorithmCounts& counted : recursive_counts(model)) report.entries.push_back(recursive_entry(counted));
  for (const char* algorithm : {"rnea", "aba"}) add_program(model, algorithm, report.entries);
  if (sensors.empty()) return report;
  const System system(model, load_sensor_set(sensors));
  report.subject += ", " + name_of(system.sensors());
  if (const Determinacy found = determinacy(system); found.verdict() != Verdict::determined) {
    add_estimated(system, found, sensors, warnings, report);
    return report;
  }
  const OptimiseResult result = optimise(system);
  std::vector<Candidate> orders;
  for (const StrategyResult& s : result.strategies) orders.push_back({s.strategy, s.order});
  add_orders(system, orders, result.plan.strategy, report.entries);
  const OperationCounts assembly = report.entries.back().raw_phases->assembly;
  add_formulations(model, system.sensors(), all_formulations(), report.entries);
  add_general_solvers(system, result.plan.order, assembly, report.entries);
  add_matrices(system, result.plan.order, result.plan.strategy, report.subject, report);
  add_set_program(system, result.plan, report.entries);
  return report;
}

FlopsReport flops_of_chains(int first, int last, const std::function<void(double)>& progress) {
  const std::string range = first == last ? std::to_string(first) : std::to_string(first) + " to " + std::to_string(last);
  const int drawn = std::clamp(7, first, last);
  std::vector<FlopsReport> chains(last - first + 1);
  std::atomic<int> next{last};  // the longest take most of the time
  const auto work = [&](bool tells) {
    for (int n = next--; n >= first; n = next--) {
      if (tells && progress) progress(static_cast<double>(last - n) / static_cast<double>(chains.size()));
      add_chain(n, n == drawn, chains[n - first]);
    }
  };
  std::vector<std::future<void>> running;
  for (unsigned k = 1; k < std::thread::hardware_concurrency(); ++k)
    running.push_back(std::async(std::launch::async, work, false));
  work(true);
  for (std::future<void>& other : running) other.get();

  FlopsReport report{"general chains of " + range + " revolute joints", {}, {}};
  for (FlopsReport& chain : chains) {
    std::move(chain.entries.begin(), chain.entries.end(), std::back_inserter(report.entries));
    std::move(chain.matrices.begin(), chain.matrices.end(), std::back_inserter(report.matrices));
  }
  return report;
}

}  // namespace sparsedyn
