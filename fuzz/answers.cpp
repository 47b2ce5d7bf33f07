// Any robot, any set, any log: bytes choose joints, masses, sensors and weights, then readings and gaps of as many samples as
// they last for. Each estimate and its deviations equal the solution of the augmented equations in extended precision, or the
// estimate says by name what it lacks.
#include "answers.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>

#include "robots.hpp"
#include "runtime/reference.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/gap_closer.hpp"
#include "support/augmented_estimate.hpp"

namespace {

using namespace sparsedyn;

/// The bytes, one after the other; zeros behind the last.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}
  int below(int n) { return data_ == end_ ? 0 : *data_++ % n; }
  bool coin() { return below(2) == 1; }
  /// In ±1, of few values: so that zeros, equal numbers and quarter turns are met.
  double number() { return (below(33) - 16) / 16.0; }
  double angle() { return (below(17) - 8) * (std::acos(-1.0) / 8); }
  /// Powers of ten: 10^-most to 10^most.
  double size(int most) { return std::pow(10.0, below(2 * most + 1) - most); }
  bool done() const { return data_ == end_; }

 private:
  const std::uint8_t *data_, *end_;
};

Mat3<double> turn(double angle, int axis) {
  const double c = std::cos(angle), s = std::sin(angle);
  Mat3<double> R = identity3<double>();
  const int i = (axis + 1) % 3, k = (axis + 2) % 3;
  R(i, i) = R(k, k) = c, R(i, k) = -s, R(k, i) = s;
  return R;
}

Model robot(Choices& choose) {
  constexpr JointKind kinds[] = {JointKind::revolute, JointKind::prismatic, JointKind::spherical, JointKind::planar,
                                 JointKind::universal};
  const auto body = [&] {
    const double mass = choose.size(2), radius = 0.1 * choose.size(1);
    const double moment = mass * radius * radius;
    return inertia_about_com(mass, {{radius * choose.number(), radius * choose.number(), radius * choose.number()}},
                             {moment, 0, 0, moment, 0, moment * (1 + 0.5 * std::abs(choose.number()))});
  };
  ModelBuilder builder("drawn");
  builder.root("link0", body(), choose.coin());
  const int joints = 1 + choose.below(5);
  for (int i = 1; i <= joints; ++i) {
    JointSpec joint;
    joint.kind = kinds[choose.below(5)];
    joint.axis = {{choose.number(), choose.number(), 1}};
    const double length = std::sqrt(dot(joint.axis, joint.axis));
    joint.axis = (1 / length) * joint.axis;
    joint.axis2 = {{0, 1, 0}};
    if (joint.kind == JointKind::universal) joint.axis = {{1, 0, 0}};
    const Pose<double> at{turn(choose.angle(), choose.below(3)), {{choose.number(), choose.number(), choose.number()}}};
    builder.link("link" + std::to_string(i), body(), "link" + std::to_string(choose.below(i)), "joint" + std::to_string(i),
                 joint, at);
  }
  return builder.build();
}

SensorSet sensors(Choices& choose, const Model& model) {
  const char* const of_links[] = {"accelerometer", "angular_accelerometer", "link_acceleration", "external_wrench",
                                  "force_torque"};
  SensorSet set;
  set.name = "drawn", set.file = "set.json";
  const auto sigma = [&] { return choose.below(4) == 0 ? std::vector<double>{} : std::vector<double>{choose.size(2)}; };
  Sensor air;
  air.name = "air", air.type = "external_wrench", air.all = true, air.fallback = {0.0}, air.sigma = sigma();
  set.sensors.push_back(air);
  const int count = 1 + choose.below(8);
  for (int i = 0; i < count; ++i) {
    Sensor s;
    s.name = "s" + std::to_string(i), s.sigma = sigma();
    const int kind = choose.below(8);
    if (kind < 4) {
      s.type = kind % 2 ? "joint_torque" : "joint_acceleration";
      s.all = kind < 2;
      if (!s.all)
        s.targets = {{model.joints[static_cast<std::size_t>(choose.below(static_cast<int>(model.joints.size())))].name, 0}};
    } else {
      s.type = of_links[choose.below(5)];
      s.targets = {{model.links[static_cast<std::size_t>(choose.below(static_cast<int>(model.links.size())))].name, 0}};
    }
    set.sensors.push_back(s);
  }
  if (choose.coin()) set.prior["ddq"] = choose.size(2);
  return set;
}

