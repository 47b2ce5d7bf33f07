// Where the elements of a URDF enter, and those that stand elsewhere: a parser looks for an element in its place alone, so that
// one a line too high or too low is lost without a word.
#pragma once

#include <string>

#include "urdf/xml_file.hpp"

namespace sparsedyn {
struct LoadReport;
}

namespace sparsedyn::urdf {

/// Where `element` would enter, in words, if it does not where it stands: below `parent`. Empty: it is in its place, or enters
/// nowhere.
std::string other_place(const tinyxml2::XMLElement& element, const tinyxml2::XMLElement& parent);

/// The element of which an attribute is read, such as `<origin>` of rpy; empty: none, or several.
std::string element_with(const std::string& attribute);

/// Of <robot>: warns of elements, attributes and texts that stand where they do not enter, with line and place. Refuses what
/// xacro left behind where it may stand for a part of the robot (`lenient`: a warning), and joints of other dialects, without
/// which the tree is another.
void check_places(const XmlFile& file, bool lenient, LoadReport& report);

}  // namespace sparsedyn::urdf
