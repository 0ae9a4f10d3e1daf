// Tests of the GGUF reader: sound files, each kind of lie by name, random changes, and the shipped model cut at a thousand places.
// Rule: a broken file is refused with its name; nothing crashes (run with --asan).
#include "native/model/gguf.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "native/base/test.h"
#include "native/model/gguf_test_builder.h"

using codicil::Code;
using codicil::File;
using codicil::MemorySource;
using namespace codicil::model;

namespace {

constexpr std::uint32_t kF32 = 0, kQ8_0 = 8, kIq2Xxs = 16;

GgufBuilder sound() {
  GgufBuilder builder;
  builder.string("general.architecture", "llama").u32("llama.block_count", 2).f32("eps", 1e-5f).boolean("yes", true);
  builder.raw_pair("minus", GgufType::i8, GgufBuilder::number(0xFB, 1)).raw_pair("large", GgufType::u64, GgufBuilder::number(~0ull, 8));
  builder.raw_pair("pi", GgufType::f64, GgufBuilder::number(0x400921FB54442D18ull, 8))
      .raw_pair("short", GgufType::i16, GgufBuilder::number(0x8000, 2));
  builder.strings("words", {"a", "", "ccc"}).i32s("ids", {1, -2, 3});
  builder.tensor("norm", kF32, {8}, 32).tensor("matrix", kQ8_0, {64, 3}, 64 / 32 * 34 * 3);
  return builder;
}

void refused(const std::string& file, const char* part, Code code = Code::model_invalid) {
  const auto result = read_bytes(file);
  CHECK_STATUS(result, code, part);
  if (!result.ok()) CHECK(result.status().message().find("built.gguf") != std::string::npos);
}

}  // namespace

CODICIL_TEST(reads_every_kind_of_value_and_the_tensor_table) {
  for (const std::uint32_t version : {2u, 3u}) {
    GgufBuilder builder = sound();
    builder.version = version;
    const std::string file = builder.build();
    auto result = read_bytes(file);
    REQUIRE_OK(result);
    const Gguf& gguf = result.value();
    CHECK_EQ(gguf.version(), version);
    CHECK_EQ(gguf.string("general.architecture").value(), "llama");
    CHECK_EQ(gguf.integer("llama.block_count").value(), 2);
    CHECK_EQ(gguf.integer("minus").value(), -5);
    CHECK_EQ(gguf.integer("short").value(), -32768);
    CHECK_NEAR(gguf.number("eps").value(), 1e-5, 1e-11);
    CHECK_NEAR(gguf.number("pi").value(), 3.141592653589793, 1e-15);
    CHECK_EQ(gguf.boolean("yes").value(), true);
    CHECK_STATUS(gguf.integer("large"), Code::model_invalid, "large");
    CHECK_STATUS(gguf.integer("yes"), Code::model_invalid, "of type bool");
    CHECK_STATUS(gguf.integer("absent"), Code::model_invalid, "absent");
    CHECK_EQ(gguf.integer("absent", 7).value(), 7);
    REQUIRE(gguf.find("words") != nullptr && gguf.find("words")->strings().size() == 3);
    CHECK_EQ(gguf.find("words")->strings()[2], "ccc");
    CHECK(gguf.find("ids")->integers() == (std::vector<std::int64_t>{1, -2, 3}));
    CHECK(gguf.find("ids")->numbers() == (std::vector<double>{1, -2, 3}));
    CHECK(gguf.find("words")->integers().empty());
    const GgufTensor* matrix = gguf.find_tensor("matrix");
    REQUIRE(matrix != nullptr && gguf.tensors().size() == 2);
    CHECK_EQ(matrix->rows(), 3);
    CHECK_EQ(matrix->cols(), 64);
    CHECK_EQ(matrix->bytes, 204u);
    CHECK_EQ(matrix->offset, file.size() - 224);
    CHECK(gguf.find_tensor("other") == nullptr);
  }
}

CODICIL_TEST(keeps_its_views_when_the_object_moves) {
  auto result = read_bytes(sound().build());
  REQUIRE_OK(result);
  const Gguf moved = std::move(result).value();
  CHECK_EQ(moved.find("words")->strings()[0], "a");
  CHECK_EQ(moved.find_tensor("norm")->name, "norm");
}

