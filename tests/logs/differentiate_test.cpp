// Velocities and accelerations made from positions, beside those of motions known in closed form.
#include "sparsedyn/logs/differentiate.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace sparsedyn;

namespace {

constexpr double step = 0.004;

using Table = std::vector<std::vector<double>>;

const std::vector<double>& column_of(const Differentiated& made, const std::string& name) {
  for (std::size_t k = 0; k < made.columns.size(); ++k)
    if (made.columns[k] == name) return made.values[k];
  FAIL("no column " + name);
  return made.values.front();
}

double deviation_of(const Differentiated& made, const std::string& name) {
  for (std::size_t k = 0; k < made.columns.size(); ++k)
    if (made.columns[k] == name) return made.deviation[k];
  return -1;
}

/// A swing of a joint and its derivatives.
double swing(double t, int order) {
  const double w = 3.0;
  return order == 0   ? 0.8 * std::sin(w * t + 0.3)
         : order == 1 ? 0.8 * w * std::cos(w * t + 0.3)
                      : -0.8 * w * w * std::sin(w * t + 0.3);
}

double rms_error(const std::vector<double>& made, int order, std::size_t margin) {
  double sum = 0;
  for (std::size_t i = margin; i + margin < made.size(); ++i) {
    const double error = made[i] - swing(static_cast<double>(i) * step, order);
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(made.size() - 2 * margin));
}

}  // namespace

TEST_CASE("polynomials of degree four are differentiated exactly, at the ends too") {
  Table q(1);
  std::vector<double> v, a;
  for (int i = 0; i < 40; ++i) {
    const double t = i * step * 10;
    q[0].push_back(1 - 2 * t + 3 * t * t - t * t * t + 0.5 * t * t * t * t);
    v.push_back(-2 + 6 * t - 3 * t * t + 2 * t * t * t), a.push_back(6 - 6 * t + 6 * t * t);
  }
  const Differentiated made = differentiate({"q.a"}, q, step * 10, {0, 0.6});
  for (std::size_t i = 0; i < v.size(); ++i) {
    CHECK(made.values[0][i] == Approx(v[i]).epsilon(1e-8).margin(1e-8));
    CHECK(made.values[1][i] == Approx(a[i]).epsilon(1e-7).margin(1e-7));
  }
}

TEST_CASE("the deviation is that of the error, with a window that is stated or chosen") {
  for (const DifferentiateOptions& options :
       {DifferentiateOptions{8, 0}, DifferentiateOptions{0, 0.12}, DifferentiateOptions{}})
    for (unsigned seed : {1u, 2u, 3u}) {
      std::mt19937 rng(seed);
      std::normal_distribution<double> noise(0, 1e-4);
      Table q(1);
      for (int i = 0; i < 5000; ++i) q[0].push_back(swing(i * step, 0) + noise(rng));
      const Differentiated made = differentiate({"q.a"}, q, step, options);
      INFO(made.window[0] << " s, " << made.window[1] << " s");
      for (int order : {1, 2}) {
        const double error = rms_error(made.values[static_cast<std::size_t>(order - 1)], order, 100);
        CHECK(error < 1.3 * made.deviation[static_cast<std::size_t>(order - 1)]);
        CHECK(error > 0.7 * made.deviation[static_cast<std::size_t>(order - 1)]);
      }
      if (options.cutoff > 0) CHECK(made.cutoff[1] == Approx(8).epsilon(0.1));
      if (options.cutoff == 0 && options.window == 0) CHECK(made.deviation[1] < 0.2);  // of 7.2 rad/s²
    }
}

