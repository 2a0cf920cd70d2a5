// SPDX-License-Identifier: Apache-2.0
// Renames and removals in such an order that a kill between any two leaves no set that looks whole
// and is not.
#include "restart/set_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <span>

#include "file/entries.hpp"
#include "file/file_bytes.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace fs = std::filesystem;

namespace {

constexpr const char* unfinished_suffix = ".part";
constexpr const char* replaced_suffix = ".old";

/// "20000101T060000Z", or with milliseconds, "20000101T060000.500Z".
bool is_date(std::string_view name) {
  const auto is_like = [&](std::string_view form) {
    return std::equal(name.begin(), name.end(), form.begin(), form.end(),
                      [](char letter, char wanted) {
                        return wanted == '0' ? std::isdigit(static_cast<unsigned char>(letter)) != 0
                                             : letter == wanted;
                      });
  };
  return is_like("00000000T000000Z") || is_like("00000000T000000.000Z");
}

void rename_path(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw_file_error("rename to its final name", from);
}

/// Nothing is flushed to the platter, as the files it speaks of are not: decision 0006.
void write_manifest(const std::string& set_path, const Manifest& manifest) {
  const auto text = manifest.to_text();
  FileBytes file(set_path + "/" + manifest_name, O_WRONLY | O_CREAT | O_TRUNC);
  file.write(std::as_bytes(std::span(text)), 0);
  file.close();
}

/// What has no set's name. The manifest goes first, if the name should be given back by hand.
void remove_aside(const fs::path& path) noexcept {
  std::error_code ignored;
  fs::remove(path / manifest_name, ignored);
  fs::remove_all(path, ignored);
}

/// At once for whoever looks for sets: half of one must not look like one.
void remove_set(const std::string& directory, const std::string& date) noexcept {
  const auto path = directory + "/" + date;
  remove_aside(path + replaced_suffix);
  std::error_code refused;
  fs::rename(path, path + replaced_suffix, refused);
  remove_aside(refused ? path : path + replaced_suffix);
}

void remove_strangers(const std::string& set_path, const Manifest& manifest) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(set_path, ignored)) {
    const auto name = entry.path().filename().string();
    if (std::none_of(manifest.files.begin(), manifest.files.end(),
                     [&](const FileEntry& file) { return file.name == name; })) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

void remove_old_sets(const std::string& directory, const std::string& newest,
                     const KeptSets& keep) {
  for (const fs::path name : names_in(directory)) {
    const auto suffix = name.extension().string();
    if (is_date(name.stem().string()) &&
        (suffix == unfinished_suffix || suffix == replaced_suffix)) {
      remove_aside(directory / name);
    }
  }
  int kept = 0;
  for (const auto& date : list_sets(directory)) {
    if (is_earlier(newest, date)) continue;
    const auto path = fs::path(directory) / date;
    const bool whole = is_present(path / manifest_name);
    const bool needed =
        keep.also.contains(date) || (keep.from_date && !is_earlier(date, *keep.from_date));
    if (!whole || (kept >= keep.newest && !needed)) {
      remove_set(directory, date);
    } else {
      ++kept;
    }
  }
}

}  // namespace

std::string unfinished_path(const std::string& directory, const std::string& date) {
  return directory + "/" + date + unfinished_suffix;
}

void make_set_directory(const std::string& directory, const std::string& date) {
  const auto path = unfinished_path(directory, date);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    errno = error.value();
    throw_file_error("create the directory", path);
  }
}

void complete_set(const std::string& directory, const Manifest& manifest, const KeptSets& kept) {
  const auto unfinished = unfinished_path(directory, manifest.date);
  const auto final_path = directory + "/" + manifest.date;
  remove_strangers(unfinished, manifest);
  write_manifest(unfinished, manifest);
  if (is_present(final_path)) {
    remove_aside(final_path + replaced_suffix);
    rename_path(final_path, final_path + replaced_suffix);
  }
  rename_path(unfinished, final_path);
  try {
    remove_old_sets(directory, manifest.date, kept);
  } catch (const Error&) {  // nobody can tell which they are: they stay, and this set is whole
  }
}

void remove_sets_after(const std::string& directory, const std::string& date) {
  for (const auto& other : list_sets(directory)) {
    if (is_earlier(date, other)) remove_set(directory, other);
  }
}

void give_up_set(const std::string& directory, const std::string& date) noexcept {
  remove_aside(unfinished_path(directory, date));
}

bool is_earlier(std::string_view date, std::string_view other) {
  const auto digits = [](std::string_view text) { return text.substr(0, text.find('Z')); };
  return digits(date) < digits(other);  // 1 s, 1.500 s, 2 s
}

std::vector<std::string> list_sets(const std::string& directory) {
  std::vector<std::string> dates;
  for (const auto& name : names_in(directory)) {
    if (is_date(name) && is_a_directory(fs::path(directory) / name)) dates.push_back(name);
  }
  std::sort(dates.rbegin(), dates.rend(), is_earlier);
  return dates;
}

Manifest read_manifest(const std::string& set_path) {
  const auto path = set_path + "/" + manifest_name;
  if (const auto text = text_of(path)) return Manifest::parse(*text, path);
  throw Error(Blame::file_system,
              fmt::format("restart set '{}' has no manifest; it was never completed", set_path));
}

}  // namespace thalweg