/// What differs by more than a millionth of the largest expected, and of its own deviation, in words; "" where nothing does.
/// `open` is not compared.
std::string difference(const std::vector<std::string>& names, const std::vector<char>& open, const double* found,
                       const Eigen::VectorXd& expected, const Eigen::VectorXd& deviation) {
  double bound = 1e-6;
  const auto count = static_cast<std::size_t>(expected.size());
  const auto at = [&](std::size_t j) { return expected[static_cast<Eigen::Index>(j)]; };
  for (std::size_t j = 0; j < count; ++j)
    if (!open[j]) bound = std::max(bound, 1e-6 * std::abs(at(j)));
  for (std::size_t j = 0; j < count; ++j)
    if (!open[j] && !(std::abs(found[j] - at(j)) <= std::max(bound, 1e-6 * deviation[static_cast<Eigen::Index>(j)])))
      return names[j] + ": " + std::to_string(found[j]) + ", expected " + std::to_string(at(j));
  return "";
}

/// Values and deviations beside those of the same rows in extended precision: refined in more where the first do not agree.
void compare(Estimator& estimator, const test::SampleState& s) {
  const System& system = estimator.system();
  const std::vector<std::string>& names = system.unknown_names();
  std::vector<char> open(names.size());
  for (std::size_t j = 0; j < open.size(); ++j) open[j] = !estimator.determined(static_cast<int>(j));
  enum class Verdict { right, wrong, unknown };
  std::string fault;
  const auto judged = [&](decltype(test::dense_estimate)* way) {
    const test::DenseEstimate truth = test::reference(system, s, test::sigmas(estimator), way, open);
    if (!truth.converged) return Verdict::unknown;
    const Eigen::VectorXd deviation = truth.covariance.diagonal().cwiseMax(0).cwiseSqrt();
    fault = difference(names, open, estimator.unknowns(), truth.x, deviation);
    if (!fault.empty()) return Verdict::wrong;
    fault = difference(names, open, estimator.standard_deviations().data(), deviation, deviation);
    if (!fault.empty()) fault = "deviation of " + fault;
    return fault.empty() ? Verdict::right : Verdict::wrong;
  };
  Verdict verdict = judged(test::quick_augmented_estimate);
  if (verdict != Verdict::right) verdict = judged(test::augmented_estimate);
  if (verdict == Verdict::wrong) fuzz::fault(fault);
  if (verdict == Verdict::unknown) return;
  ++test::drawn_answers.compared;
}

/// A state at few angles, readings of few values; in every other sample one reading in sixteen is missing.
test::SampleState sample(Choices& choose, const System& system) {
  const Model& model = system.model();
  test::SampleState s{std::vector<double>(static_cast<std::size_t>(model.nq)), {}, {}};
  neutral(model, s.q.data());
  std::vector<double> step(static_cast<std::size_t>(model.nv));
  for (double& x : step) x = choose.angle();
  integrate(model, s.q.data(), static_cast<const double*>(step.data()), s.q.data());
  for (int i = 0; i < model.nv; ++i) s.v.push_back(choose.number());
  const bool gaps = choose.coin();
  for (std::size_t i = 0; i < system.inputs().size(); ++i)
    s.y.push_back(gaps && choose.below(16) == 15 ? std::nan("") : choose.number());
  return s;
}

void estimate(Estimator& estimator, const test::SampleState& s) {
  ++test::drawn_answers.samples;
  std::vector<double> out(estimator.output_columns().size());
  const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
  if (!status.ok()) {
    if (estimator.describe(status).empty()) fuzz::fault("a refusal without a word");
    return;
  }
  for (std::size_t k = 0; k < out.size(); ++k)
    if (!std::isfinite(out[k]) && estimator.determined(static_cast<int>(k)))
      fuzz::fault(estimator.output_columns()[k] + ": not finite, and said to be determined");
  compare(estimator, s);
}

/// With all that answers samples with gaps: unknowns that they leave open, and plans of their own.
EstimatorOptions with_gaps(const std::shared_ptr<const System>& system) {
  EstimatorOptions options = test::with_deviations();
  options.close_gaps = [closer = std::make_shared<const GapCloser>(system)](const std::vector<char>& missing) {
    return closer->close(missing);
  };
  options.replan = [system](const std::vector<char>& missing) -> std::shared_ptr<const EstimatorPlan> {
    try {
      return test::quick_plan(*system, missing);
    } catch (const std::domain_error&) {  // singular whatever the order
      return nullptr;
    }
  };
  return options;
}

void require_words(const std::exception& refused) {
  if (std::string(refused.what()).empty()) fuzz::fault("a refusal without a word");
}

}  // namespace

test::DrawnAnswers test::drawn_answers;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int most_samples = 16;
  Choices choose(data, size);
  const Model model = robot(choose);
  return fuzz::attempt("set.json", [&] {
    ++test::drawn_answers.sets;
    try {
      const auto system = std::make_shared<const System>(model, sensors(choose, model));
      Estimator estimator(system, test::quick_plan(*system), with_gaps(system));
      for (int k = 0; k == 0 || (k < most_samples && !choose.done()); ++k) estimate(estimator, sample(choose, *system));
    } catch (const RedundantExactRows& refused) {
      require_words(refused);
    } catch (const SingularSystem& refused) {
      require_words(refused);
    }
  });
}
