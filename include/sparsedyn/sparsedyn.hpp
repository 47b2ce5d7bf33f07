// What most users need of `core`: a robot, what is known of it, the runtime, and the recursive algorithms. Reading robots is
// urdf/load.hpp, reading sensor sets and plans json/sensor_set.hpp and json/plan_file.hpp, searching for plans
// planning/optimise.hpp.
#pragma once

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/aba_derivatives.hpp"
#include "sparsedyn/dynamics/bias_forces.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/crba.hpp"
#include "sparsedyn/dynamics/energy.hpp"
#include "sparsedyn/dynamics/jacobian.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/minverse.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/dynamics/rnea_derivatives.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/version.hpp"
