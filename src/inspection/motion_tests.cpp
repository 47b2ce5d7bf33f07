// Velocities against the rates of positions, without differentiating noise: over m samples a joint goes as far as the integral
// of its velocity,
//   x_k = q(k + m) − q(k),   y_k = h Σ (dq(k + i) + dq(k + i + 1)) / 2.
// The ratio of both tells units, their sign the sign, the shift at which they resemble each other best the lag, and the joint
// whose x resembles y best whose column it is. Noise makes a share of 2 σ_q² / x² + m h² σ_v² / y² of them unlike.
#include <algorithm>
#include <cmath>

#include "tests.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double degree = 0.017453292519943295;
constexpr double alike = 0.05;         // share of y² that x need not explain
constexpr double scale_allowed = 0.1;  // of the logarithm of a ratio: gauges and rounded steps
constexpr long longest_lag = 30;       // samples

Series ways(const Series& q, std::size_t m) {
  Series x(q.size(), std::nan(""));
  for (std::size_t k = 0; k + m < q.size(); ++k) x[k] = q[k + m] - q[k];
  return x;
}

Series integrals(const Series& v, std::size_t m) {
  Series y(v.size(), std::nan(""));
  for (std::size_t k = 0; k + m < v.size(); ++k) {
    double sum = 0.5 * (v[k] + v[k + m]);
    for (std::size_t i = 1; i < m; ++i) sum += v[k + i];
    y[k] = sum;
  }
  return y;
}

struct Joint1 {
  const SingleJoint* joint = nullptr;
  Series *q = nullptr, *v = nullptr;
  Series x, y;  // y by samples: h = 1
  bool moves = false, has_velocity = false;
  double noise = 0;     // share of x² and y² that noise makes unlike
  std::size_t m = 1;    // samples that a way is over
  long lag = 0;         // of y behind x, at which they are most alike
  Pairing here, best;   // at lag 0 and at `lag`
  int source = -1;      // the other joint whose rate the column holds
  bool turned = false;  // with the other sign
};

std::size_t interval(Examination& x) {
  struct Moving {
    const Series* q;
    double noise;
  };
  std::vector<Moving> all;
  for (const SingleJoint& joint : x.joints)
    if (const Series* const q = x.column("q." + joint.name); q && deviation_of(*q) > 0)
      if (const double noise = 1.5 * noise_of(*q); rms_of(ways(*q, 64)) > 8 * noise) all.push_back({q, noise});
  for (std::size_t m : {4u, 8u, 16u, 32u, 64u}) {
    const auto clear = static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [m](const Moving& moving) { return rms_of(ways(*moving.q, m)) > 25 * moving.noise; }));
    if (clear * 5 >= all.size() * 4) return m;
  }
  return 128;
}

void compare(Joint1& j, std::size_t m) {
  j.m = m;
  j.x = ways(*j.q, m);
  const double noise_q = 1.5 * noise_of(*j.q), size = rms_of(j.x);
  j.moves = size > 6 * noise_q && size > 1e-9 && count_of(j.x) > 50;
  if (!j.v) return;
  j.y = integrals(*j.v, m);
  const double size_y = rms_of(j.y), noise_y = noise_of(*j.v) * std::sqrt(static_cast<double>(m));
  j.has_velocity = size_y > 6 * noise_y && size_y > 0;
  j.noise = (size > 0 ? noise_q * noise_q / (size * size) : 0) + (size_y > 0 ? noise_y * noise_y / (size_y * size_y) : 0);
  if (!j.moves || !j.has_velocity) return;
  j.best = j.here = pair_up(j.x, j.y);
  for (long lag = 1; lag <= longest_lag; ++lag)
    for (long l : {lag, -lag})
      if (const Pairing p = pair_up(j.x, j.y, l); p.unexplained() < j.best.unexplained()) j.best = p, j.lag = l;
}

std::vector<Joint1> compared(Examination& x) {
  const std::size_t m = interval(x);
  std::vector<Joint1> all;
  for (const SingleJoint& joint : x.joints) {
    Joint1 j;
    j.joint = &joint, j.q = x.column("q." + joint.name), j.v = x.column("dq." + joint.name);
    if (!j.q) continue;
    compare(j, m);
    all.push_back(std::move(j));
  }
  return all;
}

