// Where the fit of friction's shape begins: the likeliest of some, by each torque's own rows.
#pragma once

#include <cmath>
#include <vector>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// A Stribeck velocity is at least so many smoothing velocities: below, tanh hides what sliding takes away.
constexpr double least_stribeck_ratio = 4;

/// Deviation that the prior gives a number of a shape, as it is moved: a factor of ten of a velocity, all of a share.
inline double shape_prior(FrictionNumber of) { return of == FrictionNumber::stribeck ? 1 : std::log(10.0); }

/// π's entry of a freedom's friction, or -1 where several joints share it.
int friction_at(const Model& model, const ParameterIndex& index, std::size_t v);

/// Columns that are tried: g at twelve smoothing velocities, 0.001 to 2 rad/s or m/s, all else as `prior` has it.
std::vector<FrictionColumn> tried_smoothing(const FrictionShape& prior);
/// What sliding leaves of friction, its derivative by ln smoothing, and all of friction at ten Stribeck velocities, 0.004 to 2
/// rad/s or m/s.
std::vector<FrictionColumn> tried_stribeck(const FrictionShape& prior);

/// Takes from rows of one pass, whose extra columns are of one of these kinds (or none, by freedom), the likeliest with the
/// prior, into `shape` and, with the friction found, into π.
/// @{
void start_smoothing(RowInformation& information, const std::vector<FrictionShape>& prior, std::vector<FrictionShape>& shape,
                     std::vector<double>& pi);
void start_stribeck(RowInformation& information, const std::vector<FrictionShape>& prior, std::vector<FrictionShape>& shape,
                    std::vector<double>& pi);
/// @}

}  // namespace sparsedyn
