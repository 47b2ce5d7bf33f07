// Inverse kinematics: how often poses that can be reached are, and how long a call takes.
//   bench_inverse_kinematics ROBOT.urdf LINK[,LINK…] [POSES] [--floating] [--nearest]
// Poses are those of postures drawn uniformly within the limits; the search starts at other such postures, and what it finds
// is held against forward kinematics and the limits.
#include "sparsedyn/kinematics/inverse_kinematics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "model/samples.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

/// Uniform within the limits, within ±π or ±1 m where there are none.
void draw(const Model& model, const InverseKinematics& ik, std::mt19937& rng, double* q) {
  uniform_sample(model, rng, q);
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1) continue;
    const auto i = static_cast<std::size_t>(joint.v);
    if (std::isfinite(ik.lower()[i]) && std::isfinite(ik.upper()[i]))
      q[joint.q] = std::uniform_real_distribution<double>(ik.lower()[i], ik.upper()[i])(rng);
  }
}

double quantile(std::vector<double> sorted, double share) {
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

bool within(const Model& model, const InverseKinematics& ik, const std::vector<double>& q) {
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1) continue;
    const auto i = static_cast<std::size_t>(joint.v);
    const double x = q[static_cast<std::size_t>(joint.q)];
    if (x < ik.lower()[i] || x > ik.upper()[i]) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  LoadOptions load;
  InverseKinematicsOptions options;
  options.nearest = false;
  int poses = 10000;
  for (int k = 3; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--floating")
      load.floating = true;
    else if (word == "--nearest")
      options.nearest = true;
    else
      poses = std::atoi(argv[k]);
  }
  if (argc < 3 || poses < 1) {
    std::fprintf(stderr, "bench_inverse_kinematics ROBOT.urdf LINK[,LINK...] [POSES] [--floating] [--nearest]\n");
    return 2;
  }
  const Model model = load_urdf(argv[1], load);
  const std::vector<std::string> links = split(argv[2]);
  InverseKinematics ik(model, links, options);
  Workspace<double> work(model);
  std::mt19937 rng(7);
  const auto n = static_cast<std::size_t>(model.nq);
  std::vector<double> truth(n), start(n), q(n), time;
  std::vector<Pose<double>> targets(links.size());
  int reached = 0, first = 0;
  double steps = 0, worst = 0;
  for (int k = 0; k < poses; ++k) {
    draw(model, ik, rng, truth.data()), draw(model, ik, rng, start.data());
    forward_kinematics<double>(model, work, truth.data(), nullptr, nullptr);
    for (std::size_t t = 0; t < links.size(); ++t) targets[t] = link_pose(model, work, model.find_link(links[t]));
    const auto before = std::chrono::steady_clock::now();
    const InverseKinematicsStatus status = ik.solve(targets.data(), start.data(), q.data());
    time.push_back(1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    steps += status.iterations;
    if (!status.ok() || !within(model, ik, q)) continue;
    ++reached, first += status.restarts == 0;
    worst = std::max(worst, ik.residual(targets.data(), q.data()));
  }
  std::printf("%s: %d of %d reached (%.2f %%), %.1f %% from the first start; worst residual %.1e; %.0f steps a call\n",
              model.name.c_str(), reached, poses, 100.0 * reached / poses, 100.0 * first / poses, worst, steps / poses);
  std::printf("time: median %.1f us, 90 %% %.1f us, 99 %% %.1f us, largest %.1f us\n", quantile(time, 0.5), quantile(time, 0.9),
              quantile(time, 0.99), quantile(time, 1));
  return reached == poses ? 0 : 1;
}
