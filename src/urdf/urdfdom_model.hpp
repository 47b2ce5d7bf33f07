// The second reader: urdfdom, on a copy of the robot that it cannot refuse.
#pragma once

#include <urdf_model/model.h>
#include <urdf_world/types.h>

#include "robot_elements.hpp"

namespace sparsedyn::urdf {

/// urdfdom's reading of the robot, in which link i is called "l<i>" and joint j "j<j>". The copy has what urdfdom insists on
/// (a robot name, limits, axes, numbers in plain form) and nothing that it might read in another way than tinyxml2 did
/// (names, nested or passed-over elements). Its console log is muted meanwhile. Links and joints are to be found by name; the
/// lists of children are empty.
::urdf::ModelInterfaceSharedPtr urdfdom_model(const XmlFile& file, const RobotElements& robot);

}  // namespace sparsedyn::urdf
