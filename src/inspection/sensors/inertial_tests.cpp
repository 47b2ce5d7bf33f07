// Accelerometers and gyroscopes against the motion: units, gravity, axes.
//
// An accelerometer reads a − g in its axes. What is read may be in g, without gravity (a), with gravity downwards (a + g), of
// the other sign, and in axes turned by right angles; any two of these together are told. The simplest reading that leaves at
// most half more than the best one is taken, if the columns as they stand leave four times as much.
#include <algorithm>
#include <cmath>
#include <functional>

#include "sensor_tests.hpp"
#include "triads.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double standard_gravity = 9.80665, degrees_a_radian = 57.29577951308232;
constexpr double agrees = 0.02;    // share of the squares that the motion may leave
constexpr double explained = 0.1;  // … that another reading may leave

struct InertialSensor {
  const Measurement* m;
  Triad triad;
  std::vector<Vec3<double>> gravity;
  std::array<Series*, 3> column{};
};

std::vector<InertialSensor> inertial_sensors(Examination& x, SensorKind kind) {
  std::vector<InertialSensor> all;
  for (const Measurement& m : x.system->measurements()) {
    if (m.kind != kind || m.components.size() != 3) continue;
    InertialSensor sensor{&m, {}, {}, {}};
    for (std::size_t k = 0; k < 3; ++k) {
      sensor.column[static_cast<std::size_t>(m.components[k]) % 3] = x.column(m.columns[k]);
      sensor.triad.columns.push_back(m.columns[k]);
    }
    if (std::all_of(sensor.column.begin(), sensor.column.end(), [](Series* s) { return s; })) all.push_back(std::move(sensor));
  }
  return all;
}

struct Alternative {
  FindingKind kind;
  const char *likely, *remedy;
  std::function<Vec3<double>(const Vec3<double>& due, const Vec3<double>& gravity)> of;
  double factor = 1;  // of the readings, beside gravity
};

const std::vector<Alternative>& accelerometer_alternatives() {
  using V = const Vec3<double>&;
  static const std::vector<Alternative> all{
      {FindingKind::gravity_unit, "readings in g", "multiply by 9.80665", [](V a, V) { return (1 / standard_gravity) * a; },
       1 / standard_gravity},
      {FindingKind::gravity_sign, "readings of the other sign: −9.81 upwards at rest", "change the signs",
       [](V a, V) { return -a; }, -1},
      {FindingKind::gravity_missing, "accelerations without gravity",
       "read the sensor's proper acceleration, +9.81 upwards at rest", [](V a, V g) { return a - g; }},
      {FindingKind::gravity_sign, "gravity added downwards: −9.81 upwards at rest", "take off twice gravity",
       [](V a, V g) { return a - 2.0 * g; }}};
  return all;
}
const std::vector<Alternative>& gyroscope_alternatives() {
  using V = const Vec3<double>&;
  static const std::vector<Alternative> all{
      {FindingKind::gyroscope_unit, "readings in degrees a second", "multiply by pi/180",
       [](V w, V) { return degrees_a_radian * w; }, degrees_a_radian},
      {FindingKind::gyroscope_frame, "readings of the other sign", "change the signs", [](V w, V) { return -w; }, -1}};
  return all;
}

struct Choice {
  int alternative = -1, alternative2 = -1;
  std::size_t turn = 0;
  double left = 0;
  int faults() const { return (alternative >= 0) + (alternative2 >= 0) + (turn > 0); }
};

/// A unit beside something else; or the other sign of readings without gravity. `b` < `a`.
bool go_together(const std::vector<Alternative>& alternatives, std::size_t a, std::size_t b) {
  return b == 0 || (alternatives[a].kind == FindingKind::gravity_missing && b == 1);
}

/// The simplest reading near the best.
Choice chosen_reading(const InertialSensor& sensor, const std::vector<Alternative>& alternatives, std::size_t& as_good) {
  std::vector<Choice> all;
  const auto n = static_cast<int>(alternatives.size());
  for (int a = -1; a < n; ++a)
    for (int b = -1; b < n; ++b) {
      if (b >= 0 && (b >= a || a < 0)) continue;  // each pair once
      if (a >= 0 && b >= 0 && !go_together(alternatives, static_cast<std::size_t>(a), static_cast<std::size_t>(b))) continue;
      std::vector<Vec3<double>> due;
      for (std::size_t s = 0; s < sensor.triad.due.size(); ++s) {
        Vec3<double> v = sensor.triad.due[s], g = sensor.gravity[s];
        if (a >= 0) v = alternatives[static_cast<std::size_t>(a)].of(v, g);
        if (b >= 0) v = alternatives[static_cast<std::size_t>(b)].of(v, g);
        due.push_back(v);
      }
      const std::vector<double> left = left_by_turns(sensor.triad.read, due);
      for (std::size_t t = 0; t < left.size(); ++t) all.push_back({a, b, t, left[t]});
    }
  double best = 1e300;
  for (const Choice& c : all) best = std::min(best, c.left);
  const double near = 1.5 * best + 1e-6;
  Choice simplest = all.front();
  int fewest = 9;
  for (const Choice& c : all)
    if (c.left <= near && (c.faults() < fewest || (c.faults() == fewest && c.left < 0.9 * simplest.left && c.alternative < 0)))
      fewest = c.faults(), simplest = c;
  as_good = 0;
  for (const Choice& c : all) as_good += c.left <= near && c.faults() == fewest;
  return simplest;
}

