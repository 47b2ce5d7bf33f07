#include <algorithm>
#include <cmath>
#include <limits>

#include "io/suggestions.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/document.hpp"

namespace sparsedyn::json {

std::string Node::found() const {
  switch (kind()) {
    case Kind::null: return "null";
    case Kind::boolean: return value_->boolean ? "true" : "false";
    case Kind::number: return value_->text;
    case Kind::string: return "\"" + value_->text + "\"";
    case Kind::array: return value_->items.empty() ? "an empty list" : "a list";
    case Kind::object: break;
  }
  return "an object";
}

void Node::refuse(const std::string& what, const std::string& expected) const {
  throw InputError(*file_, line(), element_, what, expected);
}

void Node::refuse_name(const std::string& name, const std::vector<std::string>& candidates, const std::string& expected) const {
  refuse("\"" + name + "\"" + suggestions_text(name, candidates), expected);
}

void Node::require(Kind expected_kind, const char* expected) const {
  if (kind() != expected_kind) refuse(found(), expected);
}

bool Node::boolean() const {
  require(Kind::boolean, "true or false");
  return value_->boolean;
}

double Node::number() const {
  require(Kind::number, "a number");
  return value_->number;
}

int Node::integer() const {
  if (kind() != Kind::number || value_->number != std::floor(value_->number) ||
      std::abs(value_->number) > std::numeric_limits<int>::max())
    refuse(found(), "a whole number");
  return static_cast<int>(value_->number);
}

const std::string& Node::string() const {
  require(Kind::string, "a string");
  return value_->text;
}

Node Node::item(std::size_t i) const {
  const std::string step = kind() == Kind::array ? "[" + std::to_string(i) + "]" : value_->keys[i];
  return {&value_->items[i], file_, kind() == Kind::array || element_.empty() ? element_ + step : element_ + "." + step};
}

std::vector<Node> Node::array() const {
  require(Kind::array, "a list");
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < value_->items.size(); ++i) nodes.push_back(item(i));
  return nodes;
}

std::vector<double> Node::numbers() const {
  require(Kind::array, "a list of numbers");
  std::vector<double> out;
  for (std::size_t i = 0; i < value_->items.size(); ++i)
    out.push_back(value_->items[i].kind == Kind::number ? value_->items[i].number : item(i).number());
  return out;
}

std::vector<int> Node::integers() const {
  require(Kind::array, "a list of whole numbers");
  std::vector<int> out;
  for (const Value& v : value_->items) out.push_back(Node(&v, file_, element_).integer());
  return out;
}

std::vector<std::string> Node::strings() const {
  require(Kind::array, "a list of strings");
  std::vector<std::string> out;
  for (std::size_t i = 0; i < value_->items.size(); ++i) out.push_back(item(i).string());
  return out;
}

const std::vector<std::string>& Node::keys() const {
  require(Kind::object, "an object");
  return value_->keys;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> all;
  for (std::size_t i = 0; i < keys().size(); ++i) all.emplace_back(value_->keys[i], item(i));
  return all;
}

int Node::find(const std::string& key) const {
  const auto& all = keys();
  const auto at = std::find(all.begin(), all.end(), key);
  return at == all.end() ? -1 : static_cast<int>(at - all.begin());
}

bool Node::has(const std::string& key) const { return find(key) >= 0; }

Node Node::at(const std::string& key) const {
  const int i = find(key);
  if (i < 0) refuse("no \"" + key + "\"", "\"" + key + "\" among the keys");
  return item(static_cast<std::size_t>(i));
}

void Node::only_keys(const std::vector<std::string>& known) const {
  const auto& all = keys();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::find(known.begin(), known.end(), all[i]) != known.end()) continue;
    throw InputError(*file_, value_->key_lines[i], element_, "key \"" + all[i] + "\"" + suggestions_text(all[i], known),
                     "one of " + comma_list(known));
  }
}

}  // namespace sparsedyn::json