TEST_CASE("orientations are differentiated on their group, bodies in their axes") {
  // R = Rz(yaw) Ry(pitch) Rx(roll), p: a motion whose ω and v follow by central differences of finer steps.
  const auto pose = [](double t) {
    const double r = 2.5 * std::sin(1.3 * t), p = 0.8 * std::sin(2.1 * t + 1), y = 4 * t;
    const double cr = std::cos(r / 2), sr = std::sin(r / 2), cp = std::cos(p / 2), sp = std::sin(p / 2), cy = std::cos(y / 2),
                 sy = std::sin(y / 2);
    return std::vector<double>{std::sin(t),
                               0.3 * t * t,
                               std::cos(2 * t),
                               sr * cp * cy - cr * sp * sy,
                               cr * sp * cy + sr * cp * sy,
                               cr * cp * sy - sr * sp * cy,
                               cr * cp * cy + sr * sp * sy};
  };
  const auto velocity = [&](double t) {  // 2 conj(q) q̇ and Rᵀ ṗ, by differences of fourth order
    const double h = 1e-3;
    std::vector<double> rate(7), q = pose(t);
    for (int k = 0; k < 7; ++k)
      rate[k] = (8 * (pose(t + h)[k] - pose(t - h)[k]) - (pose(t + 2 * h)[k] - pose(t - 2 * h)[k])) / (12 * h);
    const double x = -q[3], y = -q[4], z = -q[5], w = q[6], X = rate[3], Y = rate[4], Z = rate[5], W = rate[6];
    std::vector<double> v{2 * (w * X + x * W + y * Z - z * Y), 2 * (w * Y - x * Z + y * W + z * X),
                          2 * (w * Z + x * Y - y * X + z * W)};
    const double u[] = {rate[0], rate[1], rate[2]}, a[] = {x, y, z};
    for (int k = 0; k < 3; ++k) {  // R(conj q) u
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      const double cross = a[l] * u[m] - a[m] * u[l];
      const double c[] = {a[1] * u[2] - a[2] * u[1], a[2] * u[0] - a[0] * u[2], a[0] * u[1] - a[1] * u[0]};
      v.push_back(u[k] + 2 * (w * cross + a[l] * c[m] - a[m] * c[l]));
    }
    return v;
  };
  const std::vector<std::string> columns{"q.base.x",  "q.base.y",  "q.base.z", "q.base.qx",
                                         "q.base.qy", "q.base.qz", "q.base.qw"};
  Table q(7);
  for (int i = 0; i < 400; ++i) {
    const std::vector<double> at = pose(i * step);
    const double sign = i % 2 ? -1 : 1;  // both name the same orientation
    for (std::size_t k = 0; k < 7; ++k) q[k].push_back(k < 3 ? at[k] : sign * at[k]);
  }
  const Differentiated made = differentiate(columns, q, step, {0, 0.06});
  const std::vector<std::string> names{"wx", "wy", "wz", "vx", "vy", "vz"};
  for (std::size_t i = 20; i < 380; i += 30) {
    const double t = static_cast<double>(i) * step, h = 1e-3;
    const std::vector<double> v = velocity(t), later = velocity(t + h), before = velocity(t - h);
    for (std::size_t c = 0; c < 6; ++c) {
      CHECK(column_of(made, "dq.base." + names[c])[i] == Approx(v[c]).margin(2e-4));
      CHECK(column_of(made, "ddq.base." + names[c])[i] == Approx((later[c] - before[c]) / (2 * h)).margin(5e-2));
    }
  }
}

TEST_CASE("noise of a floating base reaches its velocities and accelerations as stated") {
  std::mt19937 rng(4);
  std::normal_distribution<double> place(0, 1e-4), turn(0, 5e-4);
  const std::vector<std::string> columns{"q.base.x",  "q.base.y",  "q.base.z", "q.base.qx",
                                         "q.base.qy", "q.base.qz", "q.base.qw"};
  Table q(7);
  for (int i = 0; i < 4000; ++i) {  // turns about z at 1 rad/s and moves along x at 2 m/s
    const double t = i * step, half = 0.5 * t;
    for (std::size_t k = 0; k < 3; ++k) q[k].push_back((k == 0 ? 2 * t : 0) + place(rng));
    const double x = 0.5 * turn(rng), y = 0.5 * turn(rng), z = 0.5 * turn(rng), c = std::cos(half), s = std::sin(half);
    q[3].push_back(c * x - s * y), q[4].push_back(c * y + s * x), q[5].push_back(s + c * z), q[6].push_back(c - s * z);
  }
  const Differentiated made = differentiate(columns, q, step, {0, 0.1});
  const auto check = [&](const std::string& name, auto truth) {
    double sum = 0;
    for (std::size_t i = 50; i < 3950; ++i) {
      const double error = column_of(made, name)[i] - truth(static_cast<double>(i) * step);
      sum += error * error;
    }
    INFO(name);
    CHECK(std::sqrt(sum / 3900) / deviation_of(made, name) == Approx(1).margin(0.35));
  };
  check("dq.base.wx", [](double) { return 0.0; });
  check("ddq.base.wz", [](double) { return 0.0; });
  check("dq.base.vz", [](double) { return 0.0; });
  check("ddq.base.vz", [](double) { return 0.0; });
  check("ddq.base.vx", [](double t) { return -2 * std::sin(t); });
}

