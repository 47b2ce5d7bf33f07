// sd.ik, behind _kinematics.py.
#include "sparsedyn/kinematics/inverse_kinematics.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "algorithm.hpp"
#include "errors.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn::python {
namespace {

/// How a target is written.
enum class Form { pose, matrix, position, orientation };

/// What a call asks for beside the poses.
struct Search {
  std::shared_ptr<const Model> model;
  std::vector<std::string> links;
  std::vector<Form> forms;  // by link
  InverseKinematicsOptions options;
  bool near = false;  // an input behind the poses
  bool path = false;  // each sample starts where the one before it ended
  bool best = false;  // what is not reached is answered, too
};

/// Numbers of a target.
int size_of(Form form) { return form == Form::pose ? 7 : form == Form::matrix ? 16 : form == Form::position ? 3 : 4; }
Core core_of(Form form) { return form == Form::matrix ? Core{2, {4, 4, 0}} : Core{1, {size_of(form), 0, 0}}; }

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
  bool read(const double* x, std::size_t t) {
    const Form form = search_.forms[t];
    for (int k = 0; k < size_of(form); ++k)
      if (!std::isfinite(x[k])) return refuse(t, "[" + std::to_string(k) + "] is not finite");
    poses_[t] = {identity3<double>(), zero3<double>()};
    if (form == Form::matrix) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) poses_[t].R(r, c) = x[4 * r + c];
        poses_[t].d[r] = x[4 * r + 3];
      }
      return is_rotation(poses_[t].R) || refuse(t, ": its rotation is none");
    }
    if (form != Form::orientation) {
      poses_[t].d = {{x[0], x[1], x[2]}};
      x += 3;
    }
    if (form == Form::position) return true;
    double u[4];
    std::copy_n(x, 4, u);  // of any length but zero
    if (!normalise_quaternion(u)) return refuse(t, ": a quaternion is zero");
    poses_[t].R = rotation_from_quaternion(u);
    return true;
  }

  bool refuse(std::size_t t, const std::string& why) {
    why_ = "targets[" + search_.links[t] + "]" + why;
    return false;
  }

  /// Orthonormal to what single precision keeps, and no reflection.
  static bool is_rotation(const Mat3<double>& R) {
    const Vec3<double> x{{R(0, 0), R(1, 0), R(2, 0)}}, y{{R(0, 1), R(1, 1), R(2, 1)}}, z{{R(0, 2), R(1, 2), R(2, 2)}};
    constexpr double near = 1e-6;
    const Vec3<double> off = cross(x, y) - z;
    return std::fabs(dot(x, x) - 1) < near && std::fabs(dot(y, y) - 1) < near && std::fabs(dot(x, y)) < near &&
           dot(off, off) < near * near;
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

/// Of a target: its link, how it is written, its numbers, what its position and its orientation count.
using Target = std::tuple<std::string, std::string, nb::object, double, double>;

Form form_named(const std::string& name) {
  return name == "matrix"        ? Form::matrix
         : name == "position"    ? Form::position
         : name == "orientation" ? Form::orientation
                                 : Form::pose;
}

nb::object ik(const RobotModel& robot, const std::vector<Target>& targets, nb::handle near, bool path, bool best,
              double tolerance, int restarts, int iterations, unsigned seed, nb::handle out, int threads, nb::handle on_error) {
  RunOptions options = run_options(threads, on_error);
  options.grain = 1;  // a posture that cannot be reached takes thousands of steps
  Search search;
  search.model = robot.shared();
  search.near = !near.is_none(), search.path = path, search.best = best;
  search.options.tolerance = tolerance, search.options.restarts = restarts, search.options.iterations = iterations;
  search.options.seed = seed, search.options.nearest = search.near && !path;
  if (path && threads != 1) throw nb::value_error("threads: expected 1 along a path, whose postures follow each other");
  std::vector<nb::object> poses;
  for (const auto& [link, form, numbers, position, orientation] : targets) {
    search.links.push_back(link), search.forms.push_back(form_named(form));
    search.options.weights.push_back({position, orientation});
    robot.link(link);  // near names where it has none
    poses.push_back(numbers);
  }
  Rows rows;
  const std::size_t count = poses.size();
  rows.inputs.reserve(count + 1), rows.input_specs.reserve(count + 1);
  for (std::size_t t = 0; t < count; ++t) {
    rows.input_specs.push_back({"targets", core_of(search.forms[t]), search.links[t].c_str()});
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
  m.def("_ik", &ik, nb::arg("robot"), nb::arg("targets"), nb::arg("near").none(), nb::arg("path"), nb::arg("best"),
        nb::arg("tolerance"), nb::arg("restarts"), nb::arg("iterations"), nb::arg("seed"), nb::arg("out").none(),
        nb::arg("threads"), nb::arg("on_error"),
        nb::sig(
            "def _ik(robot: Model, targets: Sequence[tuple[str, str, ArrayLike, float, float]], near: ArrayLike | None, path: "
            "bool, best: bool, tolerance: float, restarts: int, iterations: int, seed: int, out: "
            "tuple[NDArray[numpy.float64], ...] | None, threads: int, on_error: str) -> Any"));
}

}  // namespace sparsedyn::python
