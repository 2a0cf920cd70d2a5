// SPDX-License-Identifier: Apache-2.0
// How many members a struct has, so that a test sees one that a list of them lacks.
#pragma once

/// Makes a value of any type: {Anything{}, ...} initializes as many members as a struct has.
struct Anything {
  template <typename Member>
  operator Member() const;
};

template <typename Struct, typename... Given>
constexpr int count_members() {
  if constexpr (requires { Struct{Given{}..., Anything{}}; }) {
    return count_members<Struct, Given..., Anything>();
  } else {
    return sizeof...(Given);
  }
}
