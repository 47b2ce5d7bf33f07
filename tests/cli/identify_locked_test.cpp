// identify --lock --urdf-out: what was fitted to a body of locked joints, shared out among links that move again.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "identification/bodies/shared_out.hpp"
#include "program.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

std::string link_text(const std::string& name, double mass, double x, double size) {
  const auto n = [](double v) { return std::to_string(v); };
  const double I = mass * size * size;
  return "<link name=\"" + name + "\"><inertial><origin xyz=\"" + n(x) + " 0.01 0.02\"/><mass value=\"" + n(mass) +
         "\"/><inertia ixx=\"" + n(0.4 * I) + "\" ixy=\"0\" ixz=\"0\" iyy=\"" + n(I) + "\" iyz=\"0\" izz=\"" + n(1.1 * I) +
         "\"/></inertial></link>\n";
}

/// Upper arm, forearm and hand; on the forearm a fixed cover. Scales: of the masses.
std::string arm_text(double upper, double fore, double cover, double hand) {
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child, const std::string& axis) {
    return "<joint name=\"" + name + "\" type=\"" + (axis.empty() ? "fixed" : "continuous") + "\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/><origin xyz=\"0.3 0 0\"/>" +
           (axis.empty() ? "" : "<axis xyz=\"" + axis + "\"/>") + "</joint>\n";
  };
  return "<robot name=\"arm\"><link name=\"base\"/>\n" + link_text("upper", 2 * upper, 0.15, 0.1) +
         link_text("fore", 1.2 * fore, 0.12, 0.08) + link_text("cover", 0.3 * cover, 0.02, 0.03) +
         link_text("hand", 0.8 * hand, 0.05, 0.05) + joint("shoulder", "base", "upper", "0 1 0") +
         joint("elbow", "upper", "fore", "0 0 1") + joint("glue", "fore", "cover", "") +
         joint("wrist", "fore", "hand", "1 0 0") + "</robot>\n";
}

/// A log of the robot's torques with the wrist locked.
std::string log_of(const std::string& urdf) {
  LoadOptions locked;
  locked.lock = {{"wrist", 0.4}};
  const Model model = parse_urdf(urdf, "truth", locked);
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  Workspace<double> work(model);
  std::string text = "q.shoulder,q.elbow,dq.shoulder,dq.elbow,ddq.shoulder,ddq.elbow,tau.shoulder,tau.elbow\n";
  for (int row = 0; row < 200; ++row) {
    double x[8];
    for (int k = 0; k < 6; ++k) x[k] = normal(rng);
    rnea(model, work, x, x + 2, x + 4, static_cast<const Force<double>*>(nullptr), x + 6);
    for (int k = 0; k < 8; ++k) {
      char number[32];
      std::snprintf(number, sizeof number, "%.17g%c", x[k], k < 7 ? ',' : '\n');
      text += number;
    }
  }
  return text;
}

/// The largest difference of torques of two robots that move all joints, over states.
double difference_of(const std::string& a, const std::string& b) {
  const Model one = parse_urdf(a, "one"), two = parse_urdf(b, "two");
  Workspace<double> work_one(one), work_two(two);
  std::mt19937 rng(8);
  std::normal_distribution<double> normal;
  double squares = 0;
  for (int k = 0; k < 200; ++k) {
    double q[3], v[3], acceleration[3], x[3], y[3];
    for (int i = 0; i < 3; ++i) q[i] = normal(rng), v[i] = normal(rng), acceleration[i] = normal(rng);
    rnea(one, work_one, q, v, acceleration, static_cast<const Force<double>*>(nullptr), x);
    rnea(two, work_two, q, v, acceleration, static_cast<const Force<double>*>(nullptr), y);
    for (int i = 0; i < 3; ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  }
  return std::sqrt(squares / 200);
}

std::array<double, 10> sum_of(const SharedOut& shared) {
  std::array<double, 10> sum = shared.leading;
  for (const auto& part : shared.parts)
    for (std::size_t k = 0; k < 10; ++k) sum[k] += part[k];
  return sum;
}

}  // namespace

