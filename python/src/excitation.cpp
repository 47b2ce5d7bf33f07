// What sd.excite is made of.
#include <algorithm>
#include <cmath>
#include <memory>

#include "algorithm.hpp"
#include "errors.hpp"
#include "identification/logs/fitted_parameters.hpp"
#include "interruptible.hpp"
#include "io/suggestions.hpp"
#include "model/joint_range.hpp"
#include "sparsedyn/identification/excite.hpp"

namespace sparsedyn::python {
namespace {

void require_single_joints(const Model& model) {
  if (model.nv == 0) throw nb::value_error("excite: no joint that moves");
  for (const Joint& joint : model.tree().joints)
    if (joint.nv != 1)
      throw nb::value_error(
          ("excite: joint " + joint.name + ": several freedoms; expected joints with one, on a fixed base").c_str());
}

/// Joints to which limits leave one position stand still.
void warn_of_held(const Model& model) {
  const std::vector<std::string> names = held_by_limits(model);
  if (!names.empty())
    warn("excite: lower = upper in the limits, so that these joints stand still, as if locked: " +
         listing(names, names.size()));
}

/// q, v and a of each row, side by side.
OutputArray rows_of(const FourierMotion& motion, npy_intp rows, double rate, int n) {
  BatchShape shape;
  shape.rank = 1, shape.size[0] = rows;
  OutputArray states(shape, {"states", {1, {3 * n, 0, 0}}});
  for (npy_intp k = 0; k < rows; ++k) {
    double* q = states.data() + k * 3 * n;
    motion.evaluate(static_cast<double>(k) / rate, q, q + n, q + 2 * n);
  }
  return states;
}

/// A Python callable (q (nq,)) -> whether the robot may stand so, which any thread may ask and drop.
using Judge = std::shared_ptr<nb::object>;

Judge judge_of(nb::handle allowed) {
  if (allowed.is_none()) return nullptr;
  return {new nb::object(nb::borrow(allowed)), [](nb::object* judge) {
            nb::gil_scoped_acquire lock;
            delete judge;
          }};
}

bool may_stand(const nb::object& judge, const double* q, int nq) {
  nb::gil_scoped_acquire lock;
  const OutputArray posture(BatchShape(), {"q", {1, {nq, 0, 0}}});
  std::copy_n(q, nq, posture.data());
  const int answer = PyObject_IsTrue(judge(posture.object()).ptr());
  if (answer < 0) throw nb::python_error();
  return answer != 0;
}

/// States of the rows, then period, condition, random_condition, base_parameters and motions tried; the states are None where
/// no motion keeps the limits.
nb::tuple excite_robot(const RobotModel& robot, double seconds, double rate, const std::vector<std::string>& fit, int harmonics,
                       const std::string& criterion, int budget, std::uint64_t seed, nb::handle allowed, nb::handle report) {
  const auto model = robot.shared();
  const std::optional<long> rows = rows_of_log(seconds, rate);
  if (!rows) throw nb::value_error("seconds, rate: expected positive numbers that make 1 to 1e9 rows");
  const std::optional<ExcitationCriterion> by = criterion_named(criterion);
  if (!by) throw nb::value_error(("criterion: '" + criterion + "'; expected 'determinant' or 'condition'").c_str());
  require_single_joints(*model);
  warn_of_held(*model);
  ExcitationOptions options;
  options.period = repeated_period(seconds);
  options.harmonics = harmonics, options.seed = seed, options.budget = budget;
  options.criterion = *by;
  if (!fit.empty()) options.fitted = fitted_parameters(*model, fit);
  const Excitation best = interruptible<Excitation>(
      [=, judge = judge_of(allowed)](const Progress& progress) {
        ExcitationOptions search = options;
        double done = 0;
        search.progress = [&](double share) { progress(done = share, "motions"); };
        if (judge)
          search.allowed = [&](const double* q) {
            progress(done, "motions");  // a slow judge is interrupted between two postures
            return may_stand(*judge, q, model->nq);
          };
        return excite(*model, search);
      },
      report);
  nb::object states = nb::none();
  if (best.found) states = rows_of(best.motion, static_cast<npy_intp>(*rows), rate, model->nv).object();
  return nb::make_tuple(states, options.period, best.condition, best.random_condition, best.base_parameters, best.motions);
}

}  // namespace

void bind_excitation(nb::module_& m) {
  m.def("_excite", &excite_robot, nb::arg("robot"), nb::arg("seconds"), nb::arg("rate"), nb::arg("fit"), nb::arg("harmonics"),
        nb::arg("criterion"), nb::arg("budget"), nb::arg("seed"), nb::arg("allowed").none(), nb::arg("report").none(),
        nb::sig("def _excite(robot: Model, seconds: float, rate: float, fit: Sequence[str], harmonics: int, criterion: str, "
                "budget: int, seed: int, allowed: Callable[[NDArray[numpy.float64]], bool] | None, report: Callable[[float, "
                "str], None] | None) -> "
                "tuple[NDArray[numpy.float64] | None, float, float, float, int, int]"));
}

}  // namespace sparsedyn::python
