#include "sparsedyn/simulation/motion_readings.hpp"

#include <algorithm>
#include <cmath>

#include "exact_motion_readings.hpp"
#include "link_wrenches.hpp"
#include "scalar/random.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "system/sensors/contact_targets.hpp"

namespace sparsedyn {

struct MotionReadings::Parts {
  /// A column of readings.
  struct ReadingColumn {
    std::string name;
    bool state;   // of a sensor of the state: `place` is that of StateReadings
    bool of_row;  // it reads the row's state, not the interval before
    int place;    // else an input
    double sigma;
  };

  /// A column that says whether a link stands.
  struct FlagColumn {
    std::string name;
    int link;
    bool is_force;
    long delay;                // rows
    std::vector<double> past;  // at all rows so far, where there is a delay
  };

  Parts(const System& of, const ConstraintSet& constraints, double interval, bool last, std::uint64_t seed)
      : system(of),
        model(of.model()),
        wrenches(model, constraints),
        mean(of, wrenches.grounded()),
        dt(interval),
        forces_last(last),
        random(seed) {
    list_columns();
    for (PushedState* s : {&before, &now, &between}) {
      s->q.resize(static_cast<std::size_t>(model.nq)), s->v.resize(static_cast<std::size_t>(model.nv)), s->a = s->v;
      s->wrenches.resize(model.links.size());
    }
  }

  const Sensor& sensor_of(const Measurement& m) const { return system.sensors().sensors[static_cast<std::size_t>(m.sensor)]; }

  void list_columns() {
    int place = 0;
    for (const Measurement& m : system.measurements()) {
      const bool samples = sensor_of(m).over_time.samples, turns = m.kind == SensorKind::gyroscope;
      const auto& of_state = mean.state().columns();
      const bool state = place < static_cast<int>(of_state.size()) && !m.columns.empty() &&
                         of_state[static_cast<std::size_t>(place)] == m.columns.front();
      for (std::size_t k = 0; k < m.columns.size(); ++k)
        if (state) {
          readings.push_back(
              {m.columns[k], true, samples || !turns, place, mean.state().sigma()[static_cast<std::size_t>(place)]});
          ++place;
        } else if (k < m.inputs.size() && m.inputs[k] >= 0) {
          readings.push_back({m.columns[k], false, samples, m.inputs[k], m.sigma[k]});
        }
    }
  }

  void list_flags(const std::vector<std::string>& taken) {
    const auto is_column = [&](const std::string& name) {
      const auto same = [&](const auto& other) { return other.name == name; };
      return std::any_of(readings.begin(), readings.end(), same) || std::any_of(flags.begin(), flags.end(), same) ||
             std::find(taken.begin(), taken.end(), name) != taken.end();
    };
    for (const Sensor& s : system.sensors().sensors) {
      if (s.type != "contact") continue;
      for (const sensors::ContactTarget& target : sensors::contact_targets(system, s))
        if (!is_column(target.flag))
          flags.push_back({target.flag, target.link, s.over_time.contact.is_force, std::lround(s.over_time.delay / dt), {}});
    }
  }

  void put_now(const double* q, const double* v, const double* a, const double* lambda) {
    std::copy_n(q, now.q.size(), now.q.begin()), std::copy_n(v, now.v.size(), now.v.begin());
    std::copy_n(a, now.a.size(), now.a.begin());
    wrenches.at(q, v, lambda);
    for (std::size_t l = 0; l < now.wrenches.size(); ++l) now.wrenches[l] = wrenches.on(static_cast<int>(l));
  }

  /// The mean of the interval between the row before and this one.
  void put_between() {
    difference(model, before.q.data(), now.q.data(), between.v.data());
    for (double& x : between.v) x *= 0.5;
    integrate(model, before.q.data(), between.v.data(), between.q.data());
    for (double& x : between.v) x *= 2 / dt;
    for (std::size_t i = 0; i < now.v.size(); ++i) between.a[i] = (now.v[i] - before.v[i]) / dt;
    const double of_now = forces_last ? 0 : 0.5;
    for (std::size_t l = 0; l < now.wrenches.size(); ++l)
      between.wrenches[l] = {(1 - of_now) * before.wrenches[l].n + of_now * now.wrenches[l].n,
                             (1 - of_now) * before.wrenches[l].f + of_now * now.wrenches[l].f};
  }

  void read(const PushedState& s, bool of_row) {
    mean.at(s);
    for (std::size_t k = 0; k < readings.size(); ++k) {
      const ReadingColumn& c = readings[k];
      if (c.of_row != of_row && !first) continue;
      row[k] = c.state ? mean.of_state(c.place) : mean.input(c.place);
      gain[k] = c.state ? 1 : std::abs(mean.slope(c.place));
    }
  }

  double flag(FlagColumn& f) {
    const double is = f.is_force ? wrenches.pressing(f.link) : wrenches.stands(f.link);
    if (f.delay <= 0) return is;
    f.past.push_back(is);
    const long at = static_cast<long>(f.past.size()) - 1 - f.delay;
    return f.past[static_cast<std::size_t>(std::max(at, 0L))];
  }

  const System& system;
  const Model& model;
  LinkWrenches wrenches;
  ExactMotionReadings mean;
  double dt;
  bool forces_last, first = true;
  Random random;
  std::vector<ReadingColumn> readings;
  std::vector<FlagColumn> flags;
  PushedState before, now, between;
  std::vector<double> row, gain;
};

MotionReadings::MotionReadings(const System& system, const ConstraintSet& constraints, double dt, bool forces_last,
                               std::uint64_t seed, const std::vector<std::string>& taken)
    : parts_(std::make_unique<Parts>(system, constraints, dt, forces_last, seed)) {
  parts_->list_flags(taken);
  parts_->row.resize(parts_->readings.size() + parts_->flags.size()), parts_->gain.resize(parts_->readings.size());
}
MotionReadings::~MotionReadings() = default;

std::vector<std::string> MotionReadings::columns() const {
  std::vector<std::string> names;
  for (const auto& c : parts_->readings) names.push_back(c.name);
  for (const auto& f : parts_->flags) names.push_back(f.name);
  return names;
}

std::vector<std::string> MotionReadings::never_standing() const {
  std::vector<std::string> names;
  for (const Sensor& s : parts_->system.sensors().sensors)
    if (s.type == "contact")
      for (const sensors::ContactTarget& target : sensors::contact_targets(parts_->system, s))
        if (!parts_->wrenches.may_stand(target.link)) names.push_back(target.name);
  return names;
}

const double* MotionReadings::next(const double* q, const double* v, const double* a, const double* lambda) {
  Parts& p = *parts_;
  p.put_now(q, v, a, lambda);
  p.read(p.now, true);
  if (!p.first) {
    p.put_between();
    p.read(p.between, false);
  }
  for (std::size_t k = 0; k < p.readings.size(); ++k) p.row[k] += p.readings[k].sigma * p.gain[k] * p.random.normal();
  for (std::size_t f = 0; f < p.flags.size(); ++f) p.row[p.readings.size() + f] = p.flag(p.flags[f]);
  std::swap(p.before, p.now);
  p.first = false;
  return p.row.data();
}

}  // namespace sparsedyn
