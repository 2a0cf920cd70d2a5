// SPDX-License-Identifier: Apache-2.0
// Exceptions become status codes here and nowhere else.
#pragma once

#include <exception>
#include <string>

#include "thalweg.h"
#include "thalweg/error.hpp"

namespace thalweg::capi {

/// Of this thread.
std::string& last_error();

template <class Act>
int status_of(const Act& act) {
  try {
    act();
    return THALWEG_OK;
  } catch (const Error& error) {
    last_error() = error.what();
    return error.blame() == Blame::user ? THALWEG_WRONG : THALWEG_FAILED;
  } catch (const std::exception& error) {
    last_error() = std::string("unexpected: ") + error.what();
    return THALWEG_FAILED;
  }
}

}  // namespace thalweg::capi
