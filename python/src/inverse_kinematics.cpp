// sd.ik
#include "sparsedyn/kinematics/inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "algorithm.hpp"
#include "errors.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn::python {
namespace {

/// What a call asks for beside the poses.
struct Search {
  std::shared_ptr<const Model> model;
  std::vector<std::string> links;
  InverseKinematicsOptions options;
  bool near = false;  // an input behind the poses
  bool path = false;  // each sample starts where the one before it ended
  bool best = false;  // what is not reached is answered, too
};

class PostureWorker : public SampleWorker {
 public:
  explicit PostureWorker(const Search& search)
      : search_(search),
        ik_(*search.model, search.links, search.options),
        poses_(search.links.size()),
        near_(static_cast<std::size_t>(search.model->nq)) {}

  bool evaluate(const double* const* in, double* const* out) override {
    for (std::size_t t = 0; t < poses_.size(); ++t)
      if (!read(in[t], t)) return false;
    const double* near = search_.path && started_ ? near_.data() : nullptr;
    if (search_.near && !near) {
      std::copy_n(in[poses_.size()], near_.size(), near_.data());
      if (!normalise(*search_.model, near_.data())) {
        why_ = "near: a quaternion is zero";
        return false;
      }
      near = near_.data();
    }
    const InverseKinematicsStatus status = ik_.solve(poses_.data(), near, out[0]);
    *out[1] = status.residual;
    if (!status.finite) {
      why_ = "a pose or position is not finite";
      return false;
    }
    if (search_.path) std::copy_n(out[0], near_.size(), near_.data());
    started_ = true;
    if (status.reached || search_.best) return true;
    char residual[32];
    std::snprintf(residual, sizeof residual, "%.3g", status.residual);
    why_ = "not reached: the best posture found leaves a residual of " + std::string(residual) + " (m, rad)";
    return false;
  }
  std::string why() override { return why_; }

 private:
  /// x y z, then a quaternion of any length but zero.
  bool read(const double* x, std::size_t t) {
    double u[4];
    std::copy_n(x + 3, 4, u);
    for (int k = 0; k < 7; ++k)
      if (!std::isfinite(x[k])) {
        why_ = "targets[" + search_.links[t] + "][" + std::to_string(k) + "] is not finite";
        return false;
      }
    if (!normalise_quaternion(u)) {
      why_ = "targets[" + search_.links[t] + "]: a quaternion is zero";
      return false;
    }
    poses_[t] = {rotation_from_quaternion(u), {{x[0], x[1], x[2]}}};
    return true;
  }

  const Search& search_;
  InverseKinematics ik_;
  std::vector<Pose<double>> poses_;
  std::vector<double> near_;
  bool started_ = false;
  std::string why_;
};

class Postures : public WorkerSource {
 public:
  explicit Postures(const Search& search) : search_(search) {}
  std::unique_ptr<Worker> take() override { return std::make_unique<PostureWorker>(search_); }
  void give_back(std::unique_ptr<Worker>) override {}

 private:
  const Search& search_;
};

nb::object ik(const RobotModel& robot, const nb::dict& targets, nb::handle near, bool path, bool best, double tolerance,
              int restarts, int iterations, unsigned seed, nb::handle out, int threads, nb::handle on_error) {
  RunOptions options = run_options(threads, on_error);
  options.grain = 1;  // a posture that cannot be reached takes thousands of steps
  Search search;
  search.model = robot.shared();
  search.near = !near.is_none(), search.path = path, search.best = best;
  search.options.tolerance = tolerance, search.options.restarts = restarts, search.options.iterations = iterations;
  search.options.seed = seed, search.options.nearest = search.near && !path;
  if (path && threads != 1) throw nb::value_error("threads: expected 1 along a path, whose postures follow each other");
  std::vector<nb::object> poses;
  for (const auto& [link, pose] : targets) {
    search.links.push_back(nb::cast<std::string>(link));
    robot.link(search.links.back());  // near names where it has none
    poses.push_back(nb::borrow(pose));
  }
  Rows rows;
  const std::size_t count = poses.size();
  rows.inputs.reserve(count + 1), rows.input_specs.reserve(count + 1);
  for (std::size_t t = 0; t < count; ++t) {
    rows.input_specs.push_back({"targets", {1, {7, 0, 0}}, search.links[t].c_str()});
    rows.inputs.emplace_back(poses[t], rows.input_specs.back());
  }
  if (search.near) {
    rows.input_specs.push_back({"near", {1, {search.model->nq, 0, 0}}});
    rows.inputs.emplace_back(near, rows.input_specs.back());
  }
  const InverseKinematics judged(*search.model, search.links, search.options);  // throws here for what no sample can mend
  rows.broadcast_inputs();
  rows.output_specs = {{"q", {1, {search.model->nq, 0, 0}}}, {"residual", {0, {}}}};
  rows.make_outputs(out);
  Postures source(search);
  const std::vector<Failure> failures = run(rows, source, options);
  return answer(rows, failures, options, result_type("InverseKinematics"), !out.is_none());
}

}  // namespace

void bind_inverse_kinematics(nb::module_& m) {
  m.def("ik", &ik, nb::arg("robot"), nb::arg("targets"), nb::arg("near") = nb::none(), nb::kw_only(), nb::arg("path") = false,
        nb::arg("best") = false, nb::arg("tolerance") = 1e-8, nb::arg("restarts") = 100, nb::arg("iterations") = 100,
        nb::arg("seed") = 1, nb::arg("out") = nb::none(), nb::arg("threads") = 1, nb::arg("on_error") = "raise",
        nb::sig("def ik(robot: Model, targets: Mapping[str, ArrayLike], near: ArrayLike | None = None, *, path: bool = False, "
                "best: bool = False, tolerance: float = 1e-08, restarts: int = 100, iterations: int = 100, seed: int = 1, "
                "out: tuple[NDArray[numpy.float64], ...] | None = None, threads: int = 1, on_error: str = 'raise') -> Any"),
        R"(Inverse kinematics: the named tuple (q, residual), positions within the limits at which links have given poses.

targets: {link: (..., 7)}, x y z and quaternion x y z w in the world, as `pose` gives -> q (..., nq); residual (...,), the root
of the sum of |Δp|² + angle² over the targets, m and rad. near (..., nq): the first start; of the postures that reach the poses
the nearest one around it is given. Without it the search begins in the middle of the limits.
path=True: samples follow each other, each starts where the one before it ended.
A pose that is not reached within `tolerance` is a failed sample; with best=True the best posture found is its answer, and
`residual` says how far off it is.
`restarts`: random postures tried after the first start, the same for each seed; `iterations`: steps from each.
Raises ValueError for links that cannot move or stand twice. out is a tuple of two arrays; threads and on_error as in rnea.
Cost: an arm's pose about 40 µs, a humanoid's hands and feet under a millisecond; what cannot be reached, restarts times that.)");
}

}  // namespace sparsedyn::python
