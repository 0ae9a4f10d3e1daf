// The parser behind gguf.h: one pass over the beginning of the file, grown and tried again while the header turns out to be longer.
#include "native/model/gguf.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "native/base/crc32c.h"

namespace codicil::model {
namespace {

constexpr std::uint64_t kFirstRead = 1u << 20;      // most headers without a vocabulary fit
constexpr std::uint64_t kMaxHeader = 256ull << 20;  // ten times the largest public one (a 262,144-word vocabulary with merges)
constexpr std::uint64_t kMaxKey = 65'535;           // gguf.md: "Max length of 2^16-1 bytes"
constexpr std::uint64_t kMaxTensorName = 127;       // gguf.md says 64; files in the wild go a little over
constexpr std::uint64_t kMinPair = 8 + 1 + 4 + 1;   // shortest key, its type, the smallest value
constexpr std::uint64_t kMinTensor = 8 + 1 + 4 + 8 + 4 + 8;
constexpr std::uint64_t kDefaultAlignment = 32;  // gguf.md, general.alignment
constexpr std::uint32_t kLastKnownType = 41;     // ggml_type numbers that GGUF files carry today end here
static_assert(std::endian::native == std::endian::little, "GGUF is read in place");

constexpr const char* kTypeNames[] = {"u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64"};
constexpr std::size_t kTypeBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

std::string type_name(std::uint32_t type) { return type <= 12 ? kTypeNames[type] : "type " + std::to_string(type); }
bool is_integer(GgufType type) {
  return type != GgufType::f32 && type != GgufType::f64 && type != GgufType::boolean && type != GgufType::string && type != GgufType::array;
}

std::int64_t signed_at(GgufType type, const std::byte* at) {
  const auto load = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<std::int64_t>(value);
  };
  switch (type) {
    case GgufType::u8:
      return load(std::uint8_t{});
    case GgufType::i8:
      return load(std::int8_t{});
    case GgufType::u16:
      return load(std::uint16_t{});
    case GgufType::i16:
      return load(std::int16_t{});
    case GgufType::u32:
      return load(std::uint32_t{});
    case GgufType::i32:
      return load(std::int32_t{});
    default:
      return load(std::int64_t{});
  }
}

double float_at(GgufType type, const std::byte* at) {
  if (type == GgufType::f64) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// A name as it may appear in a message: printable, not endless.
std::string shown(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, 80)) text += c >= 0x20 && c < 0x7f ? c : '?';
  return text + (name.size() > 80 ? "..." : "");
}

}  // namespace