TEST_CASE("identify with a locked joint: the links behind it keep their share of the fitted whole") {
  TemporaryFolder folder;
  // heavier and lighter than the URDF says: all by as much, some more than others, a whole lighter than the links behind the
  // joint
  for (const std::array<double, 4>& scale :
       {std::array<double, 4>{1.2, 1.2, 1.2, 1.2}, {1.3, 1.1, 0.9, 1.25}, {0.8, 0.35, 0.3, 0.3}}) {
    const std::string truth = arm_text(scale[0], scale[1], scale[2], scale[3]), before = arm_text(1, 1, 1, 1);
    const std::string urdf = folder.file("before.urdf", before), log = folder.file("log.csv", log_of(truth));
    const std::string out = folder / "fit.json", fitted = folder / "fitted.urdf";
    const Run run = run_program("identify " + urdf + " --lock wrist=0.4 --fit inertia --prior 3 --log " + log + " -o " + out +
                                " --urdf-out " + fitted);
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK_THAT(run.err, Contains("--urdf-out: links on both sides of locked joints (wrist) share"));
    const std::string after = text_of(fitted);
    const Model model = parse_urdf(after, "fitted"), old = parse_urdf(before, "before");
    double mass = 0, was = 0;
    for (const char* name : {"fore", "cover", "hand"})
      mass += model.links[model.link(name)].inertia.m, was += old.links[old.link(name)].inertia.m;
    for (const char* name : {"fore", "cover", "hand"}) {
      const Inertia<double>& x = model.links[model.link(name)].inertia;
      CHECK(x.m / mass == Approx(old.links[old.link(name)].inertia.m / was).epsilon(1e-9));
      CHECK(consistency(detail::ten_numbers(x).data()) >= -1e-12);
    }
    CHECK(difference_of(after, truth) <= difference_of(before, truth));
    // locked as it was, it has the fit's torques
    const Run again =
        run_program("identify " + fitted + " --quiet --lock wrist=0.4 --fit inertia --log " + log + " --json -o " + out);
    REQUIRE(again.code == 0);
    const auto rms = nlohmann::json::parse(text_of(out))["torque_rms"]["before"];
    for (const char* joint : {"shoulder", "elbow"}) CHECK(rms[joint].get<double>() < 1e-6);
  }
}

TEST_CASE("shares of a body sum up to it, can exist, and a body that is right stays as it is") {
  std::mt19937 rng(2);
  for (int trial = 0; trial < 20; ++trial) {
    std::array<double, 10> before{}, whole{};
    std::vector<std::array<double, 10>> parts, newer;
    for (int k = 0; k < 4; ++k) {
      parts.push_back(detail::ten_numbers(random_inertia(rng))), newer.push_back(detail::ten_numbers(random_inertia(rng)));
      for (std::size_t i = 0; i < 10; ++i) before[i] += parts.back()[i], whole[i] += newer.back()[i];
    }
    const std::array<double, 10> leading = parts.front();
    parts.erase(parts.begin());
    const SharedOut shared = shared_out(before.data(), parts, whole.data());
    const std::array<double, 10> sum = sum_of(shared);
    for (std::size_t i = 0; i < 10; ++i) CHECK(sum[i] == Approx(whole[i]).epsilon(1e-12).margin(1e-12));
    CHECK(consistency(shared.leading.data()) > 0);
    for (const auto& part : shared.parts) CHECK(consistency(part.data()) > 0);
    const SharedOut same = shared_out(before.data(), parts, before.data());
    for (std::size_t i = 0; i < 10; ++i) {
      CHECK(same.leading[i] == Approx(leading[i]).epsilon(1e-9).margin(1e-9));
      CHECK(same.parts[0][i] == Approx(parts[0][i]).epsilon(1e-9).margin(1e-9));
    }
  }
  // point masses on a line become a body with extent; bodies that cannot exist are scaled down
  const std::array<double, 10> point{1, 0.5, 0, 0, 0, 0, 0.25, 0, 0, 0.25}, ball{3, 0.9, 0, 0, 0.1, 0, 0.5, 0, 0, 0.5};
  std::array<double, 10> two{};
  for (std::size_t i = 0; i < 10; ++i) two[i] = 2 * point[i];
  const SharedOut from_points = shared_out(two.data(), {point}, ball.data());
  CHECK(from_points.parts[0][0] == Approx(1.5).epsilon(1e-9));
  CHECK(consistency(from_points.leading.data()) > 0);
  const std::array<double, 10> impossible{1, 0, 0, 0, -1, 0, 0, 0, 0, 0};
  const SharedOut scaled = shared_out(impossible.data(), {point}, ball.data());
  CHECK(scaled.parts[0][0] > 0);
  CHECK(consistency(scaled.leading.data()) > 0);
  for (std::size_t i = 0; i < 10; ++i) CHECK(sum_of(scaled)[i] == Approx(ball[i]).epsilon(1e-12).margin(1e-12));
}
