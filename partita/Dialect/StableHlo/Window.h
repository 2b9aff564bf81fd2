//===- Window.h - how many positions a sliding window has -----------------===//
//
// reduce_window, select_and_scatter and convolution slide a window over their
// operand. Per dim, with base size b, window size w, dilations db and dw,
// padding lo and hi, and stride s:
//
//   dilate(n, d) = n == 0 ? 0 : (n - 1) * d + 1
//   padded       = lo + dilate(b, db) + hi
//   count        = padded < max(1, dilate(w, dw)) ? 0 : (padded - dilate(w, dw)) / s + 1
//
// `computeWindowCounts` computes the last line for every dim.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_WINDOW_H
#define PARTITA_DIALECT_STABLEHLO_WINDOW_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace partita::stablehlo {

/// A window along one dim. A size may be dynamic: a convolution's kernel has one.
struct WindowDim {
  int64_t size;
  int64_t stride = 1;
  int64_t paddingLow = 0;
  int64_t paddingHigh = 0;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
};

/// A window as attributes state it: an absent or empty list stands for the default in every dim.
struct WindowAttrs {
  llvm::ArrayRef<int64_t> sizes;
  llvm::ArrayRef<int64_t> strides;
  llvm::ArrayRef<int64_t> baseDilations;
  llvm::ArrayRef<int64_t> windowDilations;
  mlir::DenseIntElementsAttr padding;
};

/// The specification's labels of an op's window constraints, such as "(C5)"; each op counts its own.
struct WindowLabels {
  llvm::StringLiteral positiveSizes;
  llvm::StringLiteral numStrides, positiveStrides;
  llvm::StringLiteral numBaseDilations, positiveBaseDilations;
  llvm::StringLiteral numWindowDilations, positiveWindowDilations;
  llvm::StringLiteral paddingShape;
};

/// The window per dim, or a message at `loc` about the constraint that `attrs` violate.
llvm::FailureOr<llvm::SmallVector<WindowDim>> buildWindow(std::optional<mlir::Location> loc, const WindowAttrs &attrs,
                                                          const WindowLabels &labels);

/// How many windows fit, per dim of `shape`; dynamic where either size is. Fails with a message at `loc` where a size
/// exceeds 64 bits. `shape` and `window` have one length.
llvm::FailureOr<llvm::SmallVector<int64_t>>
computeWindowCounts(std::optional<mlir::Location> loc, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<WindowDim> window);

} // namespace partita::stablehlo

#endif