bool resembles(const Joint1& j, const Pairing& p) { return p.unexplained() < alike + 3 * j.noise && p.count > 50; }

/// The joint whose way this velocity resembles by far better than its own joint's.
void find_source(std::vector<Joint1>& all, std::size_t at, double step) {
  Joint1& j = all[at];
  const double own = j.moves ? j.best.unexplained() : 1;
  double least = 0.02 + 3 * j.noise;
  if (own < std::max(least, alike)) return;
  least = std::min(least, 0.1 * own);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k == at || !all[k].moves) continue;
    const Pairing p = pair_up(all[k].x, j.y);
    if (std::abs(std::log(p.ratio() * step)) > 0.3 || p.unexplained() >= least) continue;
    least = p.unexplained(), j.source = static_cast<int>(k), j.turned = p.xy < 0;
  }
}

void tell_of_velocity_sign(Examination& x, const std::string& name, const Pairing& p) {
  x.add(FindingKind::velocity_sign, Severity::harm, {name},
        name + " correlates with the rate of its position by " + shown(p.correlation()),
        "velocities counted the other way round than positions (or positions the other way round)",
        "change the sign of one of both");
}

void tell_of_other_joints(Examination& x, std::vector<Joint1>& all) {
  std::vector<std::string> columns;
  std::string evidence;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].has_velocity) find_source(all, k, x.step);
  for (Joint1& j : all) {
    if (j.source < 0) continue;
    const Joint1& other = all[static_cast<std::size_t>(j.source)];
    columns.push_back("dq." + j.joint->name);
    evidence += (evidence.empty() ? "" : "; ") + ("dq." + j.joint->name) + " is the rate of q." + other.joint->name + " (" +
                shown(100 * pair_up(other.x, j.y).unexplained()) + " % of it unlike, of q." + j.joint->name + "'s rate " +
                shown(100 * (j.moves ? j.best.unexplained() : 1)) + " %)";
  }
  if (columns.empty()) return;
  std::vector<Series> own;
  for (const Joint1& j : all) own.push_back(j.v ? *j.v : Series());
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].source >= 0) {
      Series* const right = all[static_cast<std::size_t>(all[k].source)].v;
      if (right && all[static_cast<std::size_t>(all[k].source)].source >= 0) {
        *right = own[k];
        if (all[k].turned)
          for (double& v : *right) v = -v;
      }
      all[k].has_velocity = false;
    }
  x.add(FindingKind::velocity_of_other_joint, Severity::harm, columns, evidence,
        "columns in another order than the header says (or those of the positions are)",
        "put the joints' columns in the right order");
  for (const Joint1& j : all)
    if (j.source >= 0 && j.turned)
      tell_of_velocity_sign(x, "dq." + j.joint->name, pair_up(all[static_cast<std::size_t>(j.source)].x, j.y));
}

std::string known_ratio(const SingleJoint& joint, double ratio) {
  struct Known {
    double ratio;
    bool angle;
    const char* words;
  };
  static const Known known[] = {{1 / degree, true, "velocities in degrees a second"},
                                {60 / 6.283185307179586, true, "velocities in turns a minute"},
                                {1 / 6.283185307179586, true, "velocities in turns a second"},
                                {1000, true, "velocities in mrad/s"},
                                {1000, false, "velocities in mm/s"},
                                {1e-3, false, "positions in mm"}};
  for (const Known& unit : known)
    if (unit.angle == joint.angle && std::abs(std::log(ratio / unit.ratio)) < 0.05) return unit.words;
  return "velocities before the gear, or in another unit";
}

