// SPDX-License-Identifier: Apache-2.0
// What the library says, on standard error and in what it throws.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

#include "thalweg/error.hpp"

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

/// The sentence of the Error that `act` throws, or "".
inline std::string sentence_of(const auto& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// The same, of an Error that blames `blame`; what blames another says so.
inline std::string sentence_of(Blame blame, const auto& act) {
  try {
    act();
  } catch (const Error& error) {
    const std::string other = error.blame() == blame ? "" : "blames another: ";
    return other + error.what();
  }
  return "";
}

}  // namespace thalweg
