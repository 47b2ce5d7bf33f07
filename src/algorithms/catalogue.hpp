// The types of algorithms, in the order in which users see them: a registry. A new one is a struct in a file of
// algorithms/types and, here, its line.
#pragma once

#include "algorithms/types/derivatives.hpp"
#include "algorithms/types/dynamics.hpp"
#include "algorithms/types/equations.hpp"
#include "algorithms/types/inertia.hpp"
#include "algorithms/types/jacobians.hpp"
#include "algorithms/types/motion.hpp"
#include "algorithms/types/second_derivatives.hpp"

namespace sparsedyn {

template <class... Types>
struct AlgorithmTypes {
  /// visit(a value of the type), for each.
  template <class Visit>
  static void for_each(Visit&& visit) {
    (visit(Types{}), ...);
  }
};

using AlgorithmCatalogue = AlgorithmTypes<  //
    catalogue::Rnea,                        //
    catalogue::Aba,                         //
    catalogue::Bias,                        //
    catalogue::Gravity,                     //
    catalogue::Crba,                        //
    catalogue::Minverse,                    //
    catalogue::RneaFirst,                   //
    catalogue::AbaFirst,                    //
    catalogue::RneaSecond,                  //
    catalogue::AbaSecond,                   //
    catalogue::RneaWithDerivatives,         //
    catalogue::Coriolis,                    //
    catalogue::Christoffel,                 //
    catalogue::Hamilton,                    //
    catalogue::Regressor,                   //
    catalogue::RegressorTimes,              //
    catalogue::RegressorTransposedTimes,    //
    catalogue::Kinematics,                  //
    catalogue::Jacobians,                   //
    catalogue::JacobianRates,               //
    catalogue::Energy,                      //
    catalogue::Momentum,                    //
    catalogue::MomentumRate,                //
    catalogue::CentroidalMomentumMatrix,    //
    catalogue::CentreOfMassJacobian>;

}  // namespace sparsedyn
