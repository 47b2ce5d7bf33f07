#include "exponential_rate.hpp"

#include <algorithm>

#include "sparsedyn/model/detail/joint_groups.hpp"

namespace sparsedyn {
namespace {

/// The entries of a motion that the joint's group holds: its columns of S are unit motions.
void add_entries(const Body& body, double factor, const Motion<double>& x, double* rate) {
  for (int k = 0; k < freedoms(body.joint); ++k) {
    const Motion<double> s = motion_subspace(body, k);
    rate[body.v + k] += factor * (dot(s.w, x.w) + dot(s.v, x.v));
  }
}

}  // namespace

void exponential_rate(const Model& model, const double* theta, const double* v, double* rate) {
  std::copy_n(v, model.nv, rate);
  for (const Body& body : bodies_of_several_freedoms(model)) {
    const Motion<double> along = joint_motion(body, theta), once = cross(along, joint_motion(body, v));
    add_entries(body, 0.5, once, rate);
    add_entries(body, 1.0 / 12, cross(along, once), rate);
  }
}

}  // namespace sparsedyn