TEST_CASE("planar joints move in the body's axes, angles are unwrapped") {
  Table q(4);
  for (int i = 0; i < 500; ++i) {  // a circle of radius 1.5 at 2 rad/s, heading along it
    const double t = i * step, a = 2 * t;
    q[0].push_back(1.5 * std::sin(a)), q[1].push_back(1.5 - 1.5 * std::cos(a)), q[2].push_back(a);
    q[3].push_back(std::remainder(3 * t + 2, 2 * M_PI));
  }
  const Differentiated made = differentiate({"q.car.x", "q.car.y", "q.car.angle", "q.wheel"}, q, step, {0, 0.06});
  for (std::size_t i = 30; i < 470; i += 40) {
    CHECK(column_of(made, "dq.car.vx")[i] == Approx(3).margin(1e-5));
    CHECK(column_of(made, "dq.car.vy")[i] == Approx(0).margin(1e-5));
    CHECK(column_of(made, "dq.car.w")[i] == Approx(2).margin(1e-8));
    CHECK(column_of(made, "ddq.car.vx")[i] == Approx(0).margin(1e-3));
    CHECK(column_of(made, "dq.wheel")[i] == Approx(3).margin(1e-8));
  }
  REQUIRE(made.unwrapped.size() == 1);
  CHECK(made.unwrapped[0].column == "q.wheel");
}

TEST_CASE("fits do not reach across gaps") {
  Table q(1);
  for (int i = 0; i < 200; ++i) q[0].push_back(i < 100 ? 0.0 : 5.0 + i * step);
  q[0][99] = std::nan("");
  const Differentiated made = differentiate({"q.a"}, q, step, {0, 0.08});
  CHECK(made.values[0][98] == Approx(0).margin(1e-9));
  CHECK(std::isnan(made.values[0][99]));
  CHECK(made.values[0][100] == Approx(1).margin(1e-9));
  q[0][150] = q[0][155] = std::nan("");
  CHECK(std::isnan(differentiate({"q.a"}, q, step, {0, 0.08}).values[0][152]));  // too few beside it
  CHECK_THROWS_AS(differentiate({"dq.a"}, q, step), std::invalid_argument);
  CHECK_THROWS_AS(differentiate({"q.a"}, q, 0), std::invalid_argument);
}

namespace {

/// Positions with their first two derivatives.
struct Truth {
  explicit Truth(std::size_t samples)
      : order{std::vector<double>(samples), std::vector<double>(samples), std::vector<double>(samples)} {}
  std::vector<double> order[3];
};

/// Twelve sines of at most `band` Hz.
Truth sines(std::mt19937& rng, std::size_t samples, double band) {
  Truth truth(samples);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 12; ++k) {
    const double f = band * (0.1 + 0.9 * uniform(rng)), phase = 2 * M_PI * uniform(rng), size = normal(rng) / (1 + f),
                 w = 2 * M_PI * f;
    for (std::size_t i = 0; i < samples; ++i) {
      const double at = w * static_cast<double>(i) * step + phase;
      truth.order[0][i] += size * std::sin(at);
      truth.order[1][i] += size * w * std::cos(at);
      truth.order[2][i] -= size * w * w * std::sin(at);
    }
  }
  return truth;
}

/// Ten moves, each a bell of a standard width of 2 to 4 / (2π band) s, with rest between them.
Truth bells(std::mt19937& rng, std::size_t samples, double band) {
  Truth truth(samples);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 10; ++k) {
    const double centre = uniform(rng) * static_cast<double>(samples) * step, width = (1 + uniform(rng)) / (M_PI * band),
                 size = normal(rng);
    for (std::size_t i = 0; i < samples; ++i) {
      const double u = (static_cast<double>(i) * step - centre) / width, bell = size * std::exp(-u * u / 2);
      truth.order[0][i] += bell;
      truth.order[1][i] -= u / width * bell;
      truth.order[2][i] += (u * u - 1) / (width * width) * bell;
    }
  }
  return truth;
}

struct Covered {
  double share = 0;  // of the samples whose truth lies within two deviations
  double error = 0;  // root mean square
};

/// Of one column, where all windows are whole.
Covered covered(const Differentiated& made, std::size_t column, const std::vector<double>& truth) {
  const std::size_t edge = static_cast<std::size_t>(made.window[column] / step) / 2 + 1;
  Covered found;
  for (std::size_t i = edge; i + edge < truth.size(); ++i) {
    const double error = made.values[column][i] - truth[i];
    found.share += std::abs(error) < 2 * made.deviation[column];
    found.error += error * error;
  }
  const double samples = static_cast<double>(truth.size() - 2 * edge);
  return {found.share / samples, std::sqrt(found.error / samples)};
}

}  // namespace

