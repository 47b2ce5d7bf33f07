#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/system/formulation.hpp"

namespace sparsedyn {
namespace {

/// The tolerance that robots were read with when plans recorded none.
constexpr double snap_before_plans_record_it = 1e-9;

Flops read_flops(const json::Node& node) {
  node.only_keys({"mul", "add", "div"});
  const auto count = [&](const char* key) {
    const json::Node value = node.at(key);
    const double n = value.number();
    if (!(n >= 0) || n > 9e15 || n != std::floor(n)) value.refuse(value.found(), "a count");  // 2⁵³: exact as a double
    return static_cast<long>(n);
  };
  return {count("mul"), count("add"), count("div")};
}

double read_error(const json::Node& node) {
  return node.kind() == json::Kind::null ? std::numeric_limits<double>::infinity() : node.number();
}

Health read_health(const json::Node& node) {
  node.only_keys({"healthy", "states", "worst_backward_error", "worst_growth", "worst_state"});
  Health health;
  health.states = node.at("states").integer();
  health.worst_backward_error = read_error(node.at("worst_backward_error"));
  health.worst_growth = read_error(node.at("worst_growth"));
  health.worst_state = node.at("worst_state").numbers();
  if (node.at("healthy").boolean() != health.healthy())
    node.at("healthy").refuse(node.at("healthy").found(), "what states and worst_backward_error say");
  return health;
}

/// The order, checked against the size that the file itself states.
Order read_order(const json::Node& node, int unknowns) {
  const Order order{node.at("rows").integers(), node.at("columns").integers()};
  Pattern size;
  size.rows = size.columns = unknowns;
  const std::string wrong = fault(order, size);
  if (!wrong.empty()) node.at("rows").refuse(wrong, "two permutations of 0 … " + std::to_string(unknowns - 1));
  return order;
}

void check_header(const json::Node& root) {
  const json::Node format = root.at("format"), version = root.at("version");
  if (format.string() != "sparsedyn-plan") format.refuse(format.found(), "\"sparsedyn-plan\"");
  if (version.integer() != 1) version.refuse(version.found(), "version 1");
  root.only_keys({"format", "version", "robot", "sensors", "fingerprint", "numbers", "snap", "formulation", "strategy",
                  "unknowns", "fill", "flops", "health", "rows", "columns", "second", "open_gaps", "gaps"});
}

/// Orders for patterns of gaps. What they leave of the system is for who reads them to know.
std::vector<GapOrder> read_gaps(const json::Node& node, int unknowns) {
  std::vector<GapOrder> found;
  for (const json::Node& each : node.array()) {
    each.only_keys({"missing", "rows", "columns"});
    const json::Node missing = each.at("missing");
    found.push_back({missing.integers(), read_order(each, unknowns)});
    const std::vector<int>& rows = found.back().missing;
    const bool ascend = std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<int>()) == rows.end();
    if (!ascend || (!rows.empty() && (rows.front() < 0 || rows.back() >= unknowns)))
      missing.refuse(missing.found(), "indices of rows, ascending");
  }
  return found;
}

/// Builds the plan for all outputs, and holds its cost against the file's.
Plan build(const json::Node& root, const Pattern& pattern, const UnitEntries& unit, const Order& order) {
  const json::Node flops = root.at("flops"), fill = root.at("fill");
  flops.only_keys({"factor", "solve"});
  const Flops factor = read_flops(flops.at("factor")), solve = read_flops(flops.at("solve"));
  try {
    const Plan plan = make_plan(pattern, order, unit);
    if (plan.elimination.fill != fill.integer()) fill.refuse(fill.found(), std::to_string(plan.elimination.fill));
    if (plan.factor_flops() != factor || plan.solve_flops() != solve)
      flops.refuse("operations that this order does not cost", "the order's own cost");
    return plan;
  } catch (const ZeroPivot& zero) {
    root.at("rows").refuse(zero.what(), "pivots that can be nonzero");
  }
}

}  // namespace

Formulation formulation_of_plan(const json::Document& document) {
  const json::Node root = document.root();
  if (!root.has("formulation")) return {};
  const json::Node name = root.at("formulation");
  try {
    return formulation_named(name.string());
  } catch (const std::invalid_argument& unknown) {
    name.refuse(name.found(), unknown.what());
  }
}

double snap_of_plan(const json::Document& document) {
  const json::Node root = document.root();
  if (!root.has("snap")) return snap_before_plans_record_it;
  const json::Node snap = root.at("snap");
  if (!(snap.number() >= 0)) snap.refuse(snap.found(), "a number ≥ 0");
  return snap.number();
}

Plan plan_from_json(const json::Document& document, const std::string& fingerprint, const Pattern& pattern,
                    const UnitEntries& unit, const std::vector<int>& outputs, const Pattern* of_open_gaps) {
  const json::Node root = document.root();
  check_header(root);
  const json::Node unknowns = root.at("unknowns");
  if (unknowns.integer() < 1) unknowns.refuse(unknowns.found(), "the number of unknowns");
  const Order order = read_order(root, unknowns.integer());
  const std::string made_for = root.at("robot").string() + " with " + root.at("sensors").string();
  if (root.at("fingerprint").string() != fingerprint)
    throw PlanMismatch(document.file() + ": a plan made for " + made_for + ", whose structure is another");
  if (unknowns.integer() != pattern.columns) unknowns.refuse(unknowns.found(), std::to_string(pattern.columns));

  Plan plan = build(root, pattern, unit, order);
  if (!outputs.empty()) plan = make_plan(pattern, order, unit, outputs);
  plan.fingerprint = fingerprint;
  if (root.has("numbers")) plan.numbers = root.at("numbers").string();  // the first plans did not say
  if (root.has("formulation")) plan.formulation = root.at("formulation").string();
  plan.strategy = root.at("strategy").string();
  plan.health = read_health(root.at("health"));
  if (root.has("second")) {
    const json::Node second = root.at("second");
    second.only_keys({"strategy", "rows", "columns"});
    plan.fallback = read_order(second, unknowns.integer());
    plan.fallback_strategy = second.at("strategy").string();
    try {
      eliminate(pattern, *plan.fallback);
    } catch (const ZeroPivot& zero) {
      second.at("rows").refuse(zero.what(), "pivots that can be nonzero");
    }
  }
  if (root.has("open_gaps") && of_open_gaps) {
    const json::Node open = root.at("open_gaps");
    open.only_keys({"rows", "columns"});
    plan.open_gaps = read_order(open, unknowns.integer());
    try {
      eliminate(*of_open_gaps, *plan.open_gaps);
    } catch (const ZeroPivot& zero) {
      open.at("rows").refuse(zero.what(), "pivots that can be nonzero");
    }
  }
  if (root.has("gaps") && of_open_gaps) plan.gaps = read_gaps(root.at("gaps"), unknowns.integer());
  return plan;
}

}  // namespace sparsedyn
