// The numbers of a robot (masses, moments, friction) as algorithms in the scalar S meet them. They are constants, except for a
// scalar that records: of its robot, some numbers can be inputs of the program.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// For scalars whose robots are constant. Specialised for scalars that record.
template <class S>
struct RobotNumbers {
  using Number = Constant<S>;              // a number of the robot
  using Sum = Constant<S>;                 // a sum of such numbers
  static constexpr bool may_vary = false;  // whether a number can be an input
  static bool varies(double) { return false; }
  static Number of(double x) { return static_cast<Number>(x); }
};

/// Sums of the masses of several bodies (kg).
template <class S>
using SubtreeMass = typename RobotNumbers<S>::Sum;

inline namespace SPARSEDYN_CODE {

/// A number of the robot.
template <class S>
typename RobotNumbers<S>::Number robot_number(double x) {
  return RobotNumbers<S>::of(x);
}

/// f(x) of a number x of the robot; f must be linear, so that f(x) = f(1) x where x is an input.
template <class S, class Linear>
typename RobotNumbers<S>::Number robot_number(double x, const Linear& f) {
  if constexpr (RobotNumbers<S>::may_vary)
    if (RobotNumbers<S>::varies(x)) return RobotNumbers<S>::of(x) * typename RobotNumbers<S>::Number(f(1.0));
  return static_cast<typename RobotNumbers<S>::Number>(f(x));
}

/// Adds a number of the robot to a sum.
template <class S>
void add_number(double x, typename RobotNumbers<S>::Sum& sum) {
  if constexpr (RobotNumbers<S>::may_vary)
    sum.add(x, RobotNumbers<S>::varies(x), RobotNumbers<S>::of(x));
  else
    sum += static_cast<Constant<S>>(x);
}

/// Whether one of the ten numbers is an input.
template <class S>
bool varies(const Inertia<double>& I) {
  const Sym3<double>& s = I.moments;
  for (double x : {I.m, I.h[0], I.h[1], I.h[2], s.xx, s.xy, s.xz, s.yy, s.yz, s.zz})
    if (RobotNumbers<S>::varies(x)) return true;
  return false;
}

/// use(I) of a body's inertia, as Inertia<Constant<S>> where its ten numbers are constants, so that they are folded, and as
/// Inertia<S> where one of them is an input.
template <class S, class Use>
[[gnu::always_inline]] inline decltype(auto) with_inertia(const Inertia<double>& I, const Use& use) {
  if constexpr (RobotNumbers<S>::may_vary)
    if (varies<S>(I)) {
      const auto number = [](double x) { return S(RobotNumbers<S>::of(x)); };
      const Sym3<double>& s = I.moments;
      return use(Inertia<S>{number(I.m),
                            {{number(I.h[0]), number(I.h[1]), number(I.h[2])}},
                            {number(s.xx), number(s.xy), number(s.xz), number(s.yy), number(s.yz), number(s.zz)}});
    }
  return use(cast<Constant<S>>(I));
}

/// The inertia in S.
template <class S>
Inertia<S> inertia_in(const Inertia<double>& I) {
  return with_inertia<S>(I, [](const auto& numbers) { return cast<S>(numbers); });
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
