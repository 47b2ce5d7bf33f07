#include "build_id.hpp"

#include <link.h>

#include <cstdint>
#include <cstring>

namespace sparsedyn {
namespace {

std::string hexadecimal(const unsigned char* bytes, std::size_t n) {
  std::string text;
  for (std::size_t k = 0; k < n; ++k) text += "0123456789abcdef"[bytes[k] >> 4], text += "0123456789abcdef"[bytes[k] & 15];
  return text;
}

/// Of a segment of notes: each has the lengths of its name and of its content, and a type; both parts begin at multiples of 4.
std::string id_in_notes(const unsigned char* at, std::size_t size) {
  const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
  ElfW(Nhdr) head;
  while (size >= sizeof head) {
    std::memcpy(&head, at, sizeof head);
    const unsigned char *const name = at + sizeof head, *const content = name + padded(head.n_namesz);
    const std::size_t whole = sizeof head + padded(head.n_namesz) + padded(head.n_descsz);
    if (whole > size) return "";
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      return hexadecimal(content, head.n_descsz);
    at += whole, size -= whole;
  }
  return "";
}

struct Search {
  std::uintptr_t inside;
  std::string found;
};

int look(dl_phdr_info* object, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  bool holds = false;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[k];
    const std::uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    holds = holds || (segment.p_type == PT_LOAD && search.inside >= start && search.inside < start + segment.p_memsz);
  }
  for (int k = 0; holds && k < object->dlpi_phnum && search.found.empty(); ++k) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[k];
    if (segment.p_type == PT_NOTE)
      search.found = id_in_notes(reinterpret_cast<const unsigned char*>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return holds;
}

}  // namespace

std::string build_id() {
  Search search{reinterpret_cast<std::uintptr_t>(&look), {}};
  dl_iterate_phdr(&look, &search);
  return search.found;
}

}  // namespace sparsedyn
