// What most users need of `core`: a robot, what is known of it, the runtime, and the recursive algorithms. Reading robots is
// urdf/load.hpp, reading sensor sets and plans json/files.hpp, searching for plans planning/optimise.hpp.
#pragma once

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/version.hpp"
