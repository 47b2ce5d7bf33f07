#include "column_map.hpp"

#include <algorithm>
#include <map>

#include "io/suggestions.hpp"
#include "model/columns.hpp"

namespace sparsedyn {

const std::vector<std::string>& whole_motion_columns(const Model& model) {
  static const std::vector<std::string> none, all{"q.base.x", "q.base.y", "q.base.z", "dq.base.vx", "dq.base.vy", "dq.base.vz"};
  return model.floating() ? all : none;
}

bool is_noisy(const System& system, const Input& input) {
  const Measurement& m = system.measurements()[static_cast<std::size_t>(input.measurement)];
  return m.sigma[static_cast<std::size_t>(input.component)] > 0;
}

std::string any_of_these(const std::vector<std::string>& columns) {
  if (columns.size() == 1) return columns.front();
  return columns.back() + " (or " + listing({columns.begin(), columns.end() - 1}) + ")";
}

ColumnMap column_map(const Model& model, const std::vector<Input>& inputs, const std::function<bool(const std::string&)>& has) {
  ColumnMap map;
  const std::vector<std::string>& whole = whole_motion_columns(model);
  const auto state = [&](const std::vector<std::string>& names, std::vector<std::string>& into) {
    for (const std::string& name : names) {
      const bool there = has(name);
      into.push_back(there ? name : "");
      if (there) continue;
      if (std::find(whole.begin(), whole.end(), name) != whole.end())
        map.whole_motion_missing.push_back(name);
      else
        map.missing.push_back({name});
    }
  };
  state(with_prefix("q", coordinate_names(model)), map.q);
  state(with_prefix("dq", velocity_names(model)), map.v);

  std::map<int, std::vector<std::string>> absent;  // by measurement
  std::map<int, bool> some_there;
  for (const Input& input : inputs) {
    const auto found = std::find_if(input.columns.begin(), input.columns.end(), has);
    const bool there = found != input.columns.end();
    map.y.push_back(there ? *found : "");
    if (there)
      some_there[input.measurement] = true;
    else if (input.required)
      map.missing.push_back(input.columns);
    else
      absent[input.measurement].push_back(input.columns.back());
  }
  for (const auto& [measurement, columns] : absent)
    if (some_there[measurement]) map.taken_as_zero.push_back(columns);
  return map;
}

std::vector<StandIn> stand_ins(const System& system, const std::vector<std::string>& read_from) {
  std::vector<StandIn> all;
  for (std::size_t k = 0; k < read_from.size(); ++k) {
    const Input& input = system.inputs()[k];
    if (read_from[k].empty() || read_from[k] == input.columns.front() || !is_noisy(system, input)) continue;
    all.push_back({input.columns.front(), read_from[k]});
  }
  return all;
}

std::string stand_ins_text(const std::vector<StandIn>& all) {
  std::vector<std::string> readings, columns;
  for (const StandIn& each : all) readings.push_back(each.reading), columns.push_back(each.column);
  return listing(columns) + (all.size() == 1 ? " stands" : " stand") + " in for " + listing(readings);
}

}  // namespace sparsedyn
