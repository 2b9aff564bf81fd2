//===- CustomTargets.cpp - known targets of custom calls ------------------===//
//
// Only calls that take their sizes from the operands' types are batched. Older
// targets without `_ffi` are not: their opaque descriptors hold a batch size.
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Rules/CustomTargets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace partita::program::rules {

using llvm::StringRef;

static constexpr CustomTarget matrices(StringRef opName) { return {TargetKind::Batched, 2, opName}; }
static constexpr CustomTarget vectors(StringRef opName = {}) { return {TargetKind::Batched, 1, opName}; }
static constexpr CustomTarget elementwise{TargetKind::Elementwise, 0, {}};

static bool isShapeBaked(StringRef name) {
  return name == "tpu_custom_call" || name == "triton_kernel_call" || name == "triton_kernel_call_ffi" ||
         name.starts_with("mosaic_gpu") || name.starts_with("__gpu$xla.gpu.triton") || name.starts_with("__cudnn$");
}

/// LAPACK's names without the letter of the element type.
static CustomTarget findLapackKernel(StringRef kernel) {
  return llvm::StringSwitch<CustomTarget>(kernel)
      .Case("getrf", matrices("call.lu"))
      .Cases({"geqrf", "geqp3", "orgqr", "ungqr", "ormqr", "unmqr", "gehrd", "sytrd", "hetrd"}, matrices("call.qr"))
      .Case("potrf", matrices("call.cholesky"))
      .Cases({"syevd", "heevd", "geev", "gees"}, matrices("call.eigh"))
      .Cases({"gesdd", "gesvd"}, matrices("call.svd"))
      .Case("trsm", matrices("call.triangular_solve"))
      .Case("gtsv", vectors())
      .Default({});
}

/// `lapack_sgetrf_ffi`.
static CustomTarget findLapackTarget(StringRef name) {
  if (!name.consume_front("lapack_") || !name.consume_back("_ffi") || name.empty() ||
      !StringRef("sdcz").contains(name.front()))
    return {};
  return findLapackKernel(name.drop_front());
}

/// `cusolver_getrf_ffi`, `hipsolver_getrf_ffi`, and kernels of JAX's own.
static CustomTarget findGpuTarget(StringRef name) {
  if (!name.consume_front("cu") && !name.consume_front("hip"))
    return {};
  return llvm::StringSwitch<CustomTarget>(name)
      .Case("solver_getrf_ffi", matrices("call.lu"))
      .Cases({"solver_geqrf_ffi", "solver_orgqr_ffi", "solver_ormqr_ffi", "solver_sytrd_ffi"}, matrices("call.qr"))
      .Case("solver_potrf_ffi", matrices("call.cholesky"))
      .Cases({"solver_syevd_ffi", "solver_geev_ffi"}, matrices("call.eigh"))
      .Cases({"solver_gesvd_ffi", "solver_gesvdj_ffi", "solver_gesvdp_ffi", "solver_gesdd_ffi"}, matrices("call.svd"))
      .Cases({"sparse_gtsv2_ffi", "_tridiagonal_solve_perturbed", "_lu_pivots_to_permutation"}, vectors())
      .Case("_threefry2x32_ffi", elementwise)
      .Default({});
}

static CustomTarget findOtherTarget(StringRef name) {
  return llvm::StringSwitch<CustomTarget>(name)
      .Cases({"annotate_device_placement", "Sharding"}, elementwise)
      .Cases({"mhlo.acos", "mhlo.acosh", "mhlo.asin", "mhlo.asinh", "mhlo.atan", "mhlo.atanh"}, elementwise)
      .Cases({"mhlo.cosh", "mhlo.sinh", "mhlo.tan", "mhlo.erf", "mhlo.erf_inv"}, elementwise)
      .Cases({"Qr", "ProductOfElementaryHouseholderReflectors"}, matrices("call.qr"))
      .Case("Eigh", matrices("call.eigh"))
      .Case("LuDecomposition", matrices("call.lu"))
      .Case("mhlo.topk", vectors("call.top_k"))
      .Case("tridiagonal_solve_perturbed_ffi", vectors())
      .Default({});
}

CustomTarget findCustomTarget(StringRef name) {
  if (isShapeBaked(name))
    return {TargetKind::ShapeBaked, 0, {}};
  for (auto find : {findLapackTarget, findGpuTarget, findOtherTarget})
    if (CustomTarget target = find(name); target.kind != TargetKind::Unknown)
      return target;
  return {};
}

} // namespace partita::program::rules