/// The share of the readings' squares that their noise makes, times 1.5; at most 0.4.
double noise_share(const InertialSensor& sensor) {
  double square = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double white = white_noise_of(*sensor.column[k]);
    square += white * white;
  }
  return std::min(0.4, 1.5 * square * static_cast<double>(sensor.triad.read.size()) / sensor.triad.size());
}

void judge_sensor(Examination& x, const InertialSensor& sensor, const std::vector<Alternative>& alternatives,
                  FindingKind frame) {
  const Triad& triad = sensor.triad;
  if (triad.read.size() < 30 || !(triad.size() > 0)) return x.unjudged(triad.columns, "too few readings beside a known motion");
  const double as_is = left_by_turns(triad.read, triad.due).front();
  if (as_is < agrees) return;
  std::size_t as_good = 0;
  const Choice choice = chosen_reading(sensor, alternatives, as_good);
  if (choice.faults() == 0 || choice.left > 0.25 * as_is || choice.left > explained + noise_share(sensor)) {
    if (as_is > 0.5) x.unjudged(triad.columns, "readings that the motion explains in no reading of them");
    return;
  }
  std::string evidence = triad.columns[0].substr(0, triad.columns[0].rfind('.')) + ": the motion leaves " + shown(100 * as_is) +
                         " % of the squares as they stand, " + shown(100 * choice.left) + " % so";
  evidence += or_others(as_good);
  for (int a : {choice.alternative, choice.alternative2})
    if (a >= 0)
      x.add(alternatives[static_cast<std::size_t>(a)].kind, Severity::harm, triad.columns, evidence,
            alternatives[static_cast<std::size_t>(a)].likely, alternatives[static_cast<std::size_t>(a)].remedy);
  tell_of_turn(x, frame, triad.columns, evidence, choice.turn);
  double factor = 1;
  for (int a : {choice.alternative, choice.alternative2})
    if (a >= 0) factor *= alternatives[static_cast<std::size_t>(a)].factor;
  turn_back(sensor.column, choice.turn, factor);
}

class InertialTest : public SensorTest {
 public:
  explicit InertialTest(Examination& x)
      : x_(x),
        accelerometers_(inertial_sensors(x, SensorKind::accelerometer)),
        gyroscopes_(inertial_sensors(x, SensorKind::gyroscope)) {}
  bool empty() const { return accelerometers_.empty() && gyroscopes_.empty(); }

  void take(const LinkSample& sample) override {
    for (auto* kind : {&accelerometers_, &gyroscopes_})
      for (InertialSensor& sensor : *kind) {
        const Vec3<double> read{{(*sensor.column[0])[sample.i], (*sensor.column[1])[sample.i], (*sensor.column[2])[sample.i]}};
        if (!std::isfinite(read[0] + read[1] + read[2])) continue;
        const LinkSample::Inertial due = sample.inertial(x_.model, *sensor.m);
        sensor.triad.read.push_back(read), sensor.gravity.push_back(due.gravity);
        sensor.triad.due.push_back(kind == &accelerometers_ ? due.acceleration : due.turning);
      }
  }
  void judge() override {
    for (const InertialSensor& sensor : accelerometers_)
      judge_sensor(x_, sensor, accelerometer_alternatives(), FindingKind::accelerometer_frame);
    for (const InertialSensor& sensor : gyroscopes_)
      judge_sensor(x_, sensor, gyroscope_alternatives(), FindingKind::gyroscope_frame);
  }
  void give_up(const std::string& why) override {
    for (const auto* kind : {&accelerometers_, &gyroscopes_})
      for (const InertialSensor& sensor : *kind) x_.unjudged(sensor.triad.columns, why);
  }

 private:
  Examination& x_;
  std::vector<InertialSensor> accelerometers_, gyroscopes_;
};

}  // namespace

std::unique_ptr<SensorTest> inertial_test(Examination& x) {
  auto test = std::make_unique<InertialTest>(x);
  if (test->empty()) return nullptr;
  return test;
}

}  // namespace sparsedyn::inspection
