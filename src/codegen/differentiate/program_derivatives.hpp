// Programs of derivatives of any straight-line program y = f(x), by the chain rule, operation by operation; these are programs
// again, so that derivatives of any order can be had. Their names tell what they hold:
//
//   forward:  inputs x and along_x,  outputs slope_y = (∂y/∂x) along_x        (a directional derivative)
//   reverse:  inputs x and times_y,  outputs slope_x = (∂y/∂x)ᵀ times_y       (the gradient of times_yᵀ y)
//
// Elements of the new vectors have the prefix before their names, too. Sums over several x, or several y, are implied. A second
// derivative has along2_, times2_ and slope2_, and so on.
#pragma once

#include <string>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The program with u/|u| in place of each quaternion u of its input q, or x (q, then dq), so that it is a function of all nq
/// numbers; itself where there is no quaternion. Its derivatives by the four numbers of u are exact, and zero along u. They
/// square u, so the caller divides longer and shorter ones by a power of two, and with u all that is derived from it, or
/// refuses them (EmitOptions::quaternions).
Program with_normalised_quaternions(const Program& program, const Model& model);

/// The directional derivative; `order`: which one it is, in names. Operations: about twice those of f. Throws
/// std::invalid_argument for a program with health, which has no derivative where two pivots are the smallest.
Program forward_derivative(const Program& program, int order = 1);

/// The product of the transposed Jacobian with multipliers. Operations: two to four times those of f, for any number of inputs.
/// Throws as forward_derivative.
Program reverse_derivative(const Program& program, int order = 1);

/// Several of these, one after the other, by a letter each: n normalised, f forward, r reverse. "nrf" is the directional
/// derivative of the gradient, with which Hessians are multiplied. Throws std::invalid_argument for another letter.
Program derived_program(const Program& program, const Model& model, const std::string& letters);

}  // namespace sparsedyn
