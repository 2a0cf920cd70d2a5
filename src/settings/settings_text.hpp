// SPDX-License-Identifier: Apache-2.0
// The text of settings.toml, which travels inside the library.
#pragma once

namespace thalweg {

extern const char* const settings_text;

}  // namespace thalweg
