// Byte offsets are those of tensor_file.h.
#include "native/model/tensor_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "native/base/crc32c.h"
#include "native/base/log.h"

namespace codicil::model {
namespace {

constexpr char kMagic[8] = {'C', 'O', 'D', 'I', 'C', 'L', 'C', 'S'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHead = 24, kChunk = std::size_t{4} << 20;  // read at once while only checking: in a core's share of cache, and few calls

template <typename T>
std::uint32_t crc_of(const T& value, std::uint32_t before) {
  return crc32c(std::as_bytes(std::span(&value, 1)), before);
}

// The path is part of the key: two fine-tunes may agree in every byte of their headers.
std::uint64_t key_of(const Gguf& gguf) {
  std::error_code error;
  const std::string path = std::filesystem::weakly_canonical(gguf.parts()[0], error).string();
  const std::uint32_t low = crc32c(std::as_bytes(std::span(path)), crc_of(gguf.file_bytes(), 0));
  return static_cast<std::uint64_t>(gguf.header_checksum()) << 32 | low;
}

Result<std::vector<File>> open_parts(const Gguf& gguf) {
  std::vector<File> files;
  for (const std::string& part : gguf.parts()) {
    Result<File> file = File::open(part);
    if (!file.ok()) return file.status();
    files.push_back(std::move(file).value());
  }
  return files;
}

Status not_written(const std::string& path, const std::string& reason) {
  return Status(Code::io_failed,
                "The checksums of the model could not be written to " + path + ": " + reason + ". Free disk space or choose another folder.");
}

Status write_whole(const std::string& path, std::span<const std::byte> bytes) {
  const std::string temporary = path + "." + std::to_string(getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return not_written(path, std::strerror(errno));
  std::size_t done = 0;
  int error = 0;
  while (done < bytes.size() && error == 0) {
    const ssize_t wrote = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (wrote > 0)
      done += static_cast<std::size_t>(wrote);
    else if (wrote == 0 || errno != EINTR)
      error = wrote == 0 ? ENOSPC : errno;
  }
  if (error == 0 && fsync(descriptor) != 0) error = errno;
  ::close(descriptor);
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  std::remove(temporary.c_str());
  return not_written(path, std::strerror(error));
}

}  // namespace

Result<TensorFile> TensorFile::open(const Gguf& gguf, const TensorFileOptions& options) {
  TensorFile out(gguf);
  Result<std::vector<File>> files = open_parts(gguf);
  if (!files.ok()) return files.status();
  out.files_ = std::move(files).value();
  out.options_ = options;
  out.checksums_.resize(gguf.tensors().size());
  out.known_.resize(gguf.tensors().size());
  if (options.checksum_folder.empty()) return out;
  out.key_ = key_of(gguf);
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.crc", static_cast<unsigned long long>(out.key_));
  out.sidecar_ = (std::filesystem::path(options.checksum_folder) / name).string();
  out.load_record();
  return out;
}

void TensorFile::load_record() {
  const Result<File> file = File::open(sidecar_);
  if (!file.ok()) return;  // the first load
  const auto refuse = [&](const char* found) { log(LogLevel::warning, "checksums_refused", {{"file", sidecar_}, {"found", found}}); };
  const std::size_t n = checksums_.size(), bytes = kHead + 4 * n + 4;
  if (file.value().size() != bytes) return refuse("another length");
  const Result<AlignedBuffer> read = file.value().read_range(0, bytes);
  if (!read.ok()) return refuse("a read error");
  const std::byte* at = read.value().data();
  std::uint32_t version = 0, count = 0, crc = 0;
  std::uint64_t key = 0;
  std::memcpy(&version, at + 8, 4);
  std::memcpy(&count, at + 12, 4);
  std::memcpy(&key, at + 16, 8);
  std::memcpy(&crc, at + bytes - 4, 4);
  if (std::memcmp(at, kMagic, sizeof kMagic) != 0) return refuse("another mark");
  if (version != kVersion) return refuse("another version");
  if (crc != crc32c({at, bytes - 4})) return refuse("another checksum");
  if (count != n || key != key_) return refuse("another model's record");
  std::memcpy(checksums_.data(), at + kHead, 4 * n);
  known_.assign(n, true);
  recorded_ = true;
}

Result<AlignedBuffer> TensorFile::read(const GgufTensor& tensor) {
  Result<AlignedBuffer> raw = files_[tensor.part].read_range(tensor.offset, static_cast<std::size_t>(tensor.bytes));
  if (options_.checksum_folder.empty()) return raw;
  const std::size_t i = index(tensor);
  if (!raw.ok()) return recorded_ && raw.status().code() == Code::io_failed ? from_second(tensor, raw.status().message()) : std::move(raw);
  const std::uint32_t crc = crc32c({raw.value().data(), static_cast<std::size_t>(tensor.bytes)});
  if (recorded_ && crc != checksums_[i]) return from_second(tensor, "its bytes have changed since the first load");
  checksums_[i] = crc;
  known_[i] = true;
  return raw;
}

Result<AlignedBuffer> TensorFile::from_second(const GgufTensor& tensor, const std::string& fault) {
  const std::string name(tensor.name), damaged = gguf_->parts()[tensor.part] + ": tensor " + name + " is damaged (" + fault + ")";
  if (options_.second_copy.empty())
    return Status(Code::model_invalid,
                  damaged + ". Get the file again, or name a second copy of it. If you replaced the file on purpose, delete " + sidecar_ + ".");
  if (!second_) {
    Result<Gguf> second = Gguf::read_file(options_.second_copy);
    if (!second.ok()) return Status(Code::model_invalid, damaged + ", and the second copy can not be used: " + second.status().message());
    second_.emplace(std::move(second).value());
    Result<std::vector<File>> files = open_parts(*second_);
    if (!files.ok()) return files.status();
    second_files_ = std::move(files).value();
  }
  const GgufTensor* other = second_->find_tensor(tensor.name);
  if (other == nullptr || other->type != tensor.type || other->shape != tensor.shape)
    return Status(Code::model_invalid, damaged + ", and the second copy " + options_.second_copy + " has no such tensor: it is another model.");
  Result<AlignedBuffer> raw = second_files_[other->part].read_range(other->offset, static_cast<std::size_t>(other->bytes));
  const bool sound = raw.ok() && crc32c({raw.value().data(), static_cast<std::size_t>(other->bytes)}) == checksums_[index(tensor)];
  if (!sound) return Status(Code::model_invalid, damaged + ", and so it is in the second copy " + options_.second_copy + ". Get the file again.");
  log(LogLevel::warning, "tensor_read_from_second_copy", {{"tensor", name}, {"file", options_.second_copy}, {"reason", fault}});
  return raw;
}

Result<std::uint32_t> TensorFile::checksum_of(const GgufTensor& tensor) const {
  std::vector<std::byte> chunk(static_cast<std::size_t>(std::min<std::uint64_t>(tensor.bytes, kChunk)));
  std::uint32_t crc = 0;
  for (std::uint64_t done = 0; done < tensor.bytes; done += chunk.size()) {
    const auto part = std::span(chunk).first(static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), tensor.bytes - done)));
    if (Status status = files_[tensor.part].read(tensor.offset + done, part); !status.ok()) return status;
    crc = crc32c(part, crc);
  }
  return crc;
}

