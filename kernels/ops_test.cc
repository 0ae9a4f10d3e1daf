// Conversions, sums and norms of vectors, rotations and the delta rule: every table against the reference, at the lengths where vector code goes wrong.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/reference/formats.h"
#include "kernels/test_checks.h"

namespace codicil::kernels {
namespace {

void test_f16(const Ops& ops) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> want(65536), got(65536);
  reference().from_f16(halves.data(), want.data(), 65536);
  ops.from_f16(halves.data(), got.data(), 65536);
  check(same_bits(got.data(), want.data(), got.size()), std::string(ops.name) + " from_f16 is exact for all 65536 values");
  std::vector<float> in;
  for (std::size_t i = 0; i < 65536; ++i) {
    if (!std::isfinite(want[i])) continue;
    in.insert(in.end(), {want[i], std::nextafterf(want[i], 1e9f), std::nextafterf(want[i], -1e9f)});
    const float half_way = 0.5f * (want[i] + half_to_float(static_cast<std::uint16_t>(i + 1)));
    if (std::isfinite(half_way)) in.insert(in.end(), {half_way, std::nextafterf(half_way, 1e9f), std::nextafterf(half_way, -1e9f)});
  }
  in.insert(in.end(), {65519.9f, 65520.0f, 1e30f, -1e30f, 1e-30f, std::numeric_limits<float>::infinity()});
  std::vector<std::uint16_t> a(in.size()), b(in.size());
  reference().to_f16(in.data(), a.data(), static_cast<std::int64_t>(in.size()));
  ops.to_f16(in.data(), b.data(), static_cast<std::int64_t>(in.size()));
  check(a == b, std::string(ops.name) + " to_f16 rounds to nearest even everywhere");
  std::uint16_t seven[8] = {1, 2, 3, 4, 5, 6, 7, 0xabcd};
  ops.to_f16(in.data(), seven, 7);
  check(seven[7] == 0xabcd, std::string(ops.name) + " to_f16 writes no more than it was asked");
}

void test_vectors(const Ops& ops) {
  const std::string name = ops.name;
  for (std::int64_t n : {1, 7, 8, 15, 16, 17, 33, 64, 576, 1536, 4099}) {
    const auto count = static_cast<std::size_t>(n);
    const std::string at = " n " + std::to_string(n);
    const auto x = uniform_vector(n, -8, 8), y = uniform_vector(n, -2, 2);
    std::vector<float> want(count), got(count + 1, -77.0f);
    reference().rms_norm(x.data(), y.data(), 1e-5f, want.data(), n);
    ops.rms_norm(x.data(), y.data(), 1e-5f, got.data(), n);
    check(close(got.data(), want.data(), count, 2e-6, 0) && got[count] == -77.0f, name + " rms_norm" + at);  // f32 sum of n squares

    want = x, got.assign(x.begin(), x.end()), got.push_back(-77.0f);
    reference().add(want.data(), y.data(), n);
    ops.add(got.data(), y.data(), n);
    check(same_bits(got.data(), want.data(), count) && got[count] == -77.0f, name + " add" + at);

    auto gate = uniform_vector(n, -30, 30);
    gate[0] = n % 2 ? -100.0f : 100.0f;
    want = gate, got.assign(gate.begin(), gate.end()), got.push_back(-77.0f);
    reference().silu_mul(want.data(), y.data(), n);
    ops.silu_mul(got.data(), y.data(), n);
    check(close(got.data(), want.data(), count, 1e-6, 1e-35) && got[count] == -77.0f, name + " silu_mul" + at);  // exp to 2e-7

    want = x, got.assign(x.begin(), x.end()), got.push_back(-77.0f);
    reference().add_scaled(want.data(), y.data(), 0.37f, n);
    ops.add_scaled(got.data(), y.data(), 0.37f, n);
    check(close(got.data(), want.data(), count, 2e-7, 1e-6) && got[count] == -77.0f, name + " add_scaled" + at);  // one rounding less

    want = y, got.assign(y.begin(), y.end()), got.push_back(-77.0f);
    reference().sigmoid_mul(want.data(), gate.data(), n);
    ops.sigmoid_mul(got.data(), gate.data(), n);
    check(close(got.data(), want.data(), count, 1e-6, 1e-35) && got[count] == -77.0f, name + " sigmoid_mul" + at);  // exp to 2e-7

    const auto taps = uniform_vector(n * 4, -1, 1);
    const float* rows[] = {x.data(), y.data(), gate.data(), x.data()};
    got.assign(count + 1, -77.0f);
    reference().conv_silu(taps.data(), rows, 4, want.data(), n);
    ops.conv_silu(taps.data(), rows, 4, got.data(), n);
    check(close(got.data(), want.data(), count, 4e-6, 4e-6) && got[count] == -77.0f, name + " conv_silu" + at);  // sums of four products up to 100

    check(ops.argmax(x.data(), n) == reference().argmax(x.data(), n), name + " argmax" + at);
    auto tied = x;
    tied[count - 1] = tied[count / 2] = 9;
    check(ops.argmax(tied.data(), n) == n / 2, name + " argmax takes the lowest index of a tie" + at);
    const auto logits = uniform_vector(n, -40, 20);
    check(std::fabs(ops.log_sum_exp(logits.data(), n) - reference().log_sum_exp(logits.data(), n)) < 1e-6, name + " log_sum_exp" + at);
  }
  const std::vector<float> masked = {-std::numeric_limits<float>::infinity(), 2.0f, -std::numeric_limits<float>::infinity()};
  check(std::fabs(ops.log_sum_exp(masked.data(), 3) - 2.0) < 1e-6, name + " log_sum_exp ignores masked values");
  check(ops.argmax(masked.data(), 3) == 1, name + " argmax ignores masked values");
}

void test_rope(const Ops& ops) {
  for (RopeKind kind : {RopeKind::interleaved, RopeKind::neox}) {
    for (int head_dim : {8, 24, 64, 80, 128, 256}) {
      for (int rope_dims : {head_dim, head_dim / 4 * 2, 2}) {
        const int heads = 3;
        const auto x = uniform_vector(heads * head_dim, -4, 4);
        std::vector<float> angles;
        for (int i = 0; i < rope_dims / 2; ++i) {
          const double angle = 1234.0 * std::pow(10000.0, -2.0 * i / rope_dims);
          angles.push_back(static_cast<float>(std::cos(angle)));
          angles.push_back(static_cast<float>(std::sin(angle)));
        }
        auto want = x, got = x;
        got.push_back(-77.0f);
        reference().rope(kind, want.data(), heads, head_dim, rope_dims, angles.data());
        ops.rope(kind, got.data(), heads, head_dim, rope_dims, angles.data());
        // two products of up to 4 and one rounding more or less
        check(close(got.data(), want.data(), want.size(), 1e-6, 1e-6) && got.back() == -77.0f,
              std::string(ops.name) + " rope head_dim " + std::to_string(head_dim) + " dims " + std::to_string(rope_dims));
      }
    }
  }
}

// One head of the delta rule, as its layer makes it: keys and queries of length 1, gates of a softplus and a sigmoid.
void test_delta(const Ops& ops) {
  for (int dim : {8, 24, 64, 100, 128, 256}) {
    for (std::int64_t tokens : {1, 2, 7, 64, 300}) {
      const std::int64_t stride = 3 * dim + 5, gates = 3;
      auto qkv = uniform_vector(tokens * stride, -1, 1);
      for (std::int64_t t = 0; t < tokens; ++t)
        for (int part = 0; part < 2; ++part) {
          float* row = qkv.data() + t * stride + part * dim;
          double sum = 0;
          for (int i = 0; i < dim; ++i) sum += static_cast<double>(row[i]) * row[i];
          for (int i = 0; i < dim; ++i) row[i] = static_cast<float>(row[i] / std::sqrt(sum));
        }
      const auto decay = uniform_vector(tokens * gates, 0.5f, 1), beta = uniform_vector(tokens * gates, 0.05f, 0.95f);
      const auto start = uniform_vector(dim * dim, -1, 1);
      const auto run = [&](const Ops& table, std::int64_t cut) {
        std::vector<float> out(static_cast<std::size_t>(tokens * dim)), state(start.begin(), start.end());
        const auto part = [&](std::int64_t from, std::int64_t to) {
          DeltaArgs args;
          args.state = state.data();
          args.q = qkv.data() + from * stride;
          args.k = args.q + dim;
          args.v = args.q + 2 * dim;
          args.qkv_stride = stride;
          args.decay = decay.data() + from * gates;
          args.beta = beta.data() + from * gates;
          args.gate_stride = gates;
          args.out = out.data() + from * dim;
          args.out_stride = dim;
          args.tokens = to - from;
          args.key_dim = args.value_dim = dim;
          table.delta_rule(args);
        };
        part(0, cut);
        part(cut, tokens);
        out.insert(out.end(), state.begin(), state.end());
        return out;
      };
      const std::string at = std::string(ops.name) + " delta_rule dim " + std::to_string(dim) + " tokens " + std::to_string(tokens);
      const auto want = run(reference(), tokens), whole = run(ops, tokens), halves = run(ops, tokens / 2);
      check(close(whole.data(), want.data(), want.size(), 1e-5, 2e-5), at);  // f32 sums of up to 256 products, fed back through 300 steps
      check(same_bits(whole.data(), halves.data(), want.size()), at + ": a cut between tokens changes nothing");
    }
  }
}

void test_table(const Ops& ops) {
  test_f16(ops);
  test_vectors(ops);
  test_rope(ops);
  test_delta(ops);
}

}  // namespace
}  // namespace codicil::kernels

int main() { return codicil::kernels::test_tables(codicil::kernels::test_table); }
