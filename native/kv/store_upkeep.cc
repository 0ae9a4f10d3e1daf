// Listing and deleting in the folders of all models. See store_upkeep.h for the rule.
//
// Owns: reading names and links from files whose model is not known: their contents are not checked, because deleting does not depend on them.
#include "native/kv/store_upkeep.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <unordered_map>
#include <vector>

#include "native/kv/owner_ledger.h"
#include "native/kv/page_file.h"

namespace codicil::kv {

namespace fs = std::filesystem;

namespace {

constexpr std::streamoff kPreviousAt = 56;  // in both kinds of files (FORMAT.md)

struct Record {
  fs::path path;
  std::uint64_t bytes = 0;
  PageName previous;
};

// From "high, low" in 32 hex digits; a file of another name is nobody's record.
bool read_hex_name(const std::string& text, PageName& name) {
  if (text.size() != 32 || text.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  name = {std::stoull(text.substr(16), nullptr, 16), std::stoull(text.substr(0, 16), nullptr, 16)};
  return true;
}

// One model's part of the folder. Names are taken from the files' names, so that a damaged file is deleted like any other.
struct Part {
  explicit Part(const fs::path& folder) : ledger((folder / "owners").string()) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const fs::path& path = it->path();
      if (!it->is_regular_file(error) || (path.extension() != ".page" && path.extension() != ".snapshot")) continue;
      Record record{path, it->file_size(error), {}};
      PageName name;
      if (!read_hex_name(path.stem().string(), name)) continue;
      std::ifstream file(path, std::ios::binary);
      file.seekg(kPreviousAt);
      file.read(reinterpret_cast<char*>(&record.previous), sizeof record.previous);
      after.emplace(record.previous, name);
      bytes += record.bytes;
      records.emplace(name, std::move(record));
    }
    ledger.read();
  }

  std::unordered_multimap<PageName, Record, NameHash> records;
  std::unordered_multimap<PageName, PageName, NameHash> after;
  std::uint64_t bytes = 0;
  OwnerLedger ledger;
};

std::vector<fs::path> model_folders(const std::string& store_folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(store_folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool hex = name.size() == 16 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (hex && it->is_directory(error)) out.push_back(it->path());
  }
  return out;
}

Status refused(const fs::path& path, const std::error_code& error) {
  return Status(Code::io_failed, "expected to delete " + path.string() + ", found that the system refused (" + error.message() +
                                     "): check who may write to the folder");
}

}  // namespace

Result<Stored> list_stored(const std::string& store_folder) {
  Stored out;
  std::map<std::string, StoredOwner> owners;
  for (const fs::path& folder : model_folders(store_folder)) {
    const Part part(folder);
    out.models += 1;
    out.files += part.records.size();
    out.bytes += part.bytes;
    for (const auto& [owner, names] : part.ledger.all()) {
      StoredOwner& sum = owners.try_emplace(owner, StoredOwner{owner, 0, 0}).first->second;
      for (const PageName& name : names) {
        const auto [begin, end] = part.records.equal_range(name);
        for (auto it = begin; it != end; ++it) sum.files += 1, sum.bytes += it->second.bytes;
      }
    }
  }
  for (auto& [name, owner] : owners) out.owners.push_back(std::move(owner));
  return out;
}

Result<Forgotten> forget_stored(const std::string& store_folder, const std::string& owner) {
  Forgotten out;
  for (const fs::path& folder : model_folders(store_folder)) {
    Part part(folder);
    const auto found = part.ledger.all().find(owner);
    if (found == part.ledger.all().end()) continue;
    std::vector<PageName> names;
    for (const PageName& name : found->second)
      if (!part.ledger.is_owned_by_another(owner, name)) names.push_back(name);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto [begin, end] = part.after.equal_range(names[i]);
      for (auto it = begin; it != end; ++it) names.push_back(it->second);
    }
    for (const PageName& name : names) {
      const auto [begin, end] = part.records.equal_range(name);
      for (auto it = begin; it != end; ++it) {
        std::error_code error;
        if (!fs::remove(it->second.path, error)) {
          if (error) return refused(it->second.path, error);
          continue;
        }
        out.files += 1;
        out.bytes += it->second.bytes;
      }
      part.records.erase(name);
    }
    part.ledger.remove(owner);
  }
  return out;
}

Result<Forgotten> clear_stored(const std::string& store_folder) {
  Forgotten out;
  for (const fs::path& folder : model_folders(store_folder)) {
    const Part part(folder);
    out.files += part.records.size();
    out.bytes += part.bytes;
    std::error_code error;
    fs::remove_all(folder, error);
    if (error) return refused(folder, error);
  }
  return out;
}

}  // namespace codicil::kv
