/// \file exp, log, tanh, erf, powers, and what networks make of them, against
/// f64: at most 4 units in the last place, over a sample of all f32 numbers.
///
/// usage: functions_test [STEP [NAME]]: every STEP-th number (default 1021); 1
/// takes all of them. NAME: of one function.
#include "check.h"
#include "kernel_program.h"

#include <stdlib.h>

enum { BLOCK = 1 << 16 };

static MlirContext context;
static float inputs[BLOCK], outputs[BLOCK];
static double expected[BLOCK];

static float from_bits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/// Distance between neighbours of the f32 that is nearest to `value`, of which
/// the exponent is read from its bits.
static double unit_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint64_t exponent = bits >> 52 & 0x7ff, least = 1023 - 126;
  bits = ((exponent < least ? least : exponent) - 23) << 52;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// Units in the last place between the result and the exact value; infinite
/// when one of them is a NaN or an infinity and the other is not.
static double distance(float result, double exact) {
  float nearest = (float)exact;
  if (isnan(nearest) || isnan(result))
    return isnan(nearest) && isnan(result) ? 0 : INFINITY;
  if (isinf(nearest) || isinf(result)) {
    // Half a unit below the largest number, and beyond it, rounding decides.
    double large = 3.4028234663852886e38;
    return nearest == result || fabs(exact) > large * (1 - 1e-6) ? 0 : INFINITY;
  }
  return fabs((double)result - exact) / unit_of(exact);
}

typedef struct function {
  const char *name;
  const char *body; ///< from %x to %r
  double (*exact)(double x);
  double relative; ///< an error of this times |x| is allowed besides
  double absolute; ///< and one of this
} function;

static double inverse_power(double x) { return 1 / (sqrt(x) * sqrt(sqrt(x))); }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double gelu(double x) {
  return x == -INFINITY ? NAN : 0.5 * x * (1 + erf(x * 0.70710678118654752));
}

// The sigmoid is 0 where e^-x is more than a number can hold, and the exact
// value a denormal one.
#define POWER(name, base, exponent)                                            \
  static double name(double x) { return pow(base, exponent); }
#define POWER_BODY(constant, operands)                                         \
  "%c = arith.constant " constant " : f32\n %r = math.powf " operands " : "    \
  "f32\n"
static double relu(double x) { return x < 0 ? 0 : x; }
static double clamp(double x) { return x < 0 ? 0 : x > 6 ? 6 : x; }

POWER(power_fraction, x, 0.75)
POWER(power_root, x, -0.25)
POWER(power_odd, x, 3)
POWER(power_even, x, -2)
POWER(power_infinite, x, INFINITY)
POWER(power_none, x, NAN)
POWER(power_of_more, 1.5, x)
POWER(power_of_less, 0.3125, x)
POWER(power_of_negative, -1.25, x)
POWER(power_of_zero, -0.0, x)
POWER(power_of_infinity, -INFINITY, x)
POWER(power_of_unit, -1, x)

static const function functions[] = {
    {"log", "%r = math.log %x : f32\n", log, 0, 0},
    {"relu",
     "%c = arith.constant 0.0 : f32\n %r = arith.maximumf %x, %c : f32\n", relu,
     0, 0},
    {"clamp",
     "%c = arith.constant 0.0 : f32\n %d = arith.constant 6.0 : f32\n"
     "%a = arith.maximumf %c, %x : f32\n %r = arith.minimumf %a, %d : f32\n",
     clamp, 0, 0},
    {"maximum", "%n = arith.negf %x : f32\n %r = arith.maximumf %x, %n : f32\n",
     fabs, 0, 0},
    {"x^0.75", POWER_BODY("0.75", "%x, %c"), power_fraction, 0, 0},
    {"x^-0.25", POWER_BODY("-0.25", "%x, %c"), power_root, 0, 0},
    {"x^3", POWER_BODY("3.0", "%x, %c"), power_odd, 0, 0},
    {"x^-2", POWER_BODY("-2.0", "%x, %c"), power_even, 0, 0},
    {"x^inf", POWER_BODY("0x7F800000", "%x, %c"), power_infinite, 0, 0},
    {"x^NaN", POWER_BODY("0x7FC00000", "%x, %c"), power_none, 0, 0},
    {"1.5^x", POWER_BODY("1.5", "%c, %x"), power_of_more, 0, 0},
    {"0.3125^x", POWER_BODY("0.3125", "%c, %x"), power_of_less, 0, 0},
    {"(-1.25)^x", POWER_BODY("-1.25", "%c, %x"), power_of_negative, 0, 0},
    {"(-0)^x", POWER_BODY("-0.0", "%c, %x"), power_of_zero, 0, 0},
    {"(-inf)^x", POWER_BODY("0xFF800000", "%c, %x"), power_of_infinity, 0, 0},
    {"(-1)^x", POWER_BODY("-1.0", "%c, %x"), power_of_unit, 0, 0},
    {"exp", "%r = math.exp %x : f32\n", exp, 0, 0},
    {"tanh", "%r = math.tanh %x : f32\n", tanh, 0, 0},
    {"erf", "%r = math.erf %x : f32\n", erf, 0, 0},
    {"1 / x^0.75",
     "%one = arith.constant 1.0 : f32\n %q = math.sqrt %x : f32\n"
     "%s = math.sqrt %q : f32\n %d = arith.mulf %q, %s : f32\n"
     "%r = arith.divf %one, %d : f32\n",
     inverse_power, 0, 0},
    {"sigmoid",
     "%one = arith.constant 1.0 : f32\n %n = arith.negf %x : f32\n"
     "%e = math.exp %n : f32\n %s = arith.addf %e, %one : f32\n"
     "%r = arith.divf %one, %s : f32\n",
     sigmoid, 0, 0x1p-126},
    {"gelu",
     "%one = arith.constant 1.0 : f32\n %h = arith.constant 0.5 : f32\n"
     "%c = arith.constant 0.70710678118654752 : f32\n"
     "%a = arith.mulf %x, %c : f32\n %e = math.erf %a : f32\n"
     "%s = arith.addf %e, %one : f32\n %p = arith.mulf %x, %h : f32\n"
     "%r = arith.mulf %p, %s : f32\n",
     gelu, 0x1p-24, 0},
};

