// OwnerLedger: reading, appending and rewriting the files of owner_ledger.h. FORMAT.md has their bytes.
//
// Owns: the entries and their checksums. Rule that must stay true: what is appended stands behind whole entries only, so that one torn write loses
// nothing but itself.
#include "native/kv/owner_ledger.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "native/base/crc32c.h"

namespace codicil::kv {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kEntryBytes = 20;  // name, then its CRC-32C
constexpr char kMagic[8] = {'C', 'O', 'D', 'I', 'C', 'L', 'O', 'W'};
constexpr std::size_t kMaxOwner = 64;
constexpr const char* kTemporary = ".writing";

std::array<char, kEntryBytes> entry_of(const PageName& name) {
  std::array<char, kEntryBytes> out;
  std::memcpy(out.data(), &name, sizeof name);
  const std::uint32_t crc = crc32c(std::as_bytes(std::span(out).first(sizeof name)));
  std::memcpy(out.data() + sizeof name, &crc, sizeof crc);
  return out;
}

// The whole entries at the beginning of a ledger.
std::vector<PageName> entries_of(const std::string& bytes) {
  std::vector<PageName> out;
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) return out;
  for (std::size_t at = sizeof kMagic; at + kEntryBytes <= bytes.size(); at += kEntryBytes) {
    PageName name;
    std::memcpy(&name, bytes.data() + at, sizeof name);
    if (std::memcmp(entry_of(name).data(), bytes.data() + at, kEntryBytes) != 0) break;
    out.push_back(name);
  }
  return out;
}

}  // namespace

bool is_owner(const std::string& text) {
  const auto fine = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; };
  return !text.empty() && text.size() <= kMaxOwner && std::all_of(text.begin(), text.end(), fine);
}

void OwnerLedger::read() {
  std::error_code error;
  unread_.clear();
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    if (path.extension() != ".owner" || !is_owner(path.stem().string())) continue;
    const std::string owner = path.stem().string();
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      unread_.insert(owner);
      continue;
    }
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::vector<PageName> names = entries_of(bytes);
    names_[owner].insert(names.begin(), names.end());
    if (bytes.size() != sizeof kMagic + names.size() * kEntryBytes) torn_.insert(owner);
  }
  unread_folder_ = error && error != std::errc::no_such_file_or_directory;
}

bool OwnerLedger::owns(const std::string& owner, const PageName& name) const {
  const auto found = names_.find(owner);
  return found != names_.end() && found->second.contains(name);
}

bool OwnerLedger::is_owned_by_another(const std::string& owner, const PageName& name) const {
  return std::any_of(names_.begin(), names_.end(), [&](const auto& entry) { return entry.first != owner && entry.second.contains(name); });
}

bool OwnerLedger::add(const std::string& owner, const PageName& name) {
  if (owns(owner, name)) return true;
  if (!has_read(owner) || (torn_.contains(owner) && !rewrite(owner))) return false;
  std::error_code error;
  fs::create_directories(folder_, error);
  const std::string path = path_of(owner);
  const bool fresh = !fs::exists(path, error);
  std::ofstream file(path, std::ios::binary | std::ios::app);
  if (fresh) file.write(kMagic, sizeof kMagic);
  const auto entry = entry_of(name);
  file.write(entry.data(), kEntryBytes);
  file.close();
  if (!file) {
    torn_.insert(owner);
    return false;
  }
  names_[owner].insert(name);
  return true;
}

void OwnerLedger::drop(const PageName& name) {
  for (auto& entry : names_) entry.second.erase(name);
}

bool OwnerLedger::remove(const std::string& owner, Deletion& deletion) {
  const std::string path = path_of(owner);
  const bool gone = deletion.remove(path + kTemporary, false) && deletion.remove(path, false);
  if (!gone) return false;
  names_.erase(owner);
  torn_.erase(owner);
  return true;
}

// Through a temporary name: a crash leaves the old ledger or the new one.
bool OwnerLedger::rewrite(const std::string& owner) {
  const Names& names = names_[owner];
  Deletion deletion;
  if (names.empty()) return remove(owner, deletion);
  const std::string path = path_of(owner), temporary = path + kTemporary;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(kMagic, sizeof kMagic);
  for (const PageName& name : names) file.write(entry_of(name).data(), kEntryBytes);
  file.close();
  std::error_code error;
  if (file) fs::rename(temporary, path, error);
  if (!file || error) {
    (void)deletion.remove(temporary, false);  // or by remove(): it has names only
    return false;
  }
  torn_.erase(owner);
  return true;
}

}  // namespace codicil::kv
