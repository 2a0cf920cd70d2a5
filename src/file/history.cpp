// SPDX-License-Identifier: Apache-2.0
// Asks the kernel for the command: a library is not told it.
#include "file/history.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <fstream>
#include <iterator>

namespace thalweg {

namespace {

/// Words of this process's command, separated by blanks; "" where there is no /proc.
std::string command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  const auto program = std::find(text.begin(), text.end(), '\0');
  const auto slash = std::find(std::make_reverse_iterator(program), text.rend(), '/');
  text.erase(text.begin(), slash.base());  // the program's name says enough, without its folder
  // A history has one line for each program, and no letters that a reader may not know.
  const auto strange = [](unsigned char letter) { return std::isprint(letter) == 0; };
  std::replace(text.begin(), text.end(), '\0', ' ');
  std::replace_if(text.begin(), text.end(), strange, '?');
  return text;
}

}  // namespace

std::string history_line() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return std::string(date.data()) + ": " + command();
}

}  // namespace thalweg
