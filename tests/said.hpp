// SPDX-License-Identifier: Apache-2.0
// What the library says on standard error, for tests of warnings.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace thalweg {

/// What `act` writes on standard error on this rank.
inline std::string said_in(const auto& act) {
  std::FILE* kept = std::tmpfile();
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  dup2(fileno(kept), STDERR_FILENO);
  act();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::rewind(kept);
  std::string text;
  for (int letter = 0; (letter = std::fgetc(kept)) != EOF;) text += static_cast<char>(letter);
  std::fclose(kept);
  return text;
}

}  // namespace thalweg