TEST_CASE("with the windows chosen, two deviations hold 94 to 97 % of the truth, velocities and accelerations alike") {
  constexpr std::size_t samples = 4000;
  constexpr int seeds = 10;
  for (const bool has_rest : {false, true})
    for (const double band : {0.5, 2.0, 5.0})
      for (const double sigma : {1e-5, 1e-4, 1e-3}) {
        Covered mean[2];
        for (unsigned seed = 1; seed <= seeds; ++seed) {
          std::mt19937 rng(seed);
          std::normal_distribution<double> noise(0, sigma);
          const Truth truth = has_rest ? bells(rng, samples, band) : sines(rng, samples, band);
          std::vector<double> q = truth.order[0];
          for (double& x : q) x += noise(rng);
          const Differentiated made = differentiate({"q.a"}, {q}, step);
          for (std::size_t k = 0; k < 2; ++k) mean[k].share += covered(made, k, truth.order[k + 1]).share / seeds;
        }
        INFO((has_rest ? "bells" : "sines") << ", " << band << " Hz, noise " << sigma);
        for (const Covered& c : mean) {
          CHECK(c.share > 0.94);
          CHECK(c.share < 0.97);
        }
      }
}

TEST_CASE("the windows chosen are nearly as good as the best, which only the truth tells") {
  constexpr std::size_t samples = 3000;
  for (const double band : {0.5, 2.0, 12.0})
    for (const double sigma : {1e-5, 1e-3}) {
      std::mt19937 rng(3);
      std::normal_distribution<double> noise(0, sigma);
      const Truth truth = sines(rng, samples, band);
      std::vector<double> q = truth.order[0];
      for (double& x : q) x += noise(rng);
      const Differentiated chosen = differentiate({"q.a"}, {q}, step);
      double best[2] = {1e300, 1e300};
      for (int half = 3; half <= 200; half = half * 5 / 4 + 1) {
        const Differentiated made = differentiate({"q.a"}, {q}, step, {0, (2 * half + 1) * step});
        for (std::size_t k = 0; k < 2; ++k) best[k] = std::min(best[k], covered(made, k, truth.order[k + 1]).error);
      }
      INFO(band << " Hz, noise " << sigma);
      for (std::size_t k = 0; k < 2; ++k) CHECK(covered(chosen, k, truth.order[k + 1]).error < 2.2 * best[k]);
    }
}

TEST_CASE("a window that is too long says so by its deviations") {
  std::mt19937 rng(1);
  std::normal_distribution<double> noise(0, 1e-4);
  Table q(1);
  for (int i = 0; i < 5000; ++i) q[0].push_back(swing(i * step, 0) + noise(rng));
  for (const double window : {1.0, 1.5, 3.0}) {
    const Differentiated made = differentiate({"q.a"}, q, step, {0, window});
    INFO(window << " s");
    for (std::size_t k = 0; k < 2; ++k) {
      const double error = rms_error(made.values[k], static_cast<int>(k) + 1, 500);
      CHECK(made.deviation[k] > 0.7 * error);
      CHECK(made.deviation[k] < 2 * error);
    }
  }
}

TEST_CASE("each joint has windows of its own") {
  std::mt19937 rng(1);
  std::normal_distribution<double> fine(0, 1e-6), coarse(0, 1e-3);
  Table q(2);
  for (int i = 0; i < 5000; ++i)
    q[0].push_back(swing(4 * i * step, 0) + fine(rng)), q[1].push_back(swing(i * step, 0) + coarse(rng));
  const Differentiated made = differentiate({"q.a", "q.b"}, q, step);
  REQUIRE(made.columns == std::vector<std::string>{"dq.a", "dq.b", "ddq.a", "ddq.b"});
  CHECK(made.window[0] < 0.3 * made.window[1]);
  CHECK(made.window[2] < 0.3 * made.window[3]);
  CHECK(made.window[2] > made.window[0]);
  for (std::size_t k = 0; k < 4; ++k) CHECK(made.cutoff[k] > 0);
}

TEST_CASE("what stands still has no velocity and no acceleration, at any place and any window") {
  for (const double place : {0.0, 1.0, -3.14159265358979312, 0.1, 1e-9, 12345.678})
    for (const DifferentiateOptions& by :
         {DifferentiateOptions{}, DifferentiateOptions{0, 0.3}, DifferentiateOptions{2.0, 0}}) {
      const Table q(2, std::vector<double>(300, place));
      const Differentiated made = differentiate({"q.a", "q.b"}, q, step, by);
      CAPTURE(place);
      for (const std::vector<double>& column : made.values)
        for (double x : column) CHECK(std::abs(x) <= 1e-12 * std::abs(place));
    }
}
