// What the gated delta rule means: a key-value memory S that decays, forgets what it held under a key, and holds the new value there.
//
// Dot products are accumulated in f64; the state is f32, as it is kept between calls.
#include "kernels/reference/formats.h"

namespace codicil::kernels {

void reference_delta_rule(const DeltaArgs& args) {
  const int keys = args.key_dim, values = args.value_dim;
  for (std::int64_t t = 0; t < args.tokens; ++t) {
    const float *q = args.q + t * args.qkv_stride, *k = args.k + t * args.qkv_stride, *v = args.v + t * args.qkv_stride;
    const double decay = args.decay[t * args.gate_stride], beta = args.beta[t * args.gate_stride];
    for (int j = 0; j < values; ++j) {
      double held = 0;
      for (int i = 0; i < keys; ++i) held += decay * args.state[i * values + j] * k[i];
      const double change = beta * (v[j] - held);
      double out = 0;
      for (int i = 0; i < keys; ++i) {
        float& s = args.state[i * values + j];
        s = static_cast<float>(decay * s + k[i] * change);
        out += static_cast<double>(s) * q[i];
      }
      args.out[t * args.out_stride + j] = static_cast<float>(out);
    }
  }
}

}  // namespace codicil::kernels
