// The regressor beside Pinocchio's computeJointTorqueRegressor, and with what least squares sums up of it, Yᵀ W Y.
//   bench_regressor ROBOT.urdf[:fixed]...
// Y of inertial parameters alone: Pinocchio has no other. The sum of the base parameters' columns holds as much as the whole
// one: the other columns are fixed combinations of these. Programs are compiled by $CC with $CFLAGS. Processor time, the least
// of many rounds, all in turn on the same states.
#include "sparsedyn/dynamics/regressor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <numeric>
#include <pinocchio/algorithm/regressor.hpp>

#include "codegen/programs/normal_equations.hpp"
#include "contender.hpp"
#include "pinocchio_model.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace peers {
namespace {

constexpr int sample_count = 64, rounds = 41, together = 16;

using Matrix = Eigen::MatrixXd;

/// Columns of inertial parameters.
std::vector<int> inertial(const sparsedyn::Model& model) {
  std::vector<int> all(10 * model.joints.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Element e of sample k at [e * together + k]; w: the same weights for each.
struct SideBySide {
  SideBySide(const State* samples, const std::vector<double>& weights) {
    const auto fill = [&](std::vector<double>& x, auto&& of) {
      const std::size_t n = of(0).size();
      x.resize(n * together);
      for (std::size_t e = 0; e < n; ++e)
        for (std::size_t k = 0; k < together; ++k) x[e * together + k] = of(k)[e];
    };
    fill(q, [&](std::size_t k) { return samples[k].q; });
    fill(v, [&](std::size_t k) { return samples[k].v; });
    fill(a, [&](std::size_t k) { return samples[k].a; });
    fill(w, [&](std::size_t) { return weights; });
  }
  std::vector<double> q, v, a, w;
};

/// The generated program of some columns, with its normal equations.
struct Generated {
  Generated(const sparsedyn::Model& model, const std::vector<int>& columns)
      : program(of_columns(model, columns)), index(model), Y(together * entries()) {
    const sparsedyn::NormalEquations text = normal_equations(program, index, model.nv, "r");
    flops = program.counts().flops(), sum_flops = text.flops;
    std::vector<sparsedyn::CodeFile> files = sparsedyn::emit_files({program, nullptr}, "c", "r", {});
    sparsedyn::add(text, files);
    code = std::make_unique<sparsedyn::CompiledProgram>(
        sparsedyn::CProgram{files.at(0).text, files.at(1).text, files.at(2).text}, "r");
    normal = reinterpret_cast<decltype(normal)>(code->symbol("r_normal_batch"));
    matrix = reinterpret_cast<decltype(matrix)>(code->symbol("r_normal_matrix"));
  }
  static sparsedyn::Program of_columns(const sparsedyn::Model& model, const std::vector<int>& columns) {
    const sparsedyn::Program all = algorithm_program(model, "regressor");
    std::vector<std::string> names;
    for (const std::string& name : all.outputs().at(0).elements)
      if (std::count(columns.begin(), columns.end(), std::stoi(name.substr(name.find('.', 2) + 1)))) names.push_back(name);
    return all.only(names);
  }
  std::size_t entries() const { return program.outputs().at(0).elements.size(); }
  void run(const State& s) {
    const double* arg[] = {s.q.data(), s.v.data(), s.a.data()};
    double* res[] = {Y.data()};
    code->call(arg, res);
  }
  /// sum += Yᵀ W Y of some samples side by side.
  void add(const SideBySide& s, std::vector<double>& sum) {
    const double* arg[] = {s.q.data(), s.v.data(), s.a.data()};
    double* res[] = {Y.data()};
    code->batch(arg, res, together);
    normal(Y.data(), nullptr, s.w.data(), together, sum.data(), nullptr);
  }

  sparsedyn::Program program;
  sparsedyn::ParameterIndex index;
  std::vector<double> Y;
  long flops = 0, sum_flops = 0;
  std::unique_ptr<sparsedyn::CompiledProgram> code;
  void (*matrix)(const double*, double*) = nullptr;
  void (*normal)(const double*, const double*, const double*, long, double*, double*) = nullptr;
};

double least_nanoseconds(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }

/// ns a state of each, in turn.
std::vector<double> raced(const std::vector<std::function<void(int)>>& runners) {
  std::vector<std::vector<double>> times(runners.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t r = 0; r < runners.size(); ++r) {
      const std::clock_t start = std::clock();
      for (int s = 0; s < sample_count; ++s) runners[r](s);
      times[r].push_back(1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / sample_count);
    }
  std::vector<double> best;
  for (const auto& x : times) best.push_back(least_nanoseconds(x));
  return best;
}

void race(std::string path) {
  const bool fixed = path.size() > 6 && path.substr(path.size() - 6) == ":fixed";
  if (fixed) path.resize(path.size() - 6);
  sparsedyn::LoadOptions options;
  options.floating = !fixed, options.snap = 0;
  const sparsedyn::Model model = sparsedyn::load_urdf(path, options);
  const std::vector<State> states = random_states(model, sample_count, 1);
  const PinocchioModel peer(path, model);
  pinocchio::Data data(peer.model);
  std::vector<Eigen::VectorXd> q, v, a;
  for (const State& s : states)
    q.push_back(peer.coordinates(model, s.q)), v.push_back(peer.permuted(s.v)), a.push_back(peer.permuted(s.a));
  sparsedyn::RegressorWorkspace<double> work(model);
  const int count = work.index.count, columns = 10 * static_cast<int>(model.joints.size());
  std::vector<double> Y(static_cast<std::size_t>(model.nv * count));
  Generated generated(model, inertial(model));
  const std::vector<int> base = base_parameters(model, inertial(model)).independent;
  Generated of_base(model, base);
  const Eigen::VectorXd w = Eigen::VectorXd::LinSpaced(model.nv, 0.5, 2);
  Matrix A = Matrix::Zero(columns, columns), WY;
  std::vector<double> ours(static_cast<std::size_t>(count) * static_cast<std::size_t>(count), 0.0), own_w(w.size());
  std::vector<double> ours_base(ours);
  for (int i = 0; i < model.nv; ++i) own_w[static_cast<std::size_t>(i)] = w[peer.theirs[static_cast<std::size_t>(i)]];

  std::vector<SideBySide> beside;
  for (int s = 0; s < sample_count; s += together) beside.emplace_back(&states[static_cast<std::size_t>(s)], own_w);

  const auto theirs = [&](int s) { pinocchio::computeJointTorqueRegressor(peer.model, data, q[s], v[s], a[s]); };
  const auto by_template = [&](int s) {
    sparsedyn::regressor(model, work, states[s].q.data(), states[s].v.data(), states[s].a.data(), Y.data());
  };
  const std::vector<double> ns = raced({theirs, by_template, [&](int s) { generated.run(states[s]); },
                                        [&](int s) {
                                          theirs(s);
                                          WY.noalias() = w.asDiagonal() * data.jointTorqueRegressor;
                                          A.noalias() += data.jointTorqueRegressor.transpose() * WY;
                                        },
                                        [&](int s) {
                                          theirs(s);
                                          WY.noalias() = w.cwiseSqrt().asDiagonal() * data.jointTorqueRegressor;
                                          A.selfadjointView<Eigen::Upper>().rankUpdate(WY.transpose());
                                        },
                                        [&](int s) {
                                          if (s % together == 0) generated.add(beside[s / together], ours);
                                        },
                                        [&](int s) {
                                          if (s % together == 0) of_base.add(beside[s / together], ours_base);
                                        }});
  // Agreement: Y of template and program, and A.
  double worst = 0, worst_program = 0, worst_normal = 0;
  Matrix sum = Matrix::Zero(columns, columns);
  std::fill(ours.begin(), ours.end(), 0.0), std::fill(ours_base.begin(), ours_base.end(), 0.0);
  for (int s = 0; s < sample_count; ++s) {
    theirs(s), by_template(s);
    if (s % together == 0) generated.add(beside[s / together], ours), of_base.add(beside[s / together], ours_base);
    generated.run(states[s]);
    Matrix whole(model.nv, columns), program = Matrix::Zero(model.nv, columns);
    for (int i = 0; i < model.nv; ++i)
      for (int c = 0; c < columns; ++c)
        whole(i, c) = data.jointTorqueRegressor(peer.theirs[i], 10 * static_cast<int>(peer.joints[c / 10] - 1) + c % 10);
    for (std::size_t e = 0; e < generated.entries(); ++e) {
      const std::string& name = generated.program.outputs()[0].elements[e];
      program(std::stoi(name.substr(2)), std::stoi(name.substr(name.find('.', 2) + 1))) = generated.Y[e];
    }
    Matrix weighted = whole;
    for (int i = 0; i < model.nv; ++i) weighted.row(i) *= own_w[static_cast<std::size_t>(i)];
    sum += whole.transpose() * weighted;
    const double scale = std::max(1.0, whole.cwiseAbs().maxCoeff());
    for (int i = 0; i < model.nv; ++i)
      for (int c = 0; c < columns; ++c) {
        worst = std::max(worst, std::abs(Y[static_cast<std::size_t>(i * count + c)] - whole(i, c)) / scale);
        worst_program = std::max(worst_program, std::abs(program(i, c) - whole(i, c)) / scale);
      }
  }
  std::vector<double> whole_sum(ours.size()), base_sum(ours.size());
  generated.matrix(ours.data(), whole_sum.data());
  of_base.matrix(ours_base.data(), base_sum.data());
  for (int r : base)
    for (int c : base)
      worst_normal = std::max(worst_normal, std::abs(base_sum[static_cast<std::size_t>(r * count + c)] - sum(r, c)));
  for (int r = 0; r < columns; ++r)
    for (int c = 0; c < columns; ++c)
      worst_normal = std::max(worst_normal, std::abs(whole_sum[static_cast<std::size_t>(r * count + c)] - sum(r, c)));
  std::printf("\n%s, %s: nv %d, %d columns, %zu entries; Y %ld flops, Y'WY %ld\n",
              std::filesystem::path(path).stem().string().c_str(), fixed ? "fixed" : "floating", model.nv, columns,
              generated.entries(), generated.flops, generated.sum_flops);
  std::printf("  apart from Pinocchio: template %.1e, program %.1e, Y'WY %.1e\n", worst, worst_program,
              worst_normal / sum.cwiseAbs().maxCoeff());
  std::printf("  Y:            Pinocchio %8.0f ns   template %8.0f (x %.3f)   program %8.0f (x %.3f)\n", ns[0], ns[1],
              ns[1] / ns[0], ns[2], ns[2] / ns[0]);
  std::printf("  Y and Y'WY:   Pinocchio %8.0f ns, half of it by rankUpdate %8.0f   program %8.0f (x %.3f, x %.3f)\n", ns[3],
              ns[4], ns[5], ns[5] / ns[3], ns[5] / ns[4]);
  std::printf("  of the %zu base columns: Y %ld flops, Y'WY %ld; %8.0f ns (x %.3f, x %.3f)\n", base.size(), of_base.flops,
              of_base.sum_flops, ns[6], ns[6] / ns[3], ns[6] / ns[4]);
}

}  // namespace
}  // namespace peers

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: bench_regressor ROBOT.urdf[:fixed]...\n");
    return 2;
  }
  for (int i = 1; i < count; ++i) peers::race(arguments[i]);
}
