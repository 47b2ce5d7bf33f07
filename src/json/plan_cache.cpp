#include "plan_cache.hpp"

#include <cstring>
#include <exception>

#include "io/fnv_hash.hpp"
#include "json_text.hpp"
#include "sparsedyn/io/detail/user_cache.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/version.hpp"

namespace sparsedyn {
namespace {

std::string folder() {
  const std::string users = user_cache_folder();
  return users.empty() ? "" : users + "/plans";
}

std::vector<int> indices(const std::vector<char>& flags) {
  std::vector<int> found;
  for (std::size_t r = 0; r < flags.size(); ++r)
    if (flags[r]) found.push_back(static_cast<int>(r));
  return found;
}

Plan read_whole(const System& system, const json::Document& document) {
  const EstimatorShape shape = estimator_shape(system);
  return plan_from_json(document, shape.fingerprint, shape.augmented.pattern(), shape.unit, {}, &shape.open_gaps.pattern());
}

}  // namespace

PlanCache::PlanCache(const System& system) : system_(system), files_(folder(), "plan") {}

std::string PlanCache::key(const std::vector<char>& missing) const {
  FnvHash hash;
  const auto add = [&](double x) {
    long bits = 0;
    static_assert(sizeof bits == sizeof x);
    std::memcpy(&bits, &x, sizeof x);
    hash.add(bits);
  };
  for (const std::string& text : {std::string(version), system_.fingerprint(), system_.numbers_fingerprint()}) hash.add(text);
  for (const Measurement& m : system_.measurements())
    for (double sigma : m.sigma) add(sigma);
  for (const auto& [kind, deviation] : system_.sensors().prior) hash.add(kind), add(deviation);
  for (int row : indices(missing)) hash.add(static_cast<long>(row));
  return hash.hexadecimal();
}

std::shared_ptr<const EstimatorPlan> PlanCache::find(const std::vector<char>& missing) const try {
  const std::string key_of_rows = key(missing), text = files_.read(key_of_rows);
  if (text.empty()) return nullptr;
  const json::Document document = json::Document::parse(text, key_of_rows);
  if (indices(missing).empty()) return plan_estimator(system_, read_whole(system_, document));
  const json::Node root = document.root();
  GapsOrder gaps{root.at("missing").integers(), {root.at("rows").integers(), root.at("columns").integers()}};
  if (gaps.missing != indices(missing)) return nullptr;
  return plan_estimator(system_, gaps);
} catch (const std::exception&) {
  return nullptr;
}

void PlanCache::keep(const std::vector<char>& missing, const EstimatorPlan& plan) const {
  const std::vector<int> rows = indices(missing);
  const Order& order = plan.plan.order;
  files_.keep(key(missing), rows.empty()
                                ? plan_to_json(stored_plan(plan), {system_.model().name, system_.sensors().name})
                                : json::json_text({{"missing", rows}, {"rows", order.rows}, {"columns", order.columns}}));
}

namespace {

class PlansOfTheUser : public PlanMemory {
 public:
  std::shared_ptr<const EstimatorPlan> find(const System& system, const std::vector<char>& missing) const override {
    return PlanCache(system).find(missing);
  }
  void keep(const System& system, const std::vector<char>& missing, const EstimatorPlan& plan) const override {
    PlanCache(system).keep(missing, plan);
  }
};

}  // namespace

std::shared_ptr<const PlanMemory> plans_of_the_user() { return std::make_shared<const PlansOfTheUser>(); }

}  // namespace sparsedyn
