#include "suggestions.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <tuple>

namespace sparsedyn {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

int edit_distance(const std::string& a, const std::string& b) {
  // Row i of the table: d[k] = distance between the first i letters of a and the first k of b.
  const std::size_t columns = b.size() + 1;
  std::vector<int> before(columns), last(columns), d(columns);
  for (std::size_t k = 0; k < columns; ++k) d[k] = static_cast<int>(k);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(d);
    d[0] = static_cast<int>(i);
    for (std::size_t k = 1; k < columns; ++k) {
      const int replaced = last[k - 1] + (same_letter(a[i - 1], b[k - 1]) ? 0 : 1);
      d[k] = std::min({last[k] + 1, d[k - 1] + 1, replaced});
      if (i > 1 && k > 1 && same_letter(a[i - 1], b[k - 2]) && same_letter(a[i - 2], b[k - 1]))
        d[k] = std::min(d[k], before[k - 2] + 1);
    }
  }
  return d.back();
}

namespace {

constexpr int beyond = 1 << 20;  // no distance

/// The distance where it is within a third of the name's length (but at least two edits), and not as long as the names.
int distance_by_edits(const std::string& name, const std::string& candidate) {
  const int length = static_cast<int>(candidate.size()), own = static_cast<int>(name.size());
  const int reach = std::max(2, own / 3);
  if (std::abs(length - own) > reach) return beyond;
  const int distance = edit_distance(name, candidate);
  return distance <= reach && distance < std::max(length, own) ? distance : beyond;
}

/// What stands between dots, underscores, hyphens, slashes and blanks: `tau`, `left`, `knee`.
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (char c : name)
    if (std::string("._-/: ").find(c) == std::string::npos)
      parts.back() += c;
    else if (!parts.back().empty())
      parts.emplace_back();
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

/// Edits between two parts, where they are few beside the parts' lengths.
int distance_of_parts(const std::string& a, const std::string& b) {
  const int shorter = static_cast<int>(std::min(a.size(), b.size())), longer = static_cast<int>(std::max(a.size(), b.size()));
  if (longer - shorter > shorter / 4) return beyond;
  const int distance = edit_distance(a, b);
  return distance <= shorter / 4 ? distance : beyond;
}

/// The edits that let all of `some` stand among `all`, in any order: people say knee_left and left_knee.
int distance_among(const std::vector<std::string>& some, std::vector<std::string> all) {
  int sum = 0;
  for (const std::string& part : some) {
    int least = beyond;
    auto nearest = all.end();
    for (auto other = all.begin(); other != all.end(); ++other)
      if (const int distance = distance_of_parts(part, *other); distance < least) least = distance, nearest = other;
    if (nearest == all.end()) return beyond;
    all.erase(nearest);
    sum += least;
  }
  return some.empty() ? beyond : sum;
}

bool holds(const std::string& text, const std::string& piece) {
  return std::search(text.begin(), text.end(), piece.begin(), piece.end(), same_letter) != text.end();
}

/// How far the name is from being a piece of the candidate, which begins or ends with it, or holds all its parts, as
/// `tau.left_knee_joint` holds those of `tau.knee`. A piece counts like one edit, and like two where the candidate is the
/// piece, the greater part of the name. One letter alone is in too many names.
int distance_by_parts(const std::string& name, const std::string& candidate) {
  if (std::min(name.size(), candidate.size()) < 2) return beyond;
  const bool within = name.size() <= candidate.size();
  if (within && name.size() > 2 && holds(candidate, name)) return 1;
  if (!within && 2 * candidate.size() < name.size()) return beyond;
  const int distance = within ? distance_among(parts_of(name), parts_of(candidate)) + 1
                              : distance_among(parts_of(candidate), parts_of(name)) + 2;
  return std::min(distance, beyond);
}

}  // namespace

std::vector<std::string> suggestions(const std::string& name, const std::vector<std::string>& candidates) {
  struct Near {
    int distance;          // in edits
    std::size_t leftover;  // letters that the other one has more
    const std::string* candidate;
  };
  std::vector<Near> near;
  for (const std::string& candidate : candidates) {
    const int distance = std::min(distance_by_edits(name, candidate), distance_by_parts(name, candidate));
    const std::size_t longer = std::max(name.size(), candidate.size()), shorter = std::min(name.size(), candidate.size());
    if (distance != beyond && candidate != name) near.push_back({distance, longer - shorter, &candidate});
  }
  std::stable_sort(near.begin(), near.end(), [](const Near& x, const Near& y) {
    return std::tie(x.distance, x.leftover) < std::tie(y.distance, y.leftover);
  });
  std::vector<std::string> names;
  for (std::size_t k = 0; k < near.size() && names.size() < 3; ++k)
    if (std::find(names.begin(), names.end(), *near[k].candidate) == names.end()) names.push_back(*near[k].candidate);
  return names;
}

std::string suggestions_text(const std::string& name, const std::vector<std::string>& candidates) {
  std::string text;
  for (const std::string& near : suggestions(name, candidates)) text += (text.empty() ? " (near: " : ", ") + near;
  return text.empty() ? text : text + ")";
}

std::string comma_list(const std::vector<std::string>& names) { return listing(names, names.size()); }

std::string listing(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace sparsedyn
