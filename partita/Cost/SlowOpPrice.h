//===- SlowOpPrice.h - ops that take longer than their traffic ------------===//
//
// Sorts pass over their data many times, scatters add element by element, and
// factorizations go from column to column. v are the bytes of operands and
// results, t(x) the time in which x bytes move, l the launch time, n the length
// of a row that is sorted or transformed, or the side of a matrix:
//
//   sort              22 l + L (L + 1) / 2 * 0.43 t(v)     L = ceil(log2 n); a
//                     merging network in the chip's memory. A single row:
//                     35 l + 19 t(v) if that is less, by radix
//   top_k             of at most 16 from rows of 1024 or more: 2 l + 3 k t(v);
//                     else as a sort of 1.5 times the operand
//   scatter           2 l + 1.6 t(v); with additions of less than 32 bits at
//                     least 7.7 us * i / 100, i the indices: there is no such
//                     instruction, so additions to one row wait for each other,
//                     and one index in a hundred is taken to be of the same row.
//                     Of one window (what a pipeline's stage keeps): l + t(v), for
//                     XLA makes a dynamic_update_slice of it
//   fft               l + 1.2 t(v); 3 l + 3.5 t(v) if n > 8192
//   prefix            4 l + 3 t(v): a cumulative sum, in blocks, then over their
//                     totals, then added up
//   cholesky,         n l / 3 + flops / (70% of the peak rate of f32)
//   triangular_solve
//   lu                1.5 n l + flops / (15% of that rate); n columns, m rows
//   qr                1.75 n l + flops / 15%, for a third of the matrices of a
//                     batch one after the other; JAX makes two such calls
//   eigh              8.3 n l + flops / 18%
//   svd               15 n l + n (m + n) l / 60; a batch one after the other
//
// Multiples were chosen by hand with all ops that were timed on an H200 in view
// (bench/accuracy_ops.py), so no half of these rows is a blind test of them. They
// are meant to be right within a factor of two. The 7.7 us are from rows of the
// fitted half, whose indices hit 100 rows. The prefix was chosen on three rows of
// that half. Copies of operands that are not donated are priced with the unit
// (FusionPlan.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_SLOWOPPRICE_H
#define PARTITA_COST_SLOWOPPRICE_H

#include "partita/Cost/Rooms.h"
#include "partita/Graph/Graph.h"
#include "partita/Machine/Machine.h"

namespace partita::cost {

/// A device's piece of such an op.
struct SlowOpPiece {
  /// Of operands and results.
  int64_t trafficBytes = 0;
  /// Of operand 0; of a scatter, of its updates.
  int64_t elements = 0, operandBytes = 0;
  uint32_t elementBits = 0;
  /// Rows that are sorted or transformed, and the elements of each.
  int64_t rows = 1, rowSize = 1;
  /// The last dim of operand 0, the side of a matrix, and the one before it.
  int64_t side = 1, otherSide = 1;
  /// Elements of result 0.
  int64_t results = 1;
  /// Of a scatter, the elements of its indices.
  int64_t indices = 0;
  /// Of a scatter, the windows that it writes; 0 if that is not known.
  int64_t windows = 0;
  /// Whether a scatter adds.
  bool adds = false;
  /// Whether it is a cumulative sum or the like (Factor::isPrefix), whatever its kind.
  bool isPrefix = false;
};

bool isSlowOp(OpKind kind);

/// Whether it is a cumulative sum, product or the like.
bool isPrefixOp(const Graph &graph, OpId op);

/// Launch included. Precondition: isSlowOp(kind), or the piece is one of a prefix.
int64_t computeSlowOpPs(const Device &device, OpKind kind, const SlowOpPiece &piece);

} // namespace partita::cost

#endif