void test_velocity(Examination& x, Joint1& j) {
  const std::string name = "dq." + j.joint->name;
  if (!resembles(j, j.best))
    return x.unjudged({name}, "neither its own joint's rate nor another one's, as far as noise lets tell");
  double ratio = j.best.ratio() * x.step;
  if (j.best.xy < 0) {
    tell_of_velocity_sign(x, name, j.best);
    for (double& v : *j.v) v = -v;
  }
  const double deviation = std::sqrt(j.best.unexplained() / std::max(1.0, 0.02 * static_cast<double>(j.best.count)));
  if (std::abs(std::log(ratio)) > std::max(scale_allowed, 5 * deviation)) {
    x.add(FindingKind::velocity_scale, Severity::harm, {name}, name + " is " + shown(ratio) + " times the rate of its position",
          known_ratio(*j.joint, ratio), "multiply by " + shown(1 / ratio));
    for (double& v : *j.v) v /= ratio;
  }
  // Between samples: the minimum of a parabola through the three best lags.
  if (j.lag == 0 || std::abs(j.lag) == longest_lag) return;
  const double before = pair_up(j.x, j.y, j.lag - 1).unexplained(), after = pair_up(j.x, j.y, j.lag + 1).unexplained();
  const double bend = before - 2 * j.best.unexplained() + after;
  const double lag = static_cast<double>(j.lag) + (bend > 0 ? 0.5 * (before - after) / bend : 0);
  const double gain = j.here.unexplained() / std::max(j.best.unexplained(), 1e-12);
  const double certain =
      static_cast<double>(j.best.count) / static_cast<double>(2 * j.m) * std::log(gain);  // log likelihood; ways overlap
  if (std::abs(lag) < 0.75 || gain < 1.25 || certain < 9 || j.here.unexplained() < 2 * j.noise) return;
  x.add(
      FindingKind::velocity_lag, Severity::doubt, {name},
      name + " is " + shown(std::abs(lag)) + " samples (" + shown(std::abs(lag) * x.step) + " s) " +
          (lag > 0 ? "behind" : "ahead of") + " the rate of its position",
      lag > 0 ? "a filter, or a reading that is a few cycles old" : "positions that are filtered or older than the velocities",
      "shift the column, or derive velocities from the positions (`differentiate`)");
  Series shifted(j.v->size(), std::nan(""));
  for (std::size_t i = 0; i < shifted.size(); ++i) {
    const long from = static_cast<long>(i) + j.lag;
    if (from >= 0 && from < static_cast<long>(shifted.size())) shifted[i] = (*j.v)[static_cast<std::size_t>(from)];
  }
  *j.v = shifted;
}

void test_still(Examination& x, Joint1& j) {
  if (j.moves == j.has_velocity || !j.v) return;
  const bool position = j.has_velocity;  // the one that moves not
  const Series& still = position ? *j.q : *j.v;
  if (deviation_of(still) > 0 || count_of(still) < 50) return;
  const std::string name = (position ? "q." : "dq.") + j.joint->name;
  x.add(FindingKind::stuck, Severity::harm, {name},
        name + " has one value throughout, " + shown(median_of(still)) + ", while " + (position ? "dq." : "q.") +
            j.joint->name + " moves",
        "a column that nobody fills", "take it from elsewhere, or leave it out");
}

}  // namespace

void test_motion(Examination& x) {
  std::vector<Joint1> all = compared(x);
  std::vector<double> ratios;
  for (const Joint1& j : all)
    if (j.moves && j.has_velocity && resembles(j, j.best)) ratios.push_back(j.best.ratio() * x.step);
  test_time_unit(x, ratios);
  std::vector<double> of_joint(static_cast<std::size_t>(x.model.nv), std::nan(""));
  for (const Joint1& j : all)
    if (x.timed && j.moves && j.has_velocity && resembles(j, j.best))
      of_joint[static_cast<std::size_t>(j.joint->v)] = j.best.ratio() * x.step;
  if (test_angles(x, of_joint)) all = compared(x);
  if (!x.timed) return;
  tell_of_other_joints(x, all);
  for (Joint1& j : all) {
    if (j.source < 0) test_still(x, j);
    if (j.moves && j.has_velocity && j.source < 0) test_velocity(x, j);
    if (!j.moves && j.v && j.source < 0) x.unjudged({"dq." + j.joint->name}, "joints at rest");
  }
}

}  // namespace sparsedyn::inspection
