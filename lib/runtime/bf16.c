/// \file Narrowing to bf16, for processors without bf16 instructions: LLVM then
/// calls functions of the compiler's support library, where only newer ones
/// have them. These stand in, and give way to others in the process.
#include <stdint.h>
#include <string.h>

// The calling convention of bf16 is that of f16: the low 16 bits of xmm0.
typedef _Float16 bf16_bits;

bf16_bits pgopt_rt_f32_to_bf16(float value) __asm__("__truncsfbf2")
    __attribute__((weak, visibility("default")));
bf16_bits pgopt_rt_f64_to_bf16(double value) __asm__("__truncdfbf2")
    __attribute__((weak, visibility("default")));

/// Rounds to nearest, ties to even; NaN stays NaN, and quiet.
bf16_bits pgopt_rt_f32_to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  uint16_t narrow =
      (uint16_t)((value != value ? bits | 0x400000 : rounded) >> 16);
  bf16_bits result;
  memcpy(&result, &narrow, sizeof result);
  return result;
}

/// By way of f32, as in most frameworks.
bf16_bits pgopt_rt_f64_to_bf16(double value) {
  return pgopt_rt_f32_to_bf16((float)value);
}
