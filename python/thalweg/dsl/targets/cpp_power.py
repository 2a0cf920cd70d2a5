# SPDX-License-Identifier: Apache-2.0
"""`**` of several values at once in C++, in place of glibc's, which takes twice as long.

x**y = 2**(y log2 x), with x = 2**e m and log2 m = 2/ln 2 (s + s^3/3 + ...), s = (m - 1)/(m + 1):
Muller et al. 2018, Handbook of Floating-Point Arithmetic. Coefficients are those of Chebyshev's
approximations. At most 1.5 units in the last place off; where |y| > 1 the logarithm is a sum of
two numbers. What is 0, below the least normal number, negative, infinite or no number, or too large
or too small, is left to the function of one value.
"""

CODE = """#if defined __x86_64__ && defined __GLIBC__ && defined __AVX2__ && defined __FMA__
#include <immintrin.h>

extern "C" double power_of_one(double x, double y) noexcept __asm__("pow");

namespace powers {

using Four = double __attribute__((vector_size(32)));
using FourWhole = std::int64_t __attribute__((vector_size(32)));

static inline Four fused(Four a, Four b, Four c) { return _mm256_fmadd_pd(a, b, c); }
static inline bool any(FourWhole is) { return _mm256_movemask_pd(Four(is)) != 0; }

#ifdef __AVX512F__
using Eight = double __attribute__((vector_size(64)));
using EightWhole = std::int64_t __attribute__((vector_size(64)));

static inline Eight fused(Eight a, Eight b, Eight c) { return _mm512_fmadd_pd(a, b, c); }
static inline bool any(EightWhole is) {
  return _mm512_test_epi64_mask(__m512i(is), __m512i(is)) != 0;
}
#endif

// log2(m) + exponent, and what this leaves out. Within 1.5e-16 beside the exponent.
template <class Reals>
static inline Reals logarithm(Reals m, Reals exponent, Reals& rest) {
  constexpr Reals all{};
  const Reals s = (m - 1.0) / (m + 1.0), z = s * s, z2 = z * z;
  const Reals q0 = fused(z, all + 0x1.2776c50ef68fbp-1, all + 0x1.ec709dc3a0401p-1);
  const Reals q2 = fused(z, all + 0x1.484b091bb27dcp-2, all + 0x1.a61762b532f39p-2);
  const Reals q4 = fused(z, all + 0x1.c4ff418a4c6edp-3, all + 0x1.0c9e9175ecd73p-2);
  const Reals q6 = all + 0x1.afdd06f96939dp-3;
  const Reals q = fused(z2, fused(z2, fused(z2, q6, q4), q2), q0);
  const Reals p = s * fused(z, q, all + 0x1.71547652b82fep+1);
  const Reals log = exponent + p;
  rest = (exponent - log) + p;
  return log;
}

// The same to twice as many digits: each number has a rest of its own.
template <class Reals>
static inline Reals exact_logarithm(Reals m, Reals exponent, Reals& rest) {
  constexpr Reals all{};
  const Reals f = m - 1.0, d = f + 2.0, d_rest = f - (d - 2.0), inverse = 1.0 / d;
  const Reals s = f * inverse, s_rest = fused(-s, d_rest, fused(-s, d, f)) * inverse;
  const Reals z = s * s, z_rest = fused(s, s, -z) + 2.0 * s * s_rest, z2 = z * z;
  const Reals q0 = fused(z, all + 0x1.a61762a7adfa8p-2, all + 0x1.2776c50ef9bfep-1);
  const Reals q2 = fused(z, all + 0x1.0c9a84bf4b885p-2, all + 0x1.484b13d79c410p-2);
  const Reals q4 = fused(z, all + 0x1.89fed19a09517p-3, all + 0x1.c68f2f05fc1dap-3);
  const Reals q6 = fused(z, all + 0x1.5a5fb73c05bdbp-3, all + 0x1.59e09fb241c51p-3);
  const Reals q = fused(z2, fused(z2, fused(z2, q6, q4), q2), q0);
  const Reals third = all + 0x1.ec709dc3a03fdp-1, first = all + 0x1.71547652b82fep+1;
  const Reals u = fused(z, q, third), u_rest = fused(z, q, third - u) + 0x1.d27f05548af0cp-55;
  const Reals v = z * u, v_rest = fused(z, u, -v) + fused(z, u_rest, z_rest * u);
  const Reals w = first + v, w_rest = (first - w) + v + (v_rest + 0x1.777d0ffda0d24p-55);
  const Reals p = s * w, p_rest = fused(s, w, -p) + fused(s, w_rest, s_rest * w);
  const Reals log = exponent + p;
  rest = (exponent - log) + p + p_rest;
  return log;
}

template <class Reals, class Wholes>
static inline Reals power(Reals x, Reals y) {
  constexpr double rounds = 0x1.8p52;  // a number below 2^51 and this: its digits are whole
  constexpr Reals all{};
  const Reals size = Reals(Wholes(y) & INT64_MAX);
  const Wholes bits = Wholes(x), above = bits - 0x3fe6a09e667f3bcd;  // the root of 1/2
  const Reals m = Reals(bits - (above & ~0xfffffffffffff));
  const Reals exponent = Reals((above >> 52) + std::bit_cast<std::int64_t>(rounds)) - rounds;
  Reals log_rest;
  const Reals log = any(Wholes(size > 1.0)) ? exact_logarithm(m, exponent, log_rest)
                                            : logarithm(m, exponent, log_rest);
  const Reals t = y * log, rest = fused(y, log_rest, fused(y, log, -t));
  const Reals k = t + rounds, g = (t - (k - rounds)) + rest, g2 = g * g, g4 = g2 * g2;
  const Reals e0 = fused(g, all + 0x1.ebfbdff82c598p-3, all + 0x1.62e42fefa39efp-1);
  const Reals e2 = fused(g, all + 0x1.3b2ab6fba1ddap-7, all + 0x1.c6b08d704a0c2p-5);
  const Reals e4 = fused(g, all + 0x1.430913096fd9fp-13, all + 0x1.5d87fe78a5276p-10);
  const Reals e6 = fused(g, all + 0x1.62bfd47773353p-20, all + 0x1.ffcbfc670dcd4p-17);
  const Reals e8 = fused(g, all + 0x1.e6063f7217bc6p-28, all + 0x1.b524fae627834p-24);
  const Reals e10 = fused(g2, all + 0x1.e9d3fe3952179p-32, e8);
  const Reals e = fused(g4, fused(g4, e10, fused(g2, e6, e4)), fused(g2, e2, e0));
  Reals value = Reals(Wholes(fused(g, e, all + 1.0)) + (Wholes(k) << 52));
  constexpr auto least = std::bit_cast<std::int64_t>(0x1p-1022);
  constexpr auto infinite = std::bit_cast<std::int64_t>(INFINITY * 1.0);
  const Wholes is_left = (bits < least) | (bits >= infinite) | ~((t > -1000.0) & (t < 1000.0));
  if (any(is_left)) {
    for (std::size_t lane = 0; lane < sizeof(Reals) / sizeof(double); ++lane) {
      if (is_left[lane] != 0) value[lane] = power_of_one(x[lane], y[lane]);
    }
  }
  return value;
}

}  // namespace powers

// Under the names by which compilers call glibc's.
extern "C" __attribute__((visibility("hidden"))) powers::Four _ZGVdN4vv_pow(powers::Four x,
                                                                            powers::Four y) {
  return powers::power<powers::Four, powers::FourWhole>(x, y);
}
#ifdef __AVX512F__
extern "C" __attribute__((visibility("hidden"))) powers::Eight _ZGVeN8vv_pow(powers::Eight x,
                                                                             powers::Eight y) {
  return powers::power<powers::Eight, powers::EightWhole>(x, y);
}
#endif
#endif
"""