CODICIL_TEST(refuses_what_is_no_gguf_and_versions_it_does_not_know) {
  refused("", "magic");
  refused("PK", "magic");
  GgufBuilder builder = sound();
  builder.magic = "GGML";
  refused(builder.build(), "no GGUF file");
  builder = sound();
  builder.version = 1;
  refused(builder.build(), "version 1 was found", Code::model_unsupported);
  builder.version = 0x03000000;
  refused(builder.build(), "big-endian", Code::model_unsupported);
}

CODICIL_TEST(refuses_counts_and_lengths_that_the_file_can_not_hold) {
  GgufBuilder builder = sound();
  builder.tensor_count = 1ull << 60;
  refused(builder.build(), "tensor count");
  builder = sound();
  builder.pair_count = ~0ull;
  refused(builder.build(), "key count");
  builder = GgufBuilder();
  builder.raw_pair("long", GgufType::string, GgufBuilder::number(1ull << 62, 8));
  refused(builder.build(), "key long");
  builder = GgufBuilder();
  builder.raw_pair("list", GgufType::array, GgufBuilder::number(8, 4) + GgufBuilder::number(1ull << 61, 8));
  refused(builder.build(), "key list");
  builder = GgufBuilder();
  builder.raw_pair("list", GgufType::array, GgufBuilder::number(4, 4) + GgufBuilder::number(~0ull, 8));
  refused(builder.build(), "key list");
  builder = GgufBuilder();
  builder.raw_pair(std::string(70'000, 'k'), GgufType::u8, "x");
  refused(builder.build(), "at most 65535 bytes");
}

CODICIL_TEST(refuses_values_with_the_name_of_their_key) {
  refused(GgufBuilder().raw_pair("odd", static_cast<GgufType>(13), "").build(), "key odd: a value type");
  refused(GgufBuilder().raw_pair("list", GgufType::array, GgufBuilder::number(99, 4) + GgufBuilder::number(0, 8)).build(),
          "key list: an element type");
  refused(GgufBuilder().raw_pair("nested", GgufType::array, GgufBuilder::number(9, 4) + GgufBuilder::number(0, 8)).build(), "key nested",
          Code::model_unsupported);
  refused(GgufBuilder().raw_pair("flag", GgufType::boolean, GgufBuilder::number(2, 1)).build(), "key flag: 0 or 1");
  refused(GgufBuilder().u32("twice", 1).u32("twice", 1).build(), "key twice stands there twice");
  refused(GgufBuilder().u32("general.alignment", 24).build(), "general.alignment");
  refused(GgufBuilder().u32("general.alignment", 0).build(), "general.alignment");
  refused(GgufBuilder().string("general.alignment", "32").build(), "general.alignment");
}

CODICIL_TEST(refuses_tensors_by_name) {
  refused(GgufBuilder().tensor("none", kF32, {}, 32).build(), "tensor none: 1 to 4 dimensions");
  refused(GgufBuilder().tensor("many", kF32, {1, 1, 1, 1, 1}, 32).build(), "tensor many: 1 to 4 dimensions");
  refused(GgufBuilder().tensor("zero", kF32, {8, 0}, 32).build(), "tensor zero");
  refused(GgufBuilder().tensor("huge", kF32, {1ull << 40, 1ull << 40}, 32).build(), "tensor huge");
  refused(GgufBuilder().tensor("negative", kF32, {~0ull}, 32).build(), "tensor negative");
  refused(GgufBuilder().tensor("wide", kF32, {1ull << 62}, 32).build(), "tensor wide");
  refused(GgufBuilder().tensor("odd", kQ8_0, {33}, 64).build(), "tensor odd: rows of whole blocks of 32");
  refused(GgufBuilder().tensor("strange", 4711, {8}, 32).build(), "tensor strange: a known tensor type");
  refused(GgufBuilder().tensor("iq", kIq2Xxs, {256}, 66).build(), "tensor iq has tensor type 16", Code::model_unsupported);
  refused(GgufBuilder().tensor("same", kF32, {8}, 32).tensor("same", kF32, {8}, 32).build(), "tensor same stands there twice");
  refused(GgufBuilder().tensor("first", kF32, {16}, 64).tensor("second", kF32, {8}, 32, 32).build(), "tensor second overlaps tensor first");
  refused(GgufBuilder().tensor("askew", kF32, {8}, 32, 4).build(), "tensor askew: an offset that is a multiple");
  refused(GgufBuilder().tensor("outside", kF32, {8}, 32, 64).build(), "tensor outside");
  refused(GgufBuilder().tensor("far", kF32, {8}, 32, 0x7FFFFFFFFFFFFFE0).build(), "tensor far");
  refused(GgufBuilder().tensor("short", kF32, {9}, 32).build(), "tensor short");
}

CODICIL_TEST(survives_every_cut_and_a_hundred_thousand_random_changes_of_a_small_file) {
  const std::string file = sound().build();
  const std::uint64_t end = read_bytes(file).value().find_tensor("matrix")->offset + 204;
  for (std::size_t cut = 0; cut < end; ++cut) CHECK_STATUS(read_bytes(file.substr(0, cut)), Code::model_invalid, "built.gguf");
  std::mt19937_64 random(20261130);
  int sound_files = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string changed = file;
    for (std::uint64_t i = 0, changes = 1 + random() % 3; i < changes; ++i)
      changed[random() % (file.size() - 256)] = static_cast<char>(random() % 4 == 0 ? 0xFF : random());
    const auto result = read_bytes(changed);
    if (result.ok())
      ++sound_files;
    else
      CHECK(result.status().code() == Code::model_invalid || result.status().code() == Code::model_unsupported);
  }
  CHECK(sound_files > 1000);  // changed values, not only changed structure
}

CODICIL_TEST(refuses_the_shipped_model_cut_at_a_thousand_places) {
  const std::string path = shipped_model();
  if (path.empty()) SKIP("assets/models/codicil-reader-135m-q4_0.gguf is not there");
  const auto file = File::open(path);
  REQUIRE_OK(file);
  const auto whole = Gguf::read(file.value());
  REQUIRE_OK(whole);
  const std::uint64_t header = whole.value().header_bytes();
  std::uint64_t end = 0;
  for (const GgufTensor& tensor : whole.value().tensors()) end = std::max(end, tensor.offset + tensor.bytes);
  const std::uint64_t kept = 4u << 20;  // as far as the parser reads ahead
  REQUIRE(header < kept && kept < end);
  const auto bytes = file.value().read_range(0, kept);
  REQUIRE_OK(bytes);
  std::mt19937_64 random(4711);
  for (int round = 0; round < 1000; ++round) {
    // Scalars and the tensor table are where a cut meets most kinds of fields; vocabulary and weights are long but alike.
    const std::array<std::uint64_t, 5> places = {random() % 4096, header - 1 - random() % 20'000, random() % header,
                                                 header + random() % (end - header), random() % 4096};
    const std::uint64_t cut = places[static_cast<std::size_t>(round % 5)];
    const MemorySource source({bytes.value().data(), static_cast<std::size_t>(std::min(cut, kept))}, cut, "cut.gguf");
    CHECK_STATUS(Gguf::read(source), Code::model_invalid, "cut.gguf");
  }
}

CODICIL_TEST(does_not_read_a_lying_header_to_the_end_of_a_large_file) {
  // A file of 1 TiB whose first key claims 100 GiB: refused for its size, not read.
  GgufBuilder builder;
  builder.raw_pair("bomb", GgufType::string, GgufBuilder::number(100ull << 30, 8));
  CHECK_STATUS(read_bytes(builder.build(), 1ull << 40), Code::io_failed, "bytes 0 to 1048576");
  std::string file = builder.build();
  file.resize(1 << 20);
  CHECK_STATUS(read_bytes(file, 1ull << 40), Code::model_invalid, "at most 256 MiB");
}

namespace {

// A folder of the test's own, removed with what is in it.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("codicil_gguf_" + std::to_string(std::random_device()()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path / name, std::ios::binary) << bytes;
    return (path / name).string();
  }
};

