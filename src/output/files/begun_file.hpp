// SPDX-License-Identifier: Apache-2.0
// The file begun.json beside the journals: an entry for each stream; what is in it says begun.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "output/deal/definition.hpp"

namespace thalweg {

using BegunJson = nlohmann::ordered_json;

std::string begun_path(const Definition& definition);
/// [stream] by name; empty where there is none. Throws Error(user) if the file is damaged.
BegunJson read_begun_file(const Definition& definition);
/// The same, and empty if it is damaged: who continues has been refused by read_begun(), who begins
/// begins anew.
BegunJson known_streams(const Definition& definition);
/// Throws Error(file_system).
void write_begun_file(const Definition& definition, const BegunJson& streams);

}  // namespace thalweg
