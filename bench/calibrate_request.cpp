// SPDX-License-Identifier: Apache-2.0
// Options in pairs.
#include "calibrate_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "thalweg/error.hpp"

namespace thalweg::bench {
namespace {

constexpr double longest_round_s = 86400.0;

double duration_s(const std::string& option, const std::string& value) {
  const double seconds = std::stod(value);
  if (seconds > 0.0 && seconds < longest_round_s) return seconds;
  throw Error(Blame::user, fmt::format("{} is '{}', but must be above 0", option, value));
}

}  // namespace

CalibrateRequest CalibrateRequest::parse(const std::vector<std::string>& words) {
  CalibrateRequest request;
  request.directory = words.front();
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size())
      throw Error(Blame::user, fmt::format("'{}' has no value; see --help", words[i]));
    const auto &option = words[i], &value = words[i + 1];
    if (option == "--seconds") {
      request.seconds = duration_s(option, value);
    } else if (option == "--file-seconds") {
      request.file_seconds = duration_s(option, value);
    } else if (option == "--seed") {
      request.seed = static_cast<unsigned>(std::stoul(value));
    } else if (option == "--sizes") {
      for (std::size_t at = 0; at <= value.size();
           at = std::min(value.find(',', at), value.size()) + 1)
        request.sizes.push_back(std::stoll(value.substr(at)));
    } else {
      throw Error(Blame::user, fmt::format("option '{}' does not exist; see --help", option));
    }
  }
  return request;
}

}  // namespace thalweg::bench
