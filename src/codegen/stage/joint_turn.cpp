#include "joint_turn.hpp"

namespace sparsedyn {

JointTurn::JointTurn(const Expr* u, const JetVector& delta, const JetVector& phi)
    : e(quaternion_of_turn(phi)), before(values(e)) {
  const JetQuaternion all = JetQuaternion{{u[0], u[1], u[2]}, u[3]} * before;
  for (const LocalJet& x : all.vector) after.push_back(x.value());
  after.push_back(all.scalar.value());
  change = LocalJet(Expr(2.0)) * (conjugate(before) * (quaternion_of_change(delta) * e)).vector;
}

JetVector shifted(const JetVector& turn, const JetVector& shift, const LocalJet& h, const JetVector& c) {
  const LocalJet half(Expr(0.5));
  const JetVector once = cross(turn, c), bent = c + once + half * cross(turn, once);
  return shift + half * cross(turn, shift) + (h * bent - values(h * c));
}

PlaneTurn::PlaneTurn(const LocalJet& phi) {
  const Expr c = cos(phi.value()), s = sin(phi.value());
  cosine = LocalJet::composed(phi, c, -s, -c), sine = LocalJet::composed(phi, s, c, -s);
}

}  // namespace sparsedyn
