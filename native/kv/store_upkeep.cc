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

#include "native/kv/deletion.h"
#include "native/kv/owner_ledger.h"
#include "native/kv/page_file.h"

namespace codicil::kv {

namespace fs = std::filesystem;

namespace {

constexpr std::streamoff kPreviousAt = 56;  // in both kinds of files (FORMAT.md)
constexpr std::size_t kNameDigits = 32;

struct Record {
  fs::path path;
  std::uint64_t bytes = 0;
  PageName previous;
  bool known = true;  // false: what it continues could not be read
};

// One model's part of the folder. Names are taken from the files' names, so that a damaged file is deleted like any other.
struct Part {
  explicit Part(const fs::path& folder) : ledger((folder / "owners").string()) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const fs::path& path = it->path();
      // NAME.page, NAME.snapshot, and what a process that ended left of them
      const std::string kind = path.filename().string().substr(std::min<std::size_t>(kNameDigits, path.filename().string().size()));
      const bool record_kind = kind == ".page" || kind == ".snapshot" || kind == ".page.writing" || kind == ".snapshot.writing";
      std::error_code gone;
      PageName name;
      if (!record_kind || !it->is_regular_file(gone) || !read_hex_name(path.filename().string().substr(0, kNameDigits), name)) continue;
      Record record{path, it->file_size(gone), {}};
      std::ifstream file(path, std::ios::binary);
      file.seekg(kPreviousAt);
      file.read(reinterpret_cast<char*>(&record.previous), sizeof record.previous);
      record.known = static_cast<bool>(file);
      after.emplace(record.previous, name);
      bytes += record.bytes;
      records.emplace(name, std::move(record));
    }
    ledger.read();
    listed = !error;
  }

  std::unordered_multimap<PageName, Record, NameHash> records;
  std::unordered_multimap<PageName, PageName, NameHash> after;
  std::uint64_t bytes = 0;
  bool listed = true;
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

Status unlisted(const fs::path& folder) {
  return Status(Code::io_failed, "expected to read the folder of stored pages " + folder.string() +
                                     ", found that the system refused: let this user read it, then try again");
}

}  // namespace

Result<Stored> list_stored(const std::string& store_folder) {
  Stored out;
  std::map<std::string, StoredOwner> owners;
  for (const fs::path& folder : model_folders(store_folder)) {
    const Part part(folder);
    if (!part.listed) return unlisted(folder);
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
  Deletion deletion;
  for (const fs::path& folder : model_folders(store_folder)) {
    Part part(folder);
    if (!part.listed) deletion.failed(folder.string(), "it can not be listed");
    if (!part.ledger.has_read(owner)) deletion.failed(part.ledger.path_of(owner), "it can not be read");
    const auto found = part.ledger.all().find(owner);
    if (found == part.ledger.all().end()) continue;
    std::vector<PageName> names;
    for (const PageName& name : found->second)
      if (!part.ledger.is_owned_by_another(owner, name)) names.push_back(name);
    // What cannot be read may continue what goes.
    for (const auto& [name, record] : part.records)
      if (!record.known && !part.ledger.is_owned_by_another(owner, name)) names.push_back(name);
    Names seen(names.begin(), names.end());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto [begin, end] = part.after.equal_range(names[i]);
      for (auto it = begin; it != end; ++it)
        if (seen.insert(it->second).second) names.push_back(it->second);
    }
    bool gone = part.listed;
    for (const PageName& name : seen) {
      const auto [begin, end] = part.records.equal_range(name);
      for (auto it = begin; it != end; ++it) gone &= deletion.remove(it->second.path.string());
    }
    if (gone) (void)part.ledger.remove(owner, deletion);  // last, as in DiskStore
  }
  return deletion.result();
}

Result<Forgotten> clear_stored(const std::string& store_folder) {
  Deletion deletion;
  for (const fs::path& folder : model_folders(store_folder)) {
    const Part part(folder);
    for (const auto& [name, record] : part.records) (void)deletion.remove(record.path.string());
    std::error_code error;
    fs::remove_all(folder, error);
    if (error && deletion.complete()) deletion.failed(folder.string(), error.message());
  }
  return deletion.result();
}

}  // namespace codicil::kv
