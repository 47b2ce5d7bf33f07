#include "verification.hpp"

#include <nanobind/stl/string.h>

#include "errors.hpp"
#include "interruptible.hpp"
#include "model.hpp"
#include "sparsedyn/verification/verify.hpp"

namespace sparsedyn::python {
namespace {

nb::object or_none(bool there, const nb::object& value) { return there ? value : nb::none(); }

nb::tuple verify_robot(const RobotModel& robot, int samples, unsigned seed, bool programs) {
  const std::shared_ptr<const Model> model = robot.shared();
  const Verification found = interruptible<Verification>([=](const Progress&) {
    return verify(*model, {samples, seed, programs});
  });
  nb::list rows;
  for (const Agreement& row : found.agreements) {
    const bool there = row.skipped.empty();
    rows.append(nb::make_tuple(row.quantity, row.way, row.beside, or_none(there, nb::cast(row.worst)),
                               or_none(there, nb::cast(row.entry)), or_none(there, nb::cast(row.sample)), row.allowed,
                               row.compared, row.refused, row.skipped));
  }
  return nb::make_tuple(rows, found.conditioning);
}

}  // namespace

void bind_verification(nb::module_& m) {
  m.def("_verify", &verify_robot, nb::arg("robot"), nb::arg("samples"), nb::arg("seed"), nb::arg("programs"),
        nb::sig("def _verify(robot: Model, samples: int, seed: int, programs: bool) -> tuple[list[tuple[Any, ...]], float]"));
}

}  // namespace sparsedyn::python