std::optional<std::int64_t> GgufValue::integer() const {
  if (!is_integer(type)) return std::nullopt;
  if (type == GgufType::u64 && bits_ > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return static_cast<std::int64_t>(bits_);
}

std::optional<double> GgufValue::number() const {
  if (type == GgufType::f32 || type == GgufType::f64) return std::bit_cast<double>(bits_);
  if (type == GgufType::u64) return static_cast<double>(bits_);
  const auto value = integer();
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

std::optional<bool> GgufValue::boolean() const { return type == GgufType::boolean ? std::optional<bool>(bits_ != 0) : std::nullopt; }
std::optional<std::string_view> GgufValue::string() const { return type == GgufType::string ? std::optional(string_) : std::nullopt; }

std::vector<std::int64_t> GgufValue::integers() const {
  std::vector<std::int64_t> values;
  if (!is_array() || !is_integer(element)) return values;
  const std::size_t step = kTypeBytes[static_cast<std::size_t>(element)];
  values.reserve(array_size_);
  for (std::size_t i = 0; i < array_size_; ++i) values.push_back(signed_at(element, raw_.data() + i * step));
  return values;
}

std::vector<double> GgufValue::numbers() const {
  std::vector<double> values;
  if (!is_array()) return values;
  if (element == GgufType::f32 || element == GgufType::f64) {
    const std::size_t step = kTypeBytes[static_cast<std::size_t>(element)];
    values.reserve(array_size_);
    for (std::size_t i = 0; i < array_size_; ++i) values.push_back(float_at(element, raw_.data() + i * step));
  } else {
    for (const std::int64_t value : integers()) values.push_back(static_cast<double>(value));
  }
  return values;
}

// Parses `head`, the first bytes of a file of `file_bytes`. When the header goes on past `head`, `needed` says how far at least and nothing else counts.
class GgufParser {
 public:
  GgufParser(std::shared_ptr<const std::vector<std::byte>> head, std::uint64_t file_bytes, const std::string& file_name)
      : head_(std::move(head)), size_(file_bytes), file_name_(file_name) {
    result_.headers_.push_back(head_);
    result_.parts_.push_back(file_name);
    result_.file_bytes_ = file_bytes;
  }

  // True: result is complete, or status says why the file is refused. False: more bytes are needed.
  bool parse() {
    run();
    return needed_ == 0;
  }
  std::uint64_t needed() const { return needed_; }
  const Status& status() const { return status_; }
  Gguf take() { return std::move(result_); }

 private:
  bool refuse(const std::string& what, Code code = Code::model_invalid) {
    if (status_.ok() && needed_ == 0)
      status_ = Status(code, file_name_ + ": " + what + (code == Code::model_invalid ? " The file is damaged or incomplete: get it again." : ""));
    return false;
  }

  // The next `bytes` bytes, or null: the file ends before (refused), or head does (needed).
  const std::byte* take(std::uint64_t bytes, const std::string& what) {
    if (bytes > size_ - at_) {
      refuse(std::to_string(bytes) + " bytes were expected for " + what + ", the file ends after " + std::to_string(size_ - at_) + " of them.");
      return nullptr;
    }
    if (bytes > head_->size() - at_) {
      if (at_ + bytes > kMaxHeader)
        refuse("a header of at most 256 MiB was expected, " + what + " goes past it.");
      else
        needed_ = at_ + bytes;
      return nullptr;
    }
    const std::byte* start = head_->data() + at_;
    at_ += bytes;
    return start;
  }

  template <typename T>
  bool take_number(T& value, const std::string& what) {
    const std::byte* start = take(sizeof value, what);
    if (start == nullptr) return false;
    std::memcpy(&value, start, sizeof value);
    return true;
  }

  bool take_string(std::string_view& text, std::uint64_t longest, const std::string& what) {
    std::uint64_t bytes = 0;
    if (!take_number(bytes, "the length of " + what)) return false;
    if (bytes > longest)
      return refuse("at most " + std::to_string(longest) + " bytes were expected for " + what + ", its length says " + std::to_string(bytes) + ".");
    const std::byte* start = take(bytes, what);
    if (start == nullptr) return false;
    text = {reinterpret_cast<const char*>(start), static_cast<std::size_t>(bytes)};
    return true;
  }

  void run() {
    std::uint64_t tensors = 0, pairs = 0;
    if (!start(tensors, pairs)) return;
    for (std::uint64_t i = 0; i < pairs; ++i)
      if (!pair(i)) return;
    std::uint64_t alignment = kDefaultAlignment;
    if (const GgufValue* value = result_.find("general.alignment")) {
      const auto given = value->integer();
      if (!given || *given <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(*given))) {
        refuse("a power of two was expected in key general.alignment, " + (given ? std::to_string(*given) : "another type") + " is there.");
        return;
      }
      alignment = static_cast<std::uint64_t>(*given);
    }
    for (std::uint64_t i = 0; i < tensors; ++i)
      if (!tensor(i)) return;
    result_.header_bytes_ = at_;
    result_.header_checksum_ = crc32c(std::span(*head_).first(static_cast<std::size_t>(at_)));
    place(alignment);
  }

  bool start(std::uint64_t& tensors, std::uint64_t& pairs) {
    char magic[4] = {};
    if (!take_number(magic, "the magic number GGUF")) return false;
    if (std::memcmp(magic, "GGUF", 4) != 0)
      return refuse("the magic number GGUF was expected at the start and something else is there: this is no GGUF file.");
    if (!take_number(result_.version_, "the version")) return false;
    if (result_.version_ != 2 && result_.version_ != 3) {
      if ((result_.version_ >> 24) != 0 && (result_.version_ & 0xffffff) == 0)
        return refuse("a little-endian file was expected, this one is big-endian. Convert it, or get the little-endian file.",
                      Code::model_unsupported);
      return refuse(
          "GGUF version 2 or 3 was expected, version " + std::to_string(result_.version_) + " was found. Get a newer conversion of the model.",
          Code::model_unsupported);
    }
    if (!take_number(tensors, "the tensor count") || !take_number(pairs, "the key count")) return false;
    const std::uint64_t left = size_ - at_;
    if (tensors > left / kMinTensor)
      return refuse("the tensor count says " + std::to_string(tensors) + ", a file of " + std::to_string(size_) + " bytes can not hold so many.");
    if (pairs > left / kMinPair)
      return refuse("the key count says " + std::to_string(pairs) + ", a file of " + std::to_string(size_) + " bytes can not hold so many.");
    return true;
  }

  bool pair(std::uint64_t number) {
    std::string_view key;
    if (!take_string(key, kMaxKey, "key " + std::to_string(number))) return false;
    if (key.empty()) return refuse("a name was expected for key " + std::to_string(number) + ", it is empty.");
    const std::string what = "key " + shown(key);
    std::uint32_t type = 0;
    if (!take_number(type, "the type of " + what)) return false;
    if (type > 12) return refuse(what + ": a value type from 0 to 12 was expected, " + std::to_string(type) + " was found.");
    GgufValue value;
    value.type = static_cast<GgufType>(type);
    if (value.type == GgufType::array ? !array(value, what) : !scalar(value, what)) return false;
    if (!result_.key_index_.emplace(key, result_.metadata_.size()).second) return refuse(what + " stands there twice.");
    result_.metadata_.emplace_back(key, std::move(value));
    return true;
  }

  bool scalar(GgufValue& value, const std::string& what) {
    if (value.type == GgufType::string) return take_string(value.string_, size_, what);
    const std::byte* start = take(kTypeBytes[static_cast<std::size_t>(value.type)], what);
    if (start == nullptr) return false;
    if (value.type == GgufType::boolean) {
      value.bits_ = std::to_integer<std::uint64_t>(*start);
      if (value.bits_ > 1) return refuse(what + ": 0 or 1 was expected for a bool, " + std::to_string(value.bits_) + " was found.");
    } else if (is_integer(value.type)) {
      value.bits_ = static_cast<std::uint64_t>(signed_at(value.type, start));
    } else {
      value.bits_ = std::bit_cast<std::uint64_t>(float_at(value.type, start));
    }
    return true;
  }

  bool array(GgufValue& value, const std::string& what) {
    std::uint32_t element = 0;
    std::uint64_t count = 0;
    if (!take_number(element, "the element type of " + what) || !take_number(count, "the length of " + what)) return false;
    if (element > 12) return refuse(what + ": an element type from 0 to 12 was expected, " + std::to_string(element) + " was found.");
    if (element == 9) return refuse(what + ": arrays of arrays are not read. Remove the key, or use another conversion.", Code::model_unsupported);
    value.element = static_cast<GgufType>(element);
    const bool strings = value.element == GgufType::string;
    const std::uint64_t least = strings ? 8 : kTypeBytes[element];
    if (count > (size_ - at_) / least)
      return refuse(what + ": its length says " + std::to_string(count) + " values of type " + type_name(element) + ", the file has " +
                    std::to_string(size_ - at_) + " bytes left.");
    value.array_size_ = static_cast<std::size_t>(count);
    if (!strings) {
      const std::byte* start = take(count * least, what);
      if (start != nullptr) value.raw_ = {start, static_cast<std::size_t>(count * least)};
      return start != nullptr;
    }
    // Reserved for what is in memory already, not for what a count claims.
    value.strings_.reserve(static_cast<std::size_t>(std::min(count, (head_->size() - at_) / 8)));
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string_view text;
      std::uint64_t bytes = 0;
      if (size_ - at_ >= 8 && head_->size() - at_ >= 8) {  // the common case, without building a message
        std::memcpy(&bytes, head_->data() + at_, 8);
        if (bytes <= head_->size() - at_ - 8) {
          value.strings_.emplace_back(reinterpret_cast<const char*>(head_->data() + at_ + 8), static_cast<std::size_t>(bytes));
          at_ += 8 + bytes;
          continue;
        }
      }
      if (!take_string(text, size_, what + ", element " + std::to_string(i))) return false;
      value.strings_.push_back(text);
    }
    return true;
  }

  bool tensor(std::uint64_t number) {
    GgufTensor tensor;
    if (!take_string(tensor.name, kMaxTensorName, "the name of tensor " + std::to_string(number))) return false;
    if (tensor.name.empty()) return refuse("a name was expected for tensor " + std::to_string(number) + ", it is empty.");
    const std::string what = "tensor " + shown(tensor.name);
    std::uint32_t dimensions = 0, type = 0;
    if (!take_number(dimensions, "the dimension count of " + what)) return false;
    if (dimensions < 1 || dimensions > 4) return refuse(what + ": 1 to 4 dimensions were expected, " + std::to_string(dimensions) + " were found.");
    tensor.dimensions = static_cast<int>(dimensions);
    std::int64_t elements = 1;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      std::int64_t size = 0;
      if (!take_number(size, "the dimensions of " + what)) return false;
      if (size <= 0 || size > std::numeric_limits<std::int64_t>::max() / elements)
        return refuse(what + ": its dimensions are not positive or their product has no meaning.");
      elements *= size;
      tensor.shape[i] = size;
    }
    if (!take_number(type, "the type of " + what) || !take_number(tensor.offset, "the offset of " + what)) return false;
    tensor.type = kernels::find_type(type);
    if (tensor.type == nullptr && type <= kLastKnownType)
      return refuse(what + " has tensor type " + std::to_string(type) +
                        ", which this engine does not read. Use a Q4_0, Q4_K_M, Q8_0, F16 or BF16 file of the model.",
                    Code::model_unsupported);
    if (tensor.type == nullptr) return refuse(what + ": a known tensor type was expected, number " + std::to_string(type) + " was found.");
    if (tensor.shape[0] % tensor.type->block_elements != 0)
      return refuse(what + ": rows of whole blocks of " + std::to_string(tensor.type->block_elements) + " were expected for " + tensor.type->name +
                    ", a row has " + std::to_string(tensor.shape[0]) + " elements.");
    const std::int64_t blocks = elements / tensor.type->block_elements;
    if (blocks > std::numeric_limits<std::int64_t>::max() / tensor.type->block_bytes)
      return refuse(what + ": its dimensions have no meaning, it would be larger than any file.");
    tensor.bytes = static_cast<std::uint64_t>(blocks * tensor.type->block_bytes);
    if (!result_.tensor_index_.emplace(tensor.name, result_.tensors_.size()).second) return refuse(what + " stands there twice.");
    result_.tensors_.push_back(tensor);
    return true;
  }

  // Turns offsets into positions in the file; checks that tensors are aligned, inside the file and apart from each other.
  bool place(std::uint64_t alignment) {
    if (alignment > size_ && !result_.tensors_.empty())
      return refuse("the alignment " + std::to_string(alignment) + " in key general.alignment is larger than the file.");
    const std::uint64_t data = (at_ + alignment - 1) & ~(alignment - 1);
    std::vector<const GgufTensor*> order;
    order.reserve(result_.tensors_.size());
    for (GgufTensor& tensor : result_.tensors_) {
      const std::string what = "tensor " + shown(tensor.name);
      if (tensor.offset % alignment != 0)
        return refuse(what + ": an offset that is a multiple of " + std::to_string(alignment) + " was expected, " + std::to_string(tensor.offset) +
                      " was found.");
      if (data > size_ || tensor.offset > size_ - data || tensor.bytes > size_ - data - tensor.offset)
        return refuse(what + ": " + std::to_string(tensor.bytes) + " bytes were expected at offset " + std::to_string(tensor.offset) +
                      ", the file ends before.");
      tensor.offset += data;
      order.push_back(&tensor);
    }
    std::sort(order.begin(), order.end(), [](const GgufTensor* a, const GgufTensor* b) { return a->offset < b->offset; });
    for (std::size_t i = 1; i < order.size(); ++i)
      if (order[i - 1]->offset + order[i - 1]->bytes > order[i]->offset)
        return refuse("tensor " + shown(order[i]->name) + " overlaps tensor " + shown(order[i - 1]->name) + ".");
    return true;
  }

  std::shared_ptr<const std::vector<std::byte>> head_;
  const std::uint64_t size_;
  const std::string& file_name_;
  Gguf result_;
  Status status_;
  std::uint64_t at_ = 0, needed_ = 0;
};