Status TensorFile::record() {
  if (options_.checksum_folder.empty() || recorded_) return {};
  for (const GgufTensor& tensor : gguf_->tensors()) {
    if (known_[index(tensor)]) continue;
    const Result<std::uint32_t> crc = checksum_of(tensor);
    if (!crc.ok()) return crc.status();
    checksums_[index(tensor)] = crc.value();
    known_[index(tensor)] = true;
  }
  std::error_code error;
  std::filesystem::create_directories(options_.checksum_folder, error);
  const std::size_t n = checksums_.size();
  std::vector<std::byte> bytes(kHead + 4 * n + 4);
  const auto count = static_cast<std::uint32_t>(n);
  std::memcpy(bytes.data(), kMagic, sizeof kMagic);
  std::memcpy(bytes.data() + 8, &kVersion, 4);
  std::memcpy(bytes.data() + 12, &count, 4);
  std::memcpy(bytes.data() + 16, &key_, 8);
  std::memcpy(bytes.data() + kHead, checksums_.data(), 4 * n);
  const std::uint32_t crc = crc32c(std::span(bytes).first(kHead + 4 * n));
  std::memcpy(bytes.data() + kHead + 4 * n, &crc, 4);
  if (Status status = write_whole(sidecar_, bytes); !status.ok()) return status;
  recorded_ = true;
  log(LogLevel::info, "checksums_recorded", {{"file", sidecar_}, {"tensors", std::to_string(n)}});
  return {};
}

Result<std::vector<std::string>> TensorFile::damaged() {
  std::vector<std::string> names;
  if (!recorded_) return names;
  for (const GgufTensor& tensor : gguf_->tensors()) {
    const Result<std::uint32_t> crc = checksum_of(tensor);
    if (!crc.ok() && crc.status().code() != Code::io_failed) return crc.status();
    if (!crc.ok() || crc.value() != checksums_[index(tensor)]) names.emplace_back(tensor.name);
  }
  return names;
}

}  // namespace codicil::model
