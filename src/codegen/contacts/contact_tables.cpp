#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "codegen/emit/emit_statements.hpp"
#include "contact_text.hpp"

namespace sparsedyn {
namespace {

constexpr int most_power = 20;

std::string integer(int x) { return std::to_string(x); }

std::string list(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& x : all) text += (text.empty() ? "" : ", ") + x;
  return text;
}

/// A table of at least one entry, since C has no empty arrays.
std::string table(const std::string& type, const std::string& name, std::vector<std::string> entries) {
  if (entries.empty()) entries.push_back(type.find("int") != std::string::npos ? "0" : "{0}");
  std::string text = "static const " + type + " @_" + name + " = {";
  for (const std::string& entry : entries) text += (entry[0] == '{' ? "\n  " : " ") + entry + ",";
  return text + "\n};\n";
}

std::string integers(const std::string& name, const std::vector<int>& all) {
  std::vector<std::string> texts;
  for (int x : all) texts.push_back(integer(x));
  return table("int", name + "[]", texts);
}

std::string contact_entry(const ContactLayout& layout, std::size_t c) {
  const RowBlock& b = *layout.contacts[c];
  std::vector<std::string> friction;
  for (double mu : b.friction) friction.push_back(shortest_decimal(mu));
  if (friction.empty()) friction.push_back("0");
  const bool pyramid = b.cone == Cone::pyramidal && !b.friction.empty();
  return "{" +
         list({integer(layout.contact_body[c]), integer(layout.contact_plane[c]), integer(b.directions()), integer(pyramid),
               integer(b.first_force), integer(b.forces), shortest_decimal(b.radius), shortest_decimal(b.margin),
               shortest_decimal(b.pull.K), shortest_decimal(b.pull.B), shortest_decimal(b.linear_weight),
               shortest_decimal(b.impratio), firmness_text(b), "{" + list(friction) + "}"}) +
         "}";
}

std::string joint_entry(const ContactLayout& layout, const JointRow& row) {
  const RowBlock& b = *row.block;
  const auto at = std::lower_bound(layout.joint_freedoms.begin(), layout.joint_freedoms.end(), row.freedom);
  const bool stop = b.type == ConstraintType::limit;
  return "{" +
         list({integer(row.coordinate), integer(row.freedom), integer(layout.place[static_cast<std::size_t>(row.freedom)]),
               integer(static_cast<int>(at - layout.joint_freedoms.begin())), integer(b.first_force), integer(stop),
               shortest_decimal(row.sign), shortest_decimal(row.slope), shortest_decimal(row.offset),
               shortest_decimal(b.margin), shortest_decimal(b.loss), shortest_decimal(b.pull.K), shortest_decimal(b.pull.B),
               shortest_decimal(b.linear_weight), firmness_text(b)}) +
         "}";
}

const char* const kTypes = R"(
typedef struct { /* how firmly: from d0 to dw over the width, by a power */
  double d0, dw, per_width, middle, below, above;
  int power;
} @_firmness;
typedef struct {
  int body, plane, n, pyramid, force, forces; /* n: directions, the normal first */
  double radius, margin, K, B, weight, impratio;
  @_firmness firm;
  double friction[5];
} @_contact;
typedef struct {
  int q, v, moved, place, force, stop; /* or dry friction */
  double sign, slope, offset, margin, loss, K, B, weight; /* gap = slope q + offset */
  @_firmness firm;
} @_joint;
)";

}  // namespace

/// How firmly the constraint holds, as impedance_at has it: d0, dw, 1/width, middle, 1/middle^(p−1), 1/(1 − middle)^(p−1), p.
std::string firmness_text(const RowBlock& b) {
  const double end = 1e9, d0 = impedance_at(b.impedance, 0), dw = impedance_at(b.impedance, end);
  const double middle = std::clamp(b.impedance[3], 1e-4, 0.9999), power = std::max(1.0, b.impedance[4]);
  if (power != std::floor(power) || power > most_power)
    throw std::invalid_argument("constraint \"" + b.name +
                                "\": generated contact dynamics take whole powers in solimp, up to " + integer(most_power));
  const double width = d0 == dw ? 1 : b.impedance[2];
  std::vector<std::string> x;
  for (double value : {d0, dw, 1 / width, middle, std::pow(middle, 1 - power), std::pow(1 - middle, 1 - power)})
    x.push_back(shortest_decimal(value));
  x.push_back(integer(static_cast<int>(power)));
  return "{" + list(x) + "}";
}

std::string contact_tables(const Model& model, const ContactLayout& layout) {
  const auto count = [](const char* name, std::size_t n) {
    return "#define @_" + std::string(name) + " " + std::to_string(n) + "\n";
  };
  std::set<int> sizes;
  for (const RowBlock* contact : layout.contacts) sizes.insert(contact->directions());
  std::string text = count("NV", static_cast<std::size_t>(model.nv)) + count("CONTACTS", layout.contacts.size()) +
                     count("JOINTS", layout.joint_rows.size()) + count("LOOPS", layout.loops.size()) +
                     count("PLACES", layout.joint_freedoms.size()) + count("BODIES", layout.bodies.size()) +
                     count("PLANES", layout.planes.size()) + count("MOVED", layout.moved.size()) +
                     count("OTHERS", layout.others.size()) + count("MOST", static_cast<std::size_t>(layout.directions));
  if (sizes.size() == 1) text += "#define @_N(touch) " + integer(*sizes.begin()) + " /* of all contacts */\n";
  text += kTypes;
  std::vector<std::string> contacts, joints, planes;
  for (std::size_t c = 0; c < layout.contacts.size(); ++c) contacts.push_back(contact_entry(layout, c));
  for (const JointRow& row : layout.joint_rows) joints.push_back(joint_entry(layout, row));
  for (const Mat3<double>& plane : layout.planes) {
    std::vector<std::string> axes;
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 3; ++k) axes.push_back(shortest_decimal(plane(r, k)));
    planes.push_back("{" + list(axes) + "}");
  }
  if (!contacts.empty()) text += table("@_contact", "contacts[]", contacts) + table("double", "planes[][9]", planes);
  if (!joints.empty()) text += table("@_joint", "joints[]", joints);
  return text + "\n";
}

std::string freedom_table(const ContactLayout& layout) {
  return integers("moved_freedoms", {layout.moved.rbegin(), layout.moved.rend()});
}

std::string freedom_tables(const ContactLayout& layout) {
  return integers("others", {layout.others.rbegin(), layout.others.rend()}) + freedom_table(layout);
}

}  // namespace sparsedyn
