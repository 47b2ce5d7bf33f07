#include "state_reader.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::python {

void add_states(const System& system, const nb::handle (&arguments)[3], bool in_place, Rows& rows) {
  const Model& model = system.model();
  const std::pair<const char*, npy_intp> sizes[] = {
      {"q", model.nq}, {"dq", model.nv}, {"y", static_cast<npy_intp>(system.inputs().size())}};
  rows.inputs.reserve(4), rows.input_specs.reserve(4);
  for (int k = 0; k < 3; ++k) {
    const bool scalar = !in_place && k == 1;
    rows.input_specs.push_back({sizes[k].first, {1, {sizes[k].second, 0, 0}}, nullptr, scalar});
    rows.inputs.emplace_back(arguments[k], rows.input_specs.back(), in_place);
  }
}

StateReader::StateReader(const System& system, bool takes_gaps) : system_(system) {
  const Model& model = system.model();
  for (const sparsedyn::Input& input : system.inputs())
    gap_allowed_.push_back(takes_gaps && input.columns.front().compare(0, 2, "y.") == 0);
  size_ = static_cast<std::size_t>(model.nq + model.nv) + system.inputs().size();
  for (const Body& body : model.bodies) quaternions_ |= quaternion_offset(body.joint) >= 0;
}

bool StateReader::read(const Rows& rows, npy_intp i, double* sample, std::string& why) const {
  double* next = sample;
  for (int k = 0; k < 3; ++k) {
    const double* from = rows.in(k, i);
    const npy_intp size = rows.in_size(k);
    double sum = 0;
    for (npy_intp e = 0; e < size; ++e) sum += from[e] * 0;
    if (!(sum == 0) && !finite_but_for_gaps(rows, k, from, size, why)) return false;
    next = std::copy_n(from, size, next);
  }
  if (quaternions_ && !normalise(system_.model(), sample)) {
    why = "q: a quaternion is zero";
    return false;
  }
  return true;
}

bool StateReader::finite_but_for_gaps(const Rows& rows, int k, const double* from, npy_intp size, std::string& why) const {
  for (npy_intp e = 0; e < size; ++e) {
    const bool gap = k == 2 && std::isnan(from[e]) && gap_allowed_[static_cast<std::size_t>(e)];
    if (std::isfinite(from[e]) || gap) continue;
    why = rows.input_specs[k].text() + "[" + std::to_string(e) + "] is not finite";
    if (k == 2) why += " (" + system_.inputs()[static_cast<std::size_t>(e)].columns.front() + ")";
    return false;
  }
  return true;
}

}  // namespace sparsedyn::python
