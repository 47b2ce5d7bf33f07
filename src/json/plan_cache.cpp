#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>

#include "io/file_cache.hpp"
#include "io/fnv_hash.hpp"
#include "json_text.hpp"
#include "runtime/plans/estimator_samples.hpp"
#include "sparsedyn/io/detail/user_cache.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/version.hpp"

namespace sparsedyn {
namespace {

/// Opened where plans are looked for or kept, and not before: sets that are solved need none.
FileCache plan_files() {
  const std::string users = user_cache_folder();
  return {users.empty() ? "" : users + "/plans", "plan"};
}

FileCache order_files() {
  const std::string users = user_cache_folder();
  constexpr std::size_t most = 200;  // of tens of kilobytes each, one a structure
  return {users.empty() ? "" : users + "/orders", "orders", most};
}

std::vector<int> indices(const std::vector<char>& flags) {
  std::vector<int> found;
  for (std::size_t r = 0; r < flags.size(); ++r)
    if (flags[r]) found.push_back(static_cast<int>(r));
  return found;
}

/// Of the rows that are missing, as json/plans.hpp says.
std::string key(const System& system, const std::vector<char>& missing) {
  FnvHash hash;
  for (const std::string& text : {std::string(version), system.fingerprint(), estimator_numbers(system)}) hash.add(text);
  for (int row : indices(missing)) hash.add(static_cast<long>(row));
  return hash.hexadecimal();
}

json::Json order_json(const Order& order) { return {{"rows", order.rows}, {"columns", order.columns}}; }

Order order_in(const json::Node& node) { return {node.at("rows").integers(), node.at("columns").integers()}; }

class PlansOfTheUser : public PlanMemory {
 public:
  std::shared_ptr<const EstimatorPlan> find(const System& system, const std::vector<char>& missing) const override;
  void keep(const System& system, const std::vector<char>& missing, const EstimatorPlan& plan) const override;
};

std::shared_ptr<const EstimatorPlan> PlansOfTheUser::find(const System& system, const std::vector<char>& missing) const try {
  const std::string key_of_rows = key(system, missing), text = plan_files().read(key_of_rows);
  if (text.empty()) return nullptr;
  const json::Document document = json::Document::parse(text, key_of_rows);
  if (indices(missing).empty()) return plan_estimator(system, estimator_plan_from_json(document, system));
  const json::Node root = document.root();
  GapOrder gaps{root.at("missing").integers(), order_in(root)};
  if (gaps.missing != indices(missing)) return nullptr;
  return plan_estimator(system, gaps);
} catch (const std::exception&) {
  return nullptr;
}

void PlansOfTheUser::keep(const System& system, const std::vector<char>& missing, const EstimatorPlan& plan) const {
  const std::vector<int> rows = indices(missing);
  json::Json gap = order_json(plan.plan.order);
  gap["missing"] = rows;
  plan_files().keep(key(system, missing), rows.empty()
                                              ? plan_to_json(stored_plan(plan), {system.model().name, system.sensors().name})
                                              : json::json_text(gap));
}

json::Json flops_json(const Flops& flops) { return json::Json::array({flops.mul, flops.add, flops.div}); }

Flops flops_in(const json::Node& node) {
  const std::vector<int> counts = node.integers();
  if (counts.size() != 3) throw std::invalid_argument("operations are three numbers");
  return {counts[0], counts[1], counts[2]};
}

/// JSON has no infinity: an error that is none has no member.
double error_in(const json::Node& node, const char* name) {
  return node.has(name) ? node.at(name).number() : std::numeric_limits<double>::infinity();
}

json::Json judgement_json(const KeptJudgement& line) {
  json::Json json{{"strategy", line.strategy},
                  {"factor", flops_json(line.factor)},
                  {"solve", flops_json(line.solve)},
                  {"fill", line.fill},
                  {"refined", line.refined}};
  const auto add = [&](const char* name, double error) {
    if (std::isfinite(error)) json[name] = error;
  };
  add("backward", line.worst_backward_error), add("componentwise", line.worst_componentwise_error);
  add("growth", line.worst_growth);
  return json;
}

KeptJudgement judgement_in(const json::Node& node) {
  KeptJudgement line{node.at("strategy").string(), flops_in(node.at("factor")), flops_in(node.at("solve"))};
  line.fill = node.at("fill").integer(), line.refined = node.at("refined").integer();
  line.worst_backward_error = error_in(node, "backward");
  line.worst_componentwise_error = error_in(node, "componentwise");
  line.worst_growth = error_in(node, "growth");
  return line;
}

/// Of what one version searches: the next may propose better orders.
std::string key_of_structure(const std::string& structure) {
  FnvHash hash;
  hash.add(version), hash.add(structure);
  return hash.hexadecimal();
}

class OrdersOfTheUser : public OrderMemory {
 public:
  std::optional<KeptOrders> find(const std::string& structure) const override;
  void keep(const std::string& structure, const KeptOrders& orders) const override;
};

std::optional<KeptOrders> OrdersOfTheUser::find(const std::string& structure) const try {
  const std::string text = order_files().read(key_of_structure(structure));
  if (text.empty()) return {};
  const json::Document document = json::Document::parse(text, structure);
  const json::Node root = document.root();
  if (root.at("structure").string() != structure) return {};
  KeptOrders orders;
  for (const json::Node& each : root.at("proposals").array())
    orders.proposals.push_back({each.at("strategy").string(), order_in(each)});
  if (orders.proposals.empty()) return {};
  orders.numbers = root.at("numbers").string();
  if (root.has("robot")) orders.robot = root.at("robot").string();
  if (root.has("best")) orders.best = root.at("best").string();
  if (root.has("deviations"))
    for (const json::Node& each : root.at("deviations").array()) orders.deviations.push_back(each.number());
  orders.healthy = root.at("healthy").boolean();
  orders.flops = root.at("flops").integer();
  orders.missing_data_healthy = root.at("missing_data_healthy").boolean();
  if (root.has("missing_data_error")) orders.missing_data_error = root.at("missing_data_error").number();
  if (root.has("missing_data_fails")) orders.missing_data_error = std::numeric_limits<double>::infinity();
  if (root.has("missing_data")) orders.missing_data = order_in(root.at("missing_data"));
  if (root.has("open_gaps")) orders.open_gaps = order_in(root.at("open_gaps"));
  if (root.has("chosen")) orders.chosen = root.at("chosen").string();
  if (root.has("judged"))
    for (const json::Node& each : root.at("judged").array()) orders.judged.push_back(judgement_in(each));
  if (root.has("operations_of_deviations")) orders.deviations_flops = flops_in(root.at("operations_of_deviations"));
  return orders;
} catch (const std::exception&) {
  return {};
}

void OrdersOfTheUser::keep(const std::string& structure, const KeptOrders& orders) const {
  json::Json root{{"structure", structure},
                  {"numbers", orders.numbers},
                  {"robot", orders.robot},
                  {"deviations", orders.deviations},
                  {"best", orders.best},
                  {"flops", orders.flops},
                  {"healthy", orders.healthy},
                  {"missing_data_healthy", orders.missing_data_healthy},
                  {"proposals", json::Json::array()}};
  if (std::isfinite(orders.missing_data_error))
    root["missing_data_error"] = orders.missing_data_error;
  else
    root["missing_data_fails"] = true;
  for (const NamedOrder& each : orders.proposals) {
    json::Json proposal = order_json(each.order);
    proposal["strategy"] = each.strategy;
    root["proposals"].push_back(std::move(proposal));
  }
  if (orders.missing_data) root["missing_data"] = order_json(*orders.missing_data);
  if (orders.open_gaps) root["open_gaps"] = order_json(*orders.open_gaps);
  root["chosen"] = orders.chosen, root["judged"] = json::Json::array();
  for (const KeptJudgement& each : orders.judged) root["judged"].push_back(judgement_json(each));
  if (orders.deviations_flops) root["operations_of_deviations"] = flops_json(*orders.deviations_flops);
  order_files().keep(key_of_structure(structure), json::json_text(root));
}

}  // namespace

std::shared_ptr<const PlanMemory> plans_of_the_user() { return std::make_shared<const PlansOfTheUser>(); }

std::shared_ptr<const OrderMemory> orders_of_the_user() { return std::make_shared<const OrdersOfTheUser>(); }

}  // namespace sparsedyn
