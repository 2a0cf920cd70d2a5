// SPDX-License-Identifier: Apache-2.0
// The first failure of a rank that goes on taking part in what a team does together.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "ranks/agreement.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

class FirstFailure {
 public:
  explicit FirstFailure(std::function<void(const Error&)> tell) : tell_(std::move(tell)) {}

  /// Later ones are its consequences, and are dropped.
  void keep(const std::exception& error) {
    if (error_) return;
    error_ = error_of(error);
    tell_(*error_);
  }
  /// Acts if nothing has failed yet, and keeps what is thrown.
  template <class Act>
  void attempt(const Act& act) {
    if (error_) return;
    try {
      act();
    } catch (const std::exception& error) {
      keep(error);
    }
  }
  bool happened() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::function<void(const Error&)> tell_;
  std::optional<Error> error_;
};

}  // namespace thalweg
