// Models in several files, as llama.cpp's gguf-split writes them: every part is a sound GGUF file with the keys split.no (from 0),
// split.count and split.tensors.count (of all parts together); the first has the model's metadata, each has some of the tensors.
//
// Owns: finding the other parts by the first one's name, and refusing what does not belong together. Leaves each file to gguf.cc.
// Rule that must stay true: either every tensor that the first part announces is there exactly once, or the part at fault is named.
#include <cstdio>

#include "native/base/crc32c.h"
#include "native/model/gguf.h"

namespace codicil::model {
namespace {

constexpr std::int64_t kMostParts = 99'999;  // five digits in the name

std::string part_suffix(std::int64_t part, std::int64_t count) {
  char text[40];
  std::snprintf(text, sizeof text, "-%05lld-of-%05lld.gguf", static_cast<long long>(part + 1), static_cast<long long>(count));
  return text;
}

std::string part_text(std::int64_t part, std::int64_t count) { return "part " + std::to_string(part + 1) + " of " + std::to_string(count); }

Status foreign(const std::string& path, std::int64_t part, std::int64_t count, const std::string& found) {
  return Status(Code::model_invalid,
                path + ": " + part_text(part, count) + " of the same model was expected, " + found + ". Get all parts again from one place.");
}

struct SplitKeys {
  std::int64_t number = 0, count = 1, tensors = 0;
};

Result<SplitKeys> split_keys(const Gguf& gguf) {
  const Result<std::int64_t> number = gguf.integer("split.no", 0), count = gguf.integer("split.count", 1);
  const Result<std::int64_t> tensors = gguf.integer("split.tensors.count", static_cast<std::int64_t>(gguf.tensors().size()));
  for (const auto* value : {&number, &count, &tensors})
    if (!value->ok()) return value->status();
  return SplitKeys{number.value(), count.value(), tensors.value()};
}

}  // namespace

// Takes the tensors of `part` as those of one more file. The views of a part point into its own header, which is kept.
Status Gguf::append(const Gguf& part) {
  for (GgufTensor tensor : part.tensors_) {
    tensor.part = parts_.size();
    if (!tensor_index_.emplace(tensor.name, tensors_.size()).second)
      return Status(Code::model_invalid, part.parts_[0] + ": tensor " + std::string(tensor.name) + " stands there and in " +
                                             parts_[find_tensor(tensor.name)->part] + ". Get all parts again from one place.");
    tensors_.push_back(tensor);
  }
  headers_.push_back(part.headers_[0]);
  parts_.push_back(part.parts_[0]);
  file_bytes_ += part.file_bytes_;
  header_checksum_ = crc32c(std::as_bytes(std::span(&part.header_checksum_, 1)), header_checksum_);
  return {};
}

Result<Gguf> Gguf::read_file(const std::string& path) {
  const auto read_part = [](const std::string& name) -> Result<Gguf> {
    const Result<File> file = File::open(name);
    if (!file.ok()) return file.status();
    return read(file.value());
  };
  Result<Gguf> first = read_part(path);
  if (!first.ok()) return first;
  const Result<SplitKeys> split = split_keys(first.value());
  if (!split.ok()) return Status(split.status().code(), path + ": " + split.status().message());
  const auto [number, count, tensors] = split.value();
  if (count <= 1) return first;
  if (count > kMostParts || number < 0 || number >= count)
    return Status(Code::model_invalid, path + ": a part of at most " + std::to_string(kMostParts) +
                                           " was expected, keys split.no and split.count say " + std::to_string(number) + " and " +
                                           std::to_string(count) + ". Get the file again.");
  const std::string suffix = part_suffix(number, count);
  if (!path.ends_with(suffix))
    return Status(Code::model_invalid, path + ": the file says that it is " + part_text(number, count) + ", so a name that ends in " + suffix +
                                           " was expected: the other parts are found by it. Give all parts their names back.");
  const std::string stem = path.substr(0, path.size() - suffix.size());
  if (number != 0)
    return Status(Code::invalid_request, path + ": the first part of the model was expected, this is " + part_text(number, count) + ". Open " + stem +
                                             part_suffix(0, count) + ".");
  for (std::int64_t i = 1; i < count; ++i) {
    const std::string name = stem + part_suffix(i, count);
    const Result<Gguf> part = read_part(name);
    if (!part.ok() && part.status().code() == Code::not_found)
      return Status(Code::not_found, name + ": " + part_text(i, count) + " was expected and is not there. Put all parts into one folder.");
    if (!part.ok()) return part.status();
    const Result<SplitKeys> keys = split_keys(part.value());
    if (!keys.ok()) return Status(keys.status().code(), name + ": " + keys.status().message());
    if (keys.value().number != i || keys.value().count != count)
      return foreign(name, i, count, "it says that it is " + part_text(keys.value().number, keys.value().count));
    if (keys.value().tensors != tensors)
      return foreign(name, i, count,
                     "it belongs to a model of " + std::to_string(keys.value().tensors) + " tensors instead of " + std::to_string(tensors));
    if (Status status = first.value().append(part.value()); !status.ok()) return status;
  }
  const auto found = static_cast<std::int64_t>(first.value().tensors_.size());
  if (found != tensors)
    return foreign(path, 0, count, "all parts together have " + std::to_string(found) + " tensors instead of " + std::to_string(tensors));
  return first;
}

}  // namespace codicil::model
