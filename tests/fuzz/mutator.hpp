// Documents of JSON with changes that a reader mostly lets through: numbers scaled, names exchanged, entries doubled or left
// out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace sparsedyn::test {

using Document = nlohmann::ordered_json;

class Mutator {
 public:
  /// `names`: what texts may become, beside other texts of the document.
  Mutator(unsigned seed, std::vector<std::string> names) : random(seed), names_(std::move(names)) {}

  /// The document with one change or two.
  Document changed(Document document) {
    for (auto left = 1 + random() % 2; left > 0; --left) change(document);
    return document;
  }
  std::mt19937 random;

 private:
  static void collect(Document& node, std::vector<Document*>& all) {
    all.push_back(&node);
    if (node.is_structured())
      for (Document& below : node) collect(below, all);
  }

  void change(Document& document) {
    std::vector<Document*> all;
    collect(document, all);
    Document& node = *all[random() % all.size()];
    if (node.is_number())
      change_number(node);
    else if (node.is_boolean())
      node = !node.get<bool>();
    else if (node.is_string())
      change_text(node, all);
    else if (node.is_array() && !node.empty())
      change_array(node);
    else if (node.is_object() && !node.empty())
      change_object(node);
  }

  void change_number(Document& node) {
    const double x = node.get<double>();
    switch (random() % 12) {
      case 0: node = -x; break;
      case 1: node = 0; break;
      case 2: node = extremes[random() % std::size(extremes)]; break;
      case 3: node = nullptr; break;
      default: node = x * std::pow(10.0, std::uniform_real_distribution<double>(-1, 1)(random));
    }
  }
  void change_text(Document& node, const std::vector<Document*>& all) {
    const Document& other = *all[random() % all.size()];
    if (other.is_string() && random() % 4 == 0)
      node = Document(other);
    else if (random() % 2 == 0)
      node = names_[random() % names_.size()];
  }
  void change_array(Document& node) {
    const std::size_t i = random() % node.size(), j = random() % node.size();
    switch (random() % 4) {
      case 0: node.erase(i); break;
      case 1: node.push_back(Document(node[i])); break;
      default: std::swap(node[i], node[j]);
    }
  }
  /// Drops a key; a quarter of the time gives it a value of another.
  void change_object(Document& node) {
    const auto any = [&] { return std::next(node.begin(), static_cast<std::ptrdiff_t>(random() % node.size())); };
    const auto at = any();
    if (random() % 4 != 0)
      node.erase(at.key());
    else
      at.value() = Document(any().value());
  }

  static constexpr double extremes[] = {1e308, -1e308, 1e-308, 5e-324, 1e154, 1e-154, 1e16, 1e-16};
  std::vector<std::string> names_;
};

/// Whether all numbers of a document are within four decades of one, or zero: then rounding is no excuse.
inline bool is_moderate(const Document& node) {
  if (node.is_number()) {
    const double x = std::abs(node.get<double>());
    return x == 0 || (x >= 1e-4 && x <= 1e4);
  }
  return !node.is_structured() ||
         std::all_of(node.begin(), node.end(), [](const Document& below) { return is_moderate(below); });
}

/// Of $NAME, where it is set.
inline long setting(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::strtol(text, nullptr, 10) : otherwise;
}

}  // namespace sparsedyn::test
