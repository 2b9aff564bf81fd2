//===- OpKind.cpp - ops that need more than their class -------------------===//

#include "partita/Graph/OpKind.h"

#include "llvm/ADT/StringSwitch.h"

namespace partita::graph {

OpKind findOpKind(llvm::StringRef opName) {
  return llvm::StringSwitch<OpKind>(opName)
      .Case("stablehlo.add", OpKind::Add)
      .Case("stablehlo.broadcast_in_dim", OpKind::BroadcastInDim)
      .Case("call.eigh", OpKind::Eigh)
      .Case("call.lu", OpKind::Lu)
      .Case("call.qr", OpKind::Qr)
      .Case("call.svd", OpKind::Svd)
      .Cases({"stablehlo.cholesky", "call.cholesky"}, OpKind::Cholesky)
      .Case("stablehlo.compare", OpKind::Compare)
      .Case("stablehlo.constant", OpKind::Constant)
      .Case("stablehlo.convert", OpKind::Convert)
      .Case("stablehlo.dot_general", OpKind::DotGeneral)
      .Case("stablehlo.dynamic_slice", OpKind::DynamicSlice)
      .Case("stablehlo.dynamic_update_slice", OpKind::DynamicUpdateSlice)
      .Case("stablehlo.fft", OpKind::Fft)
      .Case("stablehlo.gather", OpKind::Gather)
      .Case("stablehlo.reshape", OpKind::Reshape)
      .Case("stablehlo.scatter", OpKind::Scatter)
      .Case("stablehlo.select_and_scatter", OpKind::SelectAndScatter)
      .Case("stablehlo.slice", OpKind::Slice)
      .Cases({"stablehlo.atan2", "stablehlo.cosine", "stablehlo.power", "stablehlo.sine", "stablehlo.tan"},
             OpKind::SlowFunction)
      .Cases({"stablehlo.tanh", "chlo.bessel_i1e", "chlo.digamma", "chlo.erf_inv", "chlo.erfc"}, OpKind::SlowFunction)
      .Cases({"chlo.lgamma", "chlo.polygamma", "chlo.tan", "chlo.zeta"}, OpKind::SlowFunction)
      .Case("stablehlo.sort", OpKind::Sort)
      .Cases({"chlo.top_k", "call.top_k"}, OpKind::TopK)
      .Case("stablehlo.transpose", OpKind::Transpose)
      .Cases({"stablehlo.triangular_solve", "call.triangular_solve"}, OpKind::TriangularSolve)
      .Default(OpKind::Other);
}

} // namespace partita::graph
