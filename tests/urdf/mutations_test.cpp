// A valid robot, spoilt in a thousand ways: the loader gives a model of finite numbers or an InputError, never anything else.
#include <tinyxml2.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

namespace {

const char* const victim = R"(<?xml version="1.0"?>
<robot name="victim">
  <link name="base_link"><inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="-0.002" izz="0.04"/></inertial><visual/></link>
  <link name="hand"/>
  <link name="tool"><inertial><mass value="0.3"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base_link"/><child link="arm"/><origin xyz="0 0 0.3" rpy="1.5708 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
  <joint name="wrist" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="0.4 0 0" rpy="0 0.1 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="hand"/><child link="tool"/><axis xyz="0 0 1"/><mimic joint="shoulder"/></joint>
  <sensor name="ft" type="force_torque"><parent joint="wrist"/><origin xyz="0 0 0.01"/>
    <force_torque><frame>sensor</frame><measure_direction>child_to_parent</measure_direction></force_torque></sensor>
  <gazebo reference="arm"><selfCollide>true</selfCollide><sensor name="imu" type="imu"><pose>0 0 0.1 0 0 0.5</pose><imu>
    <angular_velocity><x><noise><stddev>0.1</stddev></noise></x></angular_velocity></imu></sensor></gazebo>
</robot>
)";

const char* const values[] = {"",         "0",        "-1",         "nan",   "INF",    "1e308",     "-1e308 1e308 1e308",
                              "1e999",    "1 2",      "0 0 0",      "1,2,3", "0x1",    "base_link", "arm",
                              "hand",     "shoulder", "revolute",   "fixed", "planar", "floating",  "${x}",
                              "\xFF\xFE", "&",        "1e-320 0 0", "base"};

std::vector<XMLElement*> elements(XMLElement* root) {
  std::vector<XMLElement*> all{root};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (auto* e = all[i]->FirstChildElement(); e; e = e->NextSiblingElement()) all.push_back(e);
  return all;
}

/// One change of the tree: an element or attribute removed, doubled, moved, renamed or given another value.
void mutate(tinyxml2::XMLDocument& document, std::mt19937& rng) {
  const auto all = elements(document.RootElement());
  XMLElement* e = all[rng() % all.size()];
  XMLElement* other = all[rng() % all.size()];
  std::vector<const XMLAttribute*> attributes;
  for (auto* a = e->FirstAttribute(); a; a = a->Next()) attributes.push_back(a);
  switch (rng() % 7) {
    case 0:
      if (e != document.RootElement()) document.DeleteNode(e);
      return;
    case 1: other->InsertEndChild(e->DeepClone(&document)); return;
    case 2: e->SetName(other->Name()); return;
    case 3:
      if (!attributes.empty()) e->DeleteAttribute(attributes[rng() % attributes.size()]->Name());
      return;
    case 4:
      if (e->GetText()) e->SetText(values[rng() % (sizeof values / sizeof *values)]);
      return;
    default:
      if (!attributes.empty())
        e->SetAttribute(attributes[rng() % attributes.size()]->Name(), values[rng() % (sizeof values / sizeof *values)]);
  }
}

bool finite(const Model& model) {
  double sum = model.nq;
  const auto add = [&](const Inertia<double>& I) { sum += I.m + I.h[0] + I.h[1] + I.h[2] + I.moments.xx + I.moments.yz; };
  for (const Body& b : model.bodies) {
    add(b.inertia);
    for (int i = 0; i < 3; ++i) sum += b.placement.d[i] + b.placement.R(i, 0) + b.placement.R(i, 1) + b.placement.R(i, 2);
  }
  for (const Link& l : model.links) add(l.inertia), sum += l.pose.d[0] + l.pose.d[1] + l.pose.d[2];
  return std::isfinite(sum);
}

/// 1: a model; 0: refused; fails the test for anything else.
int outcome(const std::string& text, bool floating) {
  LoadOptions options;
  options.floating = floating;
  try {
    LoadReport report;
    const Model model = parse_urdf(text, "spoilt.urdf", options, &report);
    CHECK(finite(model));
    const UrdfSensorSet set = parse_urdf_sensors(text, "spoilt.urdf", options, &report);
    json::Document::parse(json_text(set), "set.json");
    return 1;
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Catch::StartsWith("spoilt.urdf:"));
    return 0;
  }
}

}  // namespace

TEST_CASE("files with random elements and attributes changed are read or refused, never a crash") {
  int accepted = 0;
  const int mutations = 1500;
  for (unsigned seed = 0; seed < mutations; ++seed) {
    std::mt19937 rng(seed);
    tinyxml2::XMLDocument document;
    REQUIRE(document.Parse(victim) == tinyxml2::XML_SUCCESS);
    for (unsigned k = 0; k <= seed % 3; ++k) mutate(document, rng);
    tinyxml2::XMLPrinter printer;
    document.Print(&printer);
    INFO("seed " << seed << "\n" << printer.CStr());
    accepted += outcome(printer.CStr(), seed % 2);
  }
  CHECK(accepted > mutations / 10);
  CHECK(accepted < mutations);
}

TEST_CASE("files with random bytes changed are read or refused, never a crash") {
  const std::string text = victim;
  const std::string bytes = "<>/\"'=& 01-.eE+x\n\0\xC3\xFF";
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 rng(seed);
    std::string spoilt = text;
    for (unsigned k = 0; k <= seed % 4 && !spoilt.empty(); ++k) {
      const std::size_t at = rng() % spoilt.size();
      switch (rng() % 4) {
        case 0: spoilt.erase(at, 1 + rng() % 20); break;
        case 1: spoilt.insert(at, 1, bytes[rng() % bytes.size()]); break;
        case 2: spoilt[at] = bytes[rng() % bytes.size()]; break;
        default: spoilt.resize(at + 1);
      }
    }
    INFO("seed " << seed << "\n" << spoilt);
    outcome(spoilt, seed % 2);
  }
}
