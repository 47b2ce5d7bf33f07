// The rotation within one step, as a straight line: a quaternion by polynomials, which are smooth at zero, too.
#pragma once

#include "local_jet.hpp"

namespace sparsedyn {

/// A quaternion: vector and scalar part.
struct JetQuaternion {
  JetVector vector;
  LocalJet scalar;
};

JetQuaternion operator*(const JetQuaternion& a, const JetQuaternion& b);
JetQuaternion conjugate(const JetQuaternion& a);
JetQuaternion values(const JetQuaternion& a);
/// x in the axes that e, of norm 1, turned to.
JetVector turned_back(const JetQuaternion& e, const JetVector& x);

/// exp(φ/2), φ a rotation vector (rad). To rounding for |φ| up to 4π, two whole turns; NaN for more.
JetQuaternion quaternion_of_turn(const JetVector& phi);

/// v + C₂ φ × v + C₃ φ × (φ × v): how far a body shifts that moves by (φ, v), in its axes before. To rounding for
/// |φ| up to 4π, NaN for more.
JetVector exponential_shift(const JetVector& phi, const JetVector& v);

/// exp(δ/2) to second order, of a vector whose value is zero.
JetQuaternion quaternion_of_change(const JetVector& delta);

}  // namespace sparsedyn
