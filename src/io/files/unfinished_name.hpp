// What a file is called until it is complete: `.sparsedyn-PID-NUMBER.part`.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace sparsedyn {

constexpr std::string_view before_unfinished = ".sparsedyn-", after_unfinished = ".part";

/// Process: the system's type of process numbers.
template <class Process>
std::string unfinished_name_of(Process process, int number) {
  return std::string(before_unfinished) + std::to_string(process) + "-" + std::to_string(number) +
         std::string(after_unfinished);
}

/// The process number in such a name; 0 in any other name.
template <class Process>
Process owner_in(std::string_view name) {
  const std::size_t around = before_unfinished.size() + after_unfinished.size();
  if (name.size() < around || name.substr(0, before_unfinished.size()) != before_unfinished ||
      name.substr(name.size() - after_unfinished.size()) != after_unfinished)
    return 0;
  name = name.substr(before_unfinished.size(), name.size() - around);
  const char* const end = name.data() + name.size();
  Process owner = 0;
  unsigned number = 0;
  const auto first = std::from_chars(name.data(), end, owner);
  if (first.ec != std::errc() || !(owner > 0) || first.ptr == end || *first.ptr != '-') return 0;
  const auto second = std::from_chars(first.ptr + 1, end, number);
  return second.ec == std::errc() && second.ptr == end ? owner : 0;
}

}  // namespace sparsedyn
