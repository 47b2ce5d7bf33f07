#include "sets_with_inputs.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "json/json_text.hpp"
#include "runtime/sign_plan.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

[[noreturn]] void answer_no(const std::string& reason) { throw AnswerIsNo(reason, json::json_text({{"reason", reason}})); }

/// For each name its place among others; -1: it is not among them.
std::vector<int> places_of(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  std::map<std::string, int> known;
  for (std::size_t k = 0; k < others.size(); ++k) known[others[k]] = static_cast<int>(k);
  std::vector<int> places;
  for (const std::string& name : names) places.push_back(known.count(name) ? known.at(name) : -1);
  return places;
}

/// `order` by the places that its rows or columns have now, after those that it does not know.
std::vector<int> order_with_further(const std::vector<int>& order, const std::vector<int>& now, std::size_t count) {
  std::vector<char> known(count, 0);
  std::vector<int> places;
  for (int k : now)
    if (k >= 0) known[static_cast<std::size_t>(k)] = 1;
  for (std::size_t k = 0; k < count; ++k)
    if (!known[k]) places.push_back(static_cast<int>(k));
  for (int k : order) places.push_back(now[static_cast<std::size_t>(k)]);
  return places;
}

/// An order of the set on the robot itself, `known`, as one of `system`. net-forces has rows n = I a of bodies with mass alone:
/// of links without mass in `known` these come first, each with its own n.
Order order_in(const System& system, const System& known, const Order& order) {
  const std::vector<int> rows = places_of(known.equation_names(), system.equation_names()),
                         columns = places_of(known.unknown_names(), system.unknown_names());
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k] < 0)
      answer_no("the plan orders " + known.unknown_names()[k] +
                ", of a body that these --parameters leave without mass; expected a plan in another formulation, or inertial");
  return {order_with_further(order.rows, rows, system.equation_names().size()),
          order_with_further(order.columns, columns, system.unknown_names().size())};
}

/// See plan_with_inputs.
class PlanWithInputs : public StoredPlan {
 public:
  PlanWithInputs(std::shared_ptr<const StoredPlan> stored, std::shared_ptr<const System> nominal)
      : stored_(std::move(stored)), nominal_(std::move(nominal)) {}
  std::string name() const override { return stored_->name(); }
  Formulation formulation() const override {
    const Formulation f = stored_->formulation();
    if (f.axis_frames())
      throw UsageError("--parameters: parameters are constants in the formulation " + formulation_name(f) + " of " + name() +
                       "; expected a plan whose bodies are in their links' frames (newton-euler, net-forces, shifted, "
                       "maximal-coordinates) or in joint-space");
    return f;
  }
  Plan of_solver(const System& system) const override {
    const System own(nominal_->model(), nominal_->sensors(), formulation());
    const Plan known = stored_->of_solver(own);
    Plan plan = make_plan(system.pattern(), order_in(system, own, known.order), unit_entries(system));
    keep_orders(known, plan);
    if (known.fallback) plan.fallback = order_in(system, own, *known.fallback);
    sign(plan, system);
    return plan;
  }
  std::optional<Plan> of_estimator(const System& system) const override {
    const std::optional<Plan> known = stored_->of_estimator(*nominal_);
    if (!known) return {};
    const EstimatorShape shape = estimator_shape(system);
    Plan plan = make_plan(shape.augmented.pattern(), known->order, shape.unit);
    keep_orders(*known, plan);
    plan.fingerprint = shape.fingerprint, plan.numbers = system.numbers_fingerprint();
    return plan;
  }

 private:
  static void keep_orders(const Plan& known, Plan& plan) {
    plan.strategy = known.strategy, plan.formulation = known.formulation;
    plan.fallback = known.fallback, plan.fallback_strategy = known.fallback_strategy;
    plan.open_gaps = known.open_gaps, plan.gaps = known.gaps;
  }
  std::shared_ptr<const StoredPlan> stored_;
  std::shared_ptr<const System> nominal_;
};