Result<Gguf> Gguf::read(const ByteSource& source) {
  std::uint64_t want = std::min(source.size(), kFirstRead);
  for (;;) {
    auto head = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(want));
    const Status status = source.read(0, *head);
    if (!status.ok()) return status;
    GgufParser parser(std::move(head), source.size(), source.name());
    if (parser.parse()) {
      if (!parser.status().ok()) return parser.status();
      return parser.take();
    }
    // Four times as much each time: everything read and parsed before costs a third of the last attempt.
    want = std::min({source.size(), std::max(parser.needed(), want * 4), kMaxHeader});
  }
}

const GgufTensor* Gguf::find_tensor(std::string_view name) const {
  const auto found = tensor_index_.find(name);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

const GgufValue* Gguf::find(std::string_view key) const {
  const auto found = key_index_.find(key);
  return found == key_index_.end() ? nullptr : &metadata_[found->second].second;
}

namespace {

template <typename T, typename Read>
Result<T> typed(const GgufValue* value, std::string_view key, std::optional<T> fallback, const char* kind, const Read& read) {
  if (value == nullptr) {
    if (fallback) return *fallback;
    return Status(Code::model_invalid,
                  "The metadata key " + std::string(key) + " (" + kind + ") was expected and is not there. Get a complete conversion of the model.");
  }
  if (auto found = read(*value)) return T(*found);
  return Status(Code::model_invalid, "The metadata key " + std::string(key) + " was expected to be " + kind + ", it is of type " +
                                         type_name(static_cast<std::uint32_t>(value->type)) +
                                         " or out of range. Get another conversion of the model.");
}

}  // namespace

Result<std::int64_t> Gguf::integer(std::string_view key, std::optional<std::int64_t> fallback) const {
  return typed<std::int64_t>(find(key), key, fallback, "an integer", [](const GgufValue& value) { return value.integer(); });
}
Result<double> Gguf::number(std::string_view key, std::optional<double> fallback) const {
  return typed<double>(find(key), key, fallback, "a number", [](const GgufValue& value) {
    const auto number = value.number();
    return number && std::isfinite(*number) ? number : std::nullopt;
  });
}
Result<bool> Gguf::boolean(std::string_view key, std::optional<bool> fallback) const {
  return typed<bool>(find(key), key, fallback, "a bool", [](const GgufValue& value) { return value.boolean(); });
}
Result<std::string> Gguf::string(std::string_view key, std::optional<std::string> fallback) const {
  return typed<std::string>(find(key), key, std::move(fallback), "a string", [](const GgufValue& value) { return value.string(); });
}

}  // namespace codicil::model