static const char *const targets[] = {
    "entry=forward",
#if defined(__x86_64__)
    "entry=forward target-cpu=x86-64",
#endif
};

enum { TARGETS = sizeof targets / sizeof *targets };

static pgopt_program *load(const function *f, const char *options) {
  pgopt_text text = {0};
  pgopt_text_append(
      &text,
      "func.func @forward(%%in: memref<%dxf32>, %%out: memref<%dxf32>) {\n"
      "linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
      "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} "
      "ins(%%in : memref<%dxf32>) outs(%%out : memref<%dxf32>) {\n"
      "^bb0(%%x: f32, %%o: f32):\n%s linalg.yield %%r : f32\n}\nreturn\n}\n",
      BLOCK, BLOCK, BLOCK, BLOCK, f->body);
  pgopt_program *program = kernel_program_load(context, text.data, options);
  pgopt_text_free(&text);
  if (!CHECK(program))
    return NULL;
  pgopt_program_bind(program, 0, inputs);
  pgopt_program_bind(program, 1, outputs);
  return program;
}

typedef struct extreme {
  double error;
  float at;
} extreme;

static void compare(const function *f, extreme *worst) {
  for (size_t i = 0; i < BLOCK; ++i) {
    double error = distance(outputs[i], expected[i]);
    if (error > worst->error || isnan(error)) {
      if (fabs((double)outputs[i] - expected[i]) <=
          f->relative * fabs(inputs[i]) + f->absolute)
        continue;
      *worst = (extreme){error, inputs[i]};
    }
  }
}

static void check_function(const function *f, uint64_t step) {
  pgopt_program *programs[TARGETS];
  extreme worst[TARGETS] = {{0}};
  for (size_t t = 0; t < TARGETS; ++t)
    programs[t] = load(f, targets[t]);
  for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += step * BLOCK) {
    for (size_t i = 0; i < BLOCK; ++i) {
      inputs[i] = from_bits((uint32_t)(bits + i * step));
      expected[i] = f->exact(inputs[i]);
    }
    for (size_t t = 0; t < TARGETS; ++t) {
      if (!programs[t])
        continue;
      pgopt_program_run(programs[t]);
      compare(f, &worst[t]);
    }
  }
  for (size_t t = 0; t < TARGETS; ++t) {
    if (!CHECK(worst[t].error <= 4))
      fprintf(stderr, "  %s, %s: %g units at %a\n", f->name, targets[t],
              worst[t].error, worst[t].at);
    else if (step == 1)
      printf("%s, %s: %.2f units at %a\n", f->name, targets[t], worst[t].error,
             worst[t].at);
    pgopt_program_destroy(programs[t]);
  }
}

int main(int argc, char **argv) {
  uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 1021;
  if (!step)
    return 2;
  context = kernel_context_create();
  size_t count = 0;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    if (argc > 2 && strcmp(argv[2], functions[i].name))
      continue;
    check_function(&functions[i], step);
    ++count;
  }
  CHECK(count > 0);
  mlirContextDestroy(context);
  return check_result();
}
