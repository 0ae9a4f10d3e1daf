#include "native/kv/deletion.h"

#include <algorithm>
#include <filesystem>

namespace codicil::kv {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kNamed = 5;  // files that an error names: a document may have thousands

}  // namespace

bool Deletion::remove(const std::string& path, bool counts) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error), bytes = error ? 0 : size;
  if (error == std::errc::no_such_file_or_directory) return true;
  const bool removed = fs::remove(path, error);
  if (error) {
    failed(path, error.message());
    return false;
  }
  if (!removed || !counts) return true;  // not removed: it went meanwhile
  gone_.files += 1;
  gone_.bytes += bytes;
  return true;
}

void Deletion::failed(const std::string& path, const std::string& reason) {
  if (left_.empty()) reason_ = reason;
  left_.push_back(path);
}

Result<Forgotten> Deletion::result() const {
  if (complete()) return gone_;
  std::string names;
  for (std::size_t i = 0; i < std::min(left_.size(), kNamed); ++i) names += (i == 0 ? "" : ", ") + left_[i];
  if (left_.size() > kNamed) names += " and " + std::to_string(left_.size() - kNamed) + " more";
  return Status(Code::io_failed, "expected to delete " + std::to_string(gone_.files + left_.size()) + " files, found that the system refused " +
                                     std::to_string(left_.size()) + " of them (" + reason_ + "): " + names + "; " + std::to_string(gone_.files) +
                                     " files of " + std::to_string(gone_.bytes) +
                                     " bytes are gone. Let this user write to these folders, then delete again");
}

}  // namespace codicil::kv
