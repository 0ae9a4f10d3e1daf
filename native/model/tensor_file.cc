// Byte offsets are those of tensor_file.h.
#include "native/model/tensor_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "native/base/crc32c.h"
#include "native/base/log.h"

namespace codicil::model {
namespace {

constexpr char kMagic[8] = {'C', 'O', 'D', 'I', 'C', 'L', 'C', 'S'};
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHead = 24;
// Of one read: long enough that the disk's own overhead per request is small (0.6 MB reads give 90 % of what 4 MB reads give), short enough
// that the staging of all reading threads is little beside a model.
constexpr std::uint64_t kPartBytes = std::uint64_t{4} << 20;
constexpr std::size_t kSamples = 8, kSampleBytes = 64;
constexpr int kCheckingThreads = 8;  // requests in flight: one or two leave half of an SSD's speed unused

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

Result<std::vector<File>> open_parts(const Gguf& gguf, File::Access access) {
  std::vector<File> files;
  for (const std::string& part : gguf.parts()) {
    Result<File> file = File::open(part, access);
    if (!file.ok()) return file.status();
    files.push_back(std::move(file).value());
  }
  return files;
}

Status stopped() {
  return Status(Code::cancelled, "expected to read the model's weights, found that the engine is being closed: open it again if it is still wanted");
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

TensorParts::TensorParts(const GgufTensor& tensor)
    : matrices_(tensor.dimensions == 3 ? tensor.shape[2] : 1),
      matrix_rows_(tensor.rows() / matrices_),
      row_bytes_(tensor.bytes / static_cast<std::uint64_t>(tensor.rows())) {
  const auto fit = static_cast<std::int64_t>(kPartBytes / std::max<std::uint64_t>(row_bytes_, 1)) / kPartRows * kPartRows;
  part_rows_ = std::min(std::max(fit, kPartRows), matrix_rows_);
  parts_per_matrix_ = (matrix_rows_ + part_rows_ - 1) / part_rows_;
}

TensorPart TensorParts::get(std::int64_t index) const {
  TensorPart part;
  part.matrix = index / parts_per_matrix_;
  part.first_row = index % parts_per_matrix_ * part_rows_;
  part.rows = std::min(part_rows_, matrix_rows_ - part.first_row);
  part.offset = static_cast<std::uint64_t>(part.matrix * matrix_rows_ + part.first_row) * row_bytes_;
  part.bytes = static_cast<std::uint64_t>(part.rows) * row_bytes_;
  return part;
}

TensorFile::TensorFile(const Gguf& gguf, const TensorFileOptions& options) : gguf_(&gguf), options_(options) {
  std::size_t slots = 0;
  for (const GgufTensor& tensor : gguf.tensors()) {
    first_slot_.push_back(slots);
    slots += static_cast<std::size_t>(TensorParts(tensor).count());
  }
  first_slot_.push_back(slots);
  checksums_.resize(slots);
  known_.resize(slots);
}

Result<std::unique_ptr<TensorFile>> TensorFile::open(const Gguf& gguf, const TensorFileOptions& options) {
  std::unique_ptr<TensorFile> out(new TensorFile(gguf, options));
  Result<std::vector<File>> files = open_parts(gguf, options.access);
  if (!files.ok()) return files.status();
  out->files_ = std::move(files).value();
  if (options.checksum_folder.empty()) return out;
  out->key_ = key_of(gguf);
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.crc", static_cast<unsigned long long>(out->key_));
  out->sidecar_ = (std::filesystem::path(options.checksum_folder) / name).string();
  out->load_record();
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
  known_.assign(n, 1);
  recorded_ = true;
}

namespace {

Result<std::span<const std::byte>> read_part(const File& file, const GgufTensor& tensor, const TensorPart& part, Staging& staging) {
  const Result<std::span<std::byte>> room = staging.room(File::room_for(static_cast<std::size_t>(part.bytes)));
  if (!room.ok()) return room.status();
  return file.read_around(tensor.offset + part.offset, static_cast<std::size_t>(part.bytes), room.value());
}

}  // namespace

Result<std::span<std::byte>> Staging::room(std::size_t bytes) {
  if (memory_.size() < bytes + File::kDirectBlock) {
    Result<AlignedBuffer> grown = AlignedBuffer::allocate(bytes + File::kDirectBlock);
    if (!grown.ok()) return grown.status();
    memory_ = std::move(grown).value();
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data());
  const std::size_t before = (File::kDirectBlock - begin % File::kDirectBlock) % File::kDirectBlock;
  return std::span(memory_.data() + before, bytes);
}

std::size_t TensorFile::slot(const GgufTensor& tensor, const TensorPart& part) const {
  const TensorParts parts(tensor);
  const std::int64_t in_matrix = part.first_row == 0 ? 0 : part.first_row / parts.get(0).rows;
  return first_slot_[index(tensor)] + static_cast<std::size_t>(part.matrix * parts.per_matrix() + in_matrix);
}

Result<std::span<const std::byte>> TensorFile::read(const GgufTensor& tensor, const TensorPart& part, Staging& staging) {
  if (is_stopped()) return stopped();
  Result<std::span<const std::byte>> raw = read_part(files_[tensor.part], tensor, part, staging);
  if (options_.checksum_folder.empty()) return raw;
  if (!raw.ok()) return recorded_ && raw.status().code() == Code::io_failed ? from_second(tensor, part, raw.status().message(), staging) : raw;
  const std::size_t i = slot(tensor, part);
  const std::uint32_t crc = crc32c(raw.value());
  if (recorded_ && crc != checksums_[i]) return from_second(tensor, part, "its bytes have changed since the first load", staging);
  if (!recorded_) {
    checksums_[i] = crc;
    known_[i] = 1;
  }
  return raw;
}

Status TensorFile::open_second(const std::string& damaged) {
  if (second_) return {};
  Result<Gguf> second = Gguf::read_file(options_.second_copy);
  if (!second.ok()) return Status(Code::model_invalid, damaged + ", and the second copy can not be used: " + second.status().message());
  Result<std::vector<File>> files = open_parts(second.value(), options_.access);
  if (!files.ok()) return files.status();
  second_.emplace(std::move(second).value());
  second_files_ = std::move(files).value();
  return {};
}

Result<std::span<const std::byte>> TensorFile::from_second(const GgufTensor& tensor, const TensorPart& part, const std::string& fault,
                                                           Staging& staging) {
  const std::string name(tensor.name), damaged = gguf_->parts()[tensor.part] + ": tensor " + name + " is damaged (" + fault + ")";
  if (options_.second_copy.empty())
    return Status(Code::model_invalid,
                  damaged + ". Get the file again, or name a second copy of it. If you replaced the file on purpose, delete " + sidecar_ + ".");
  const std::scoped_lock lock(second_mutex_);
  if (Status status = open_second(damaged); !status.ok()) return status;
  const GgufTensor* other = second_->find_tensor(tensor.name);
  if (other == nullptr || other->type != tensor.type || other->shape != tensor.shape)
    return Status(Code::model_invalid, damaged + ", and the second copy " + options_.second_copy + " has no such tensor: it is another model.");
  Result<std::span<const std::byte>> raw = read_part(second_files_[other->part], *other, part, staging);
  const bool sound = raw.ok() && crc32c(raw.value()) == checksums_[slot(tensor, part)];
  if (!sound) return Status(Code::model_invalid, damaged + ", and so it is in the second copy " + options_.second_copy + ". Get the file again.");
  log(LogLevel::warning, "tensor_read_from_second_copy", {{"tensor", name}, {"file", options_.second_copy}, {"reason", fault}});
  return raw;
}

Status TensorFile::for_each_part(const std::function<bool(std::size_t)>& wanted,
                                 const std::function<Status(std::size_t, std::size_t, const Result<std::span<const std::byte>>&)>& fn) const {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  Status status;
  const auto work = [&] {
    Staging staging;
    for (std::size_t at = next++; at < checksums_.size() && !failed; at = next++) {
      if (!wanted(at)) continue;
      const auto after = std::upper_bound(first_slot_.begin(), first_slot_.end(), at);
      const auto tensor = static_cast<std::size_t>(after - first_slot_.begin() - 1);
      const GgufTensor& t = gguf_->tensors()[tensor];
      const TensorPart part = TensorParts(t).get(static_cast<std::int64_t>(at - first_slot_[tensor]));
      const Status done = is_stopped() ? stopped() : fn(tensor, at, read_part(files_[t.part], t, part, staging));
      if (done.ok()) continue;
      const std::scoped_lock lock(mutex);
      if (status.ok()) status = done;
      failed = true;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < kCheckingThreads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return status;
}

Result<std::uint64_t> TensorFile::fingerprint() {
  constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325u, kFnvPrime = 0x100000001b3u;
  const auto mix = [](std::uint64_t& hash, std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * kFnvPrime;
  };
  // Tensors are sampled by several threads, then mixed in order.
  const std::span<const GgufTensor> tensors = gguf_->tensors();
  std::vector<std::uint64_t> hashes(tensors.size(), kFnvStart);
  std::vector<Status> statuses(kCheckingThreads);
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::size_t thread) {
    Staging staging;
    const Result<std::span<std::byte>> room = staging.room(File::room_for(kSampleBytes));
    if (!room.ok()) {
      statuses[thread] = room.status();
      return;
    }
    for (std::size_t at = next++; at < tensors.size(); at = next++) {
      if (is_stopped()) {
        statuses[thread] = stopped();
        return;
      }
      const GgufTensor& t = tensors[at];
      mix(hashes[at], std::as_bytes(std::span(t.name)));
      for (std::size_t i = 0; i < kSamples; ++i) {
        const std::uint64_t offset = t.bytes / kSamples * i;
        const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kSampleBytes, t.bytes - offset));
        const Result<std::span<const std::byte>> read = files_[t.part].read_around(t.offset + offset, bytes, room.value());
        if (!read.ok()) {
          statuses[thread] = read.status();
          return;
        }
        mix(hashes[at], read.value());
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < statuses.size(); ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : statuses)
    if (!status.ok()) return status;
  std::uint64_t hash = kFnvStart;
  mix(hash, std::as_bytes(std::span(hashes)));
  return hash;
}

Status TensorFile::record() {
  if (options_.checksum_folder.empty() || recorded_) return {};
  const Status read = for_each_part([&](std::size_t at) { return known_[at] == 0; },
                                    [&](std::size_t, std::size_t at, const Result<std::span<const std::byte>>& bytes) {
                                      if (!bytes.ok()) return bytes.status();
                                      checksums_[at] = crc32c(bytes.value());
                                      known_[at] = 1;
                                      return Status();
                                    });
  if (!read.ok()) return read;
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
  log(LogLevel::info, "checksums_recorded", {{"file", sidecar_}, {"parts", std::to_string(n)}});
  return {};
}

Result<std::vector<std::string>> TensorFile::damaged() {
  std::vector<std::string> names;
  if (!recorded_) return names;
  std::vector<std::atomic<bool>> bad(gguf_->tensors().size());
  const Status read = for_each_part([](std::size_t) { return true; },
                                    [&](std::size_t tensor, std::size_t at, const Result<std::span<const std::byte>>& bytes) {
                                      if (!bytes.ok() && bytes.status().code() != Code::io_failed) return bytes.status();
                                      if (!bytes.ok() || crc32c(bytes.value()) != checksums_[at]) bad[tensor] = true;
                                      return Status();
                                    });
  if (!read.ok()) return read;
  for (const GgufTensor& tensor : gguf_->tensors())
    if (bad[index(tensor)]) names.emplace_back(tensor.name);
  return names;
}

}  // namespace codicil::model
