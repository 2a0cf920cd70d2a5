// SPDX-License-Identifier: Apache-2.0
// Every case the mini-model knows. To add one: write <name>.cpp, declare it in cases.hpp, add its
// line here.
#include "cases.hpp"

#include <array>
#include <string>
#include <vector>

#include "thalweg/error.hpp"

namespace thalweg::mini {
namespace {

struct CaseRow {
  std::string_view name;
  Case (*make)();
};
constexpr std::array cases{
    CaseRow{"steady", make_steady},
    CaseRow{"mountain", make_mountain},
    CaseRow{"jet", make_jet},
};

}  // namespace

Case make_case(std::string_view name) {
  std::vector<std::string> known;
  for (const CaseRow& row : cases) {
    if (row.name == name) return row.make();
    known.emplace_back(row.name);
  }
  throw Error(Blame::user, "[model] case: '" + std::string(name) +
                               "' does not exist; choose steady, mountain or jet." +
                               did_you_mean(name, known));
}

}  // namespace thalweg::mini
