// Wrench sensors against the weight and motion of what hangs on them.
//
// A force/torque sensor reads the wrench that moves the links behind it, less what the world pushes them with. Its other sign,
// kilograms for newtons, axes turned by right angles and pairs of a unit with these are tried as for accelerometers. A tool
// that the model lacks (or that the sensor was told of) adds the wrench of a point mass μ at c,
//   f = μ a + U μc,  n = μc × a,   four unknowns, linear.
#include <algorithm>
#include <cmath>

#include "inspection/bounded_fit.hpp"
#include "inspection/drift.hpp"
#include "sensor_tests.hpp"
#include "triads.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double kilogram = 9.80665;
constexpr double wrench_agrees = 0.02, wrench_explained = 0.1;

struct WrenchSensor {
  const Measurement* m;
  std::vector<char> behind;
  std::array<Series*, 6> column{};
  bool forces = false, moments = false;
  std::vector<Force<double>> read, due;
  std::vector<BodyMotion<double>> motion;
  std::vector<std::size_t> sample;
};

std::vector<WrenchSensor> wrench_sensors(Examination& x) {
  std::vector<WrenchSensor> all;
  for (const Measurement& m : x.system->measurements()) {
    if (m.kind != SensorKind::force_torque || m.link < 0) continue;
    WrenchSensor sensor;
    sensor.m = &m, sensor.behind = links_behind(x.model, m.link);
    for (std::size_t k = 0; k < m.components.size(); ++k)
      sensor.column[static_cast<std::size_t>(m.components[k])] = x.column(m.columns[k]);
    sensor.moments = sensor.column[0] && sensor.column[1] && sensor.column[2];
    sensor.forces = sensor.column[3] && sensor.column[4] && sensor.column[5];
    if (sensor.forces) all.push_back(std::move(sensor));
  }
  return all;
}

struct WrenchReading {
  FindingKind kind;
  const char *likely, *remedy;
  double force, moment;  // factors of what should be read
};

constexpr WrenchReading wrench_readings[] = {
    {FindingKind::force_sign, "the wrench of the other side: child on parent, not parent on child",
     "state \"direction\", or change the signs", -1, -1},
    {FindingKind::force_unit, "kilograms, and kilogram metres", "multiply by 9.80665", 1 / kilogram, 1 / kilogram},
    {FindingKind::force_unit, "forces in kilograms", "multiply the forces by 9.80665", 1 / kilogram, 1},
    {FindingKind::force_unit, "mN and N mm", "multiply by 0.001", 1000, 1000},
    {FindingKind::force_unit, "kN and kN m", "multiply by 1000", 1e-3, 1e-3},
    {FindingKind::force_unit, "moments in N mm", "multiply the moments by 0.001", 1, 1000}};

struct WrenchChoice {
  int first = -1, second = -1;  // of wrench_readings
  std::size_t turn = 0;
  double left = 0;
  int faults() const { return (first >= 0) + (second >= 0) + (turn > 0); }
};

std::vector<double> left_of(const WrenchSensor& sensor, double force, double moment) {
  std::vector<Vec3<double>> read_f, due_f, read_n, due_n;
  for (std::size_t s = 0; s < sensor.read.size(); ++s) {
    read_f.push_back(sensor.read[s].f), due_f.push_back(force * sensor.due[s].f);
    read_n.push_back(sensor.read[s].n), due_n.push_back(moment * sensor.due[s].n);
  }
  std::vector<double> left = left_by_turns(read_f, due_f);
  if (!sensor.moments) return left;
  const std::vector<double> moments = left_by_turns(read_n, due_n);
  for (std::size_t t = 0; t < left.size(); ++t) left[t] = 0.5 * (left[t] + moments[t]);
  return left;
}

WrenchChoice best_reading(const WrenchSensor& sensor, std::size_t& as_good) {
  std::vector<WrenchChoice> all;
  const int n = static_cast<int>(std::size(wrench_readings));
  for (int a = -1; a < n; ++a)
    for (int b = -1; b <= 0; ++b) {  // the sign beside a unit
      if (b == 0 && a < 1) continue;
      double force = 1, moment = 1;
      for (int one : {a, b})
        if (one >= 0) force *= wrench_readings[one].force, moment *= wrench_readings[one].moment;
      const std::vector<double> left = left_of(sensor, force, moment);
      for (std::size_t t = 0; t < left.size(); ++t) all.push_back({a, b, t, left[t]});
    }
  double best = 1e300;
  for (const WrenchChoice& c : all) best = std::min(best, c.left);
  const double near = 1.5 * best + 1e-6;
  WrenchChoice simplest = all.front();
  int fewest = 9;
  for (const WrenchChoice& c : all)
    if (c.left <= near && c.faults() < fewest) fewest = c.faults(), simplest = c;
  as_good = 0;
  for (const WrenchChoice& c : all) as_good += c.left <= near && c.faults() == fewest;
  return simplest;
}