/// Links whose bodies have no mass, but may have some.
std::vector<std::string> links_without_mass(const Model& nominal, const Model& varied) {
  std::vector<std::string> names;
  for (const Joint& joint : nominal.joints) {
    const auto b = static_cast<std::size_t>(joint.first_body + joint.bodies - 1);
    if (nominal.bodies[b].inertia.m == 0 && varied.bodies[b].inertia.m != 0)
      names.push_back(nominal.links[static_cast<std::size_t>(joint.child_link)].name);
  }
  return names;
}

/// For each entry of a pattern its place in a wider one.
std::vector<int> places_in(const Pattern& wide, const Pattern& narrow) {
  std::vector<int> places;
  for (int r = 0; r < narrow.rows; ++r) {
    int at = wide.row_start[r];
    for (int e = narrow.row_start[r]; e < narrow.row_start[r + 1]; ++e) {
      while (at < wide.row_start[r + 1] && wide.column[at] < narrow.column[e]) ++at;
      if (at == wide.row_start[r + 1] || wide.column[at] != narrow.column[e])
        throw std::logic_error("an entry of the robot itself is not in the pattern of all parameters");
      places.push_back(at);
    }
  }
  return places;
}

}  // namespace

std::shared_ptr<const StoredPlan> plan_with_inputs(std::shared_ptr<const StoredPlan> stored,
                                                   std::shared_ptr<const System> nominal) {
  if (!stored) return nullptr;
  return std::make_shared<const PlanWithInputs>(std::move(stored), std::move(nominal));
}

Samples samples_at_own_numbers(std::shared_ptr<const System> nominal, const System& varied) {
  Samples samples = samples_of(*nominal);
  const auto places = std::make_shared<const std::vector<int>>(places_in(varied.pattern(), nominal->pattern()));
  const auto own = std::make_shared<std::vector<double>>(places->size());
  const auto entries = static_cast<std::size_t>(varied.pattern().entries());
  const auto widened = [=](const auto& fill) {
    return [=](int s, double* values, double* right_side) {  // holds `nominal`, which samples read
      fill(s, own->data(), right_side);
      std::fill_n(values, entries, 0.0);
      for (std::size_t e = 0; e < places->size(); ++e) values[(*places)[e]] = (*own)[e];
      static_cast<void>(nominal);
    };
  };
  samples.fill = widened(samples.fill), samples.moved = widened(samples.moved);
  return samples;
}

void require_functions_of_base(const System& system, const std::vector<std::string>& columns,
                               const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), "base") == names.end()) return;
  for (const std::string& column : columns)
    if (column.rfind("f.", 0) == 0)
      throw UsageError("--parameters base: " + column +
                       " is no function of the base parameters; expected inertial, or other outputs");
  for (const Measurement& m : system.measurements())
    if (m.kind == SensorKind::force_torque || m.kind == SensorKind::com_acceleration || m.kind == SensorKind::momentum_rate)
      throw UsageError("--parameters base: sensor \"" + system.sensors().sensors[static_cast<std::size_t>(m.sensor)].name +
                       "\" reads what is no function of the base parameters; expected inertial");
}

void require_same_rank(const System& nominal, const System& varied) {
  const std::vector<std::string> links = links_without_mass(nominal.model().tree(), varied.model().tree());
  if (links.empty()) return;
  const std::vector<int> open = determinacy(nominal).undetermined, still_open = determinacy(varied).undetermined;
  std::vector<std::string> names;
  for (int x : open)
    if (!std::binary_search(still_open.begin(), still_open.end(), x))
      names.push_back(nominal.unknown_names()[static_cast<std::size_t>(x)]);
  if (!names.empty())
    answer_no("the robot's own parameters do not determine " + listing(names) + ", other ones do: no mass of " +
              listing(links) + "; expected a robot whose links have mass, or other --parameters");
}

}  // namespace sparsedyn
