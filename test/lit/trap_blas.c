/// \file A BLAS in front of the real one whose f32 product traps.
void cblas_sgemm(void);
void cblas_sgemm(void) { __builtin_trap(); }