/// The tool that the readings hold beside the model: mass and first moments. Share that is left of the squares.
double fit_tool(const WrenchSensor& sensor, BoundedFit<4>& fit) {
  double yy_f = 0, yy_n = 0;
  for (const Force<double>& read : sensor.read) yy_f += dot(read.f, read.f), yy_n += dot(read.n, read.n);
  const double weigh_f = yy_f > 0 ? 1 / std::sqrt(yy_f) : 0, weigh_n = sensor.moments && yy_n > 0 ? 1 / std::sqrt(yy_n) : 0;
  for (std::size_t s = 0; s < sensor.read.size(); ++s) {
    const Force<double> off = sensor.read[s] - sensor.due[s];
    const BodyMotion<double>& m = sensor.motion[s];
    const double sign = sensor.m->sign;
    for (int r = 0; r < 3; ++r) {
      const double w = sign * weigh_f;
      fit.add({w * m.a[r], w * m.U(r, 0), w * m.U(r, 1), w * m.U(r, 2)}, weigh_f * off.f[r]);
      if (weigh_n == 0) continue;
      std::array<double, 4> row{};
      for (int c = 0; c < 3; ++c) {
        Vec3<double> unit = zero3<double>();
        unit[c] = 1;
        row[static_cast<std::size_t>(c) + 1] = sign * weigh_n * cross(unit, m.a)[r];
      }
      fit.add(row, weigh_n * off.n[r]);
    }
  }
  return fit.solve() / (weigh_n > 0 ? 2 : 1);
}

/// What was read and what should have been, each component less its line over the samples.
WrenchSensor without_lines(WrenchSensor sensor) {
  const auto at = [&](std::size_t s) {
    return static_cast<double>(sensor.sample[s]) / static_cast<double>(sensor.sample.back()) - 0.5;
  };
  for (std::vector<Force<double>>* const wrenches : {&sensor.read, &sensor.due})
    for (int c = 0; c < 6; ++c) {
      const auto component = [c](Force<double>& w) -> double& { return c < 3 ? w.n[c] : w.f[c - 3]; };
      BoundedFit<2> line;
      for (std::size_t s = 0; s < wrenches->size(); ++s) line.add({1, at(s)}, component((*wrenches)[s]));
      line.solve();
      for (std::size_t s = 0; s < wrenches->size(); ++s) component((*wrenches)[s]) -= line.c[0] + line.c[1] * at(s);
    }
  return sensor;
}

std::vector<std::string> columns_of(const WrenchSensor& sensor) { return sensor.m->columns; }

/// `fit`: of fit_tool(), which left that.
bool tell_of_tool(Examination& x, const WrenchSensor& sensor, const BoundedFit<4>& fit, double left, double as_is) {
  double mass = 0;
  for (std::size_t l = 0; l < sensor.behind.size(); ++l)
    if (sensor.behind[l]) mass += x.model.links[l].inertia.m;
  if (left > 0.35 * as_is || left > wrench_explained || std::abs(fit.c[0]) < 0.02 * mass + 0.005) return false;
  x.add(FindingKind::tool_weight, Severity::doubt, columns_of(sensor),
        "a point mass of " + shown(fit.c[0]) + " kg beside the " + shown(mass) + " kg of the model leaves " +
            shown(100 * left) + " % of the squares, without it " + shown(100 * as_is) + " %",
        fit.c[0] > 0 ? "a tool that the robot's file lacks, or masses that are too small there"
                     : "a tool whose weight the sensor takes off, or masses that are too large in the file",
        "add the tool to the robot, or its link by `identify`");
  return true;
}

/// Of the readings as they stand, component by component.
bool tell_of_wrench_drift(Examination& x, const WrenchSensor& sensor) {
  double force = 0, moment = 0;
  for (const Force<double>& read : sensor.read) force += dot(read.f, read.f), moment += dot(read.n, read.n);
  const auto n = static_cast<double>(sensor.read.size());
  bool told = false;
  for (std::size_t k = 0; k < sensor.m->components.size(); ++k) {
    const int c = sensor.m->components[k];
    Series left;
    for (std::size_t s = 0; s < sensor.read.size(); ++s) {
      const Force<double> off = sensor.read[s] - sensor.due[s];
      left.push_back(c < 3 ? off.n[c] : off.f[c - 3]);
    }
    told = tell_of_drift(x, sensor.m->columns[k], sensor.sample, left, std::sqrt((c < 3 ? moment : force) / n)) || told;
  }
  return told;
}