// Part `number` of `count` of a model of three tensors; `name` of its own tensor.
std::string part_of(std::uint16_t number, std::uint16_t count, const std::string& name, std::uint32_t tensors = 3) {
  GgufBuilder builder;
  if (number == 0) builder.string("general.architecture", "llama");
  builder.u16("split.no", number).u16("split.count", count).u32("split.tensors.count", tensors);
  return builder.tensor(name, kF32, {8}, 32).build();
}

}  // namespace

CODICIL_TEST(the_first_part_of_a_split_model_opens_all) {
  const Folder folder;
  const std::string first = folder.write("m-00001-of-00003.gguf", part_of(0, 3, "a"));
  folder.write("m-00002-of-00003.gguf", part_of(1, 3, "b"));
  const std::string last = part_of(2, 3, "c"), last_path = folder.write("m-00003-of-00003.gguf", last);
  const auto result = Gguf::read_file(first);
  REQUIRE_OK(result);
  const Gguf& gguf = result.value();
  CHECK_EQ(gguf.parts().size(), 3u);
  CHECK_EQ(gguf.parts()[2], last_path);
  CHECK_EQ(gguf.tensors().size(), 3u);
  REQUIRE(gguf.find_tensor("c") != nullptr);
  CHECK_EQ(gguf.find_tensor("c")->part, 2u);
  CHECK_EQ(gguf.find_tensor("c")->offset, last.size() - 32);
  CHECK_EQ(gguf.file_bytes(), part_of(0, 3, "a").size() + 2 * last.size());
  CHECK_EQ(gguf.string("general.architecture").value(), "llama");
  CHECK(gguf.header_checksum() != read_bytes(part_of(0, 3, "a")).value().header_checksum());
}

