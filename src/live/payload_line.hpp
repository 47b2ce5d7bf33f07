// What a link carries, as a line: payload LINK MASS [X Y Z [IXX IXY IXZ IYY IYZ IZZ]].
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/live/live_change.hpp"

namespace sparsedyn {

/// words: those of the line, `payload` first. On a wrong one `why` says what is wrong: FOUND; expected EXPECTED.
LiveChange read_payload(const std::vector<std::string>& words, const std::vector<std::string>& links, std::string& why);
/// The line that reads back as it.
std::string payload_text(const LivePayload& payload, const std::vector<std::string>& links);

}  // namespace sparsedyn