/// Columns and readings as if that reading were not.
void take_off_reading(WrenchSensor& sensor, const WrenchChoice& choice) {
  double force = 1, moment = 1;
  for (int one : {choice.first, choice.second})
    if (one >= 0) force *= wrench_readings[one].force, moment *= wrench_readings[one].moment;
  turn_back({sensor.column[3], sensor.column[4], sensor.column[5]}, choice.turn, force);
  if (sensor.moments) turn_back({sensor.column[0], sensor.column[1], sensor.column[2]}, choice.turn, moment);
  for (std::size_t s = 0; s < sensor.read.size(); ++s)
    for (int c = 0; c < 3; ++c) {
      const std::size_t i = sensor.sample[s], k = static_cast<std::size_t>(c);
      sensor.read[s].f[c] = (*sensor.column[k + 3])[i];
      if (sensor.moments) sensor.read[s].n[c] = (*sensor.column[k])[i];
    }
}

void judge_wrench(Examination& x, WrenchSensor& sensor) {
  const std::vector<std::string> columns = columns_of(sensor);
  if (sensor.read.size() < 30) return x.unjudged(columns, "too few readings beside a known motion");
  const double as_is = left_of(sensor, 1, 1).front();
  if (as_is < 1e-9) return;
  std::size_t as_good = 0;
  WrenchChoice choice = best_reading(sensor, as_good);
  const auto convinces = [](const WrenchChoice& one, double before) {
    return before > wrench_agrees && one.faults() > 0 && one.left < 0.25 * before && one.left < wrench_explained;
  };
  bool other = convinces(choice, as_is);
  double before = as_is;
  if (!other) {  // beside a drift, which a reading of the axes and units does not explain
    const WrenchSensor level = without_lines(sensor);
    const WrenchChoice beside = best_reading(level, as_good);
    const double level_as_is = left_of(level, 1, 1).front();
    other = convinces(beside, level_as_is);
    if (other) choice = beside, before = level_as_is;
  }
  if (!other && tell_of_wrench_drift(x, sensor)) return;
  BoundedFit<4> tool;
  const double beside_tool = fit_tool(sensor, tool);
  if ((!other || beside_tool < choice.left) && tell_of_tool(x, sensor, tool, beside_tool, as_is)) return;
  if (!other) {
    if (as_is > 0.5) x.unjudged(columns, "wrenches that the motion explains in no reading of them");
    return;
  }
  std::string evidence = columns[0].substr(0, columns[0].rfind('.')) + ": weight and motion leave " + shown(100 * before) +
                         " % of the squares as they stand, " + shown(100 * choice.left) + " % so";
  evidence += or_others(as_good);
  for (int one : {choice.first, choice.second})
    if (one >= 0)
      x.add(wrench_readings[one].kind, Severity::harm, columns, evidence, wrench_readings[one].likely,
            wrench_readings[one].remedy);
  tell_of_turn(x, FindingKind::force_frame, columns, evidence, choice.turn);
  take_off_reading(sensor, choice);
  tell_of_wrench_drift(x, sensor);
}

class WrenchTest : public SensorTest {
 public:
  explicit WrenchTest(Examination& x) : x_(x), sensors_(wrench_sensors(x)) {}
  bool empty() const { return sensors_.empty(); }

  void take(const LinkSample& sample) override {
    for (WrenchSensor& sensor : sensors_) {
      std::array<double, 6> y{};
      for (std::size_t k = 0; k < 6; ++k)
        if (sensor.column[k]) y[k] = (*sensor.column[k])[sample.i];
      const Force<double> read{{{y[0], y[1], y[2]}}, {{y[3], y[4], y[5]}}};
      if (!std::isfinite(y[0] + y[1] + y[2] + y[3] + y[4] + y[5])) continue;
      sensor.read.push_back(read), sensor.due.push_back(sample.through(x_.model, *sensor.m, sensor.behind));
      sensor.motion.push_back(sample.frame_motion(x_.model, *sensor.m)), sensor.sample.push_back(sample.i);
    }
  }
  void judge() override {
    for (WrenchSensor& sensor : sensors_) judge_wrench(x_, sensor);
  }
  void give_up(const std::string& why) override {
    for (const WrenchSensor& sensor : sensors_) x_.unjudged(columns_of(sensor), why);
  }

 private:
  Examination& x_;
  std::vector<WrenchSensor> sensors_;
};

}  // namespace

std::unique_ptr<SensorTest> wrench_test(Examination& x) {
  auto test = std::make_unique<WrenchTest>(x);
  if (test->empty()) return nullptr;
  return test;
}

}  // namespace sparsedyn::inspection
