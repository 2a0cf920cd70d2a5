// SPDX-License-Identifier: Apache-2.0
// A time after the end of the run: refused, and told again at the end, but the run goes on.
#pragma once

#include "thalweg/error.hpp"

namespace thalweg {

class BeyondRun final : public Error {
 public:
  using Error::Error;
};

}  // namespace thalweg
