// SPDX-License-Identifier: Apache-2.0
// Checks one value of an experiment against its entry in settings.toml.
#pragma once

#include <toml++/toml.h>

#include <string>

#include "settings/settings_list.hpp"

namespace thalweg {

/// The value in its final type; durations in seconds, dates in one form. Throws Error(user) with a
/// sentence that begins "file [table]: ".
SettingValue checked_value(const SettingSpec& spec, const toml::node& node,
                           const std::string& file);

}  // namespace thalweg