CODICIL_TEST(a_part_that_is_missing_or_of_another_model_is_refused_with_its_name) {
  const Folder folder;
  const std::string first = folder.write("m-00001-of-00003.gguf", part_of(0, 3, "a"));
  folder.write("m-00002-of-00003.gguf", part_of(1, 3, "b"));
  CHECK_STATUS(Gguf::read_file(first), Code::not_found, "m-00003-of-00003.gguf: part 3 of 3 was expected and is not there");
  const auto last = [&](const std::string& bytes, Code code, const char* part) {
    folder.write("m-00003-of-00003.gguf", bytes);
    CHECK_STATUS(Gguf::read_file(first), code, part);
  };
  last(part_of(1, 3, "c"), Code::model_invalid, "m-00003-of-00003.gguf: part 3 of 3 of the same model was expected, it says that it is part 2 of 3");
  last(part_of(2, 4, "c"), Code::model_invalid, "part 3 of 4");
  last(part_of(2, 3, "c", 9), Code::model_invalid, "m-00003-of-00003.gguf: part 3 of 3 of the same model was expected, it belongs to a model of 9");
  last(part_of(2, 3, "a"), Code::model_invalid, "m-00003-of-00003.gguf: tensor a stands there and in");
  last(part_of(2, 3, "c").substr(0, 50), Code::model_invalid, "m-00003-of-00003.gguf");
  last(GgufBuilder().tensor("c", kF32, {8}, 32).build(), Code::model_invalid, "it says that it is part 1 of 1");
  last("", Code::model_invalid, "m-00003-of-00003.gguf");
  last(part_of(2, 3, "c"), Code::ok, "");
  CHECK_STATUS(Gguf::read_file((folder.path / "m-00002-of-00003.gguf").string()), Code::invalid_request, "m-00001-of-00003.gguf");
  CHECK_STATUS(Gguf::read_file(folder.write("renamed.gguf", part_of(0, 3, "a"))), Code::model_invalid, "ends in -00001-of-00003.gguf");
  CHECK_STATUS(Gguf::read_file(folder.write("s-00001-of-00002.gguf", part_of(5, 2, "a"))), Code::model_invalid, "split.no");
  folder.write("t-00002-of-00002.gguf", part_of(1, 2, "b", 3));
  CHECK_STATUS(Gguf::read_file(folder.write("t-00001-of-00002.gguf", part_of(0, 2, "a", 3))), Code::model_invalid, "2 tensors instead of 3");
}
