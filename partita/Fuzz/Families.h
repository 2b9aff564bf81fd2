//===- Families.h - the op families of random programs --------------------===//
//
// A family writes one op, or a few that belong together, with operands that the
// writer has visible. If nothing fits, it writes nothing. The sources are in
// Ops/.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_FAMILIES_H
#define PARTITA_FUZZ_FAMILIES_H

#include "partita/Fuzz/Rooms.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace partita::fuzz {

class ProgramWriter;

struct Family {
  llvm::StringRef name;
  unsigned weight;
  /// Allowed in programs that are exact in floats.
  bool exact;
  /// Allowed in programs that XLA runs too.
  bool portable;
  void (*write)(ProgramWriter &writer);
};

llvm::ArrayRef<Family> getFamilies();

void writeUnary(ProgramWriter &writer);
void writeBinary(ProgramWriter &writer);
void writeChloUnary(ProgramWriter &writer);
void writeChloBroadcast(ProgramWriter &writer);
/// Several of these, one behind the other.
void writeFunctions(ProgramWriter &writer);
void writeCompare(ProgramWriter &writer);
void writeSelect(ProgramWriter &writer);
void writeClamp(ProgramWriter &writer);
void writeConvert(ProgramWriter &writer);
void writeBitcast(ProgramWriter &writer);
void writeComplex(ProgramWriter &writer);

void writeBroadcast(ProgramWriter &writer);
void writeIota(ProgramWriter &writer);
void writeTranspose(ProgramWriter &writer);
void writeReverse(ProgramWriter &writer);
void writeReshape(ProgramWriter &writer);
void writeConcatenate(ProgramWriter &writer);
void writeSlice(ProgramWriter &writer);
void writePad(ProgramWriter &writer);
void writeMovedRows(ProgramWriter &writer);
void writeDynamicSlice(ProgramWriter &writer);
void writeDynamicUpdateSlice(ProgramWriter &writer);

void writeDotGeneral(ProgramWriter &writer);
void writeDot(ProgramWriter &writer);
void writeRaggedDot(ProgramWriter &writer);
void writeConvolution(ProgramWriter &writer);

void writeGather(ProgramWriter &writer);
void writeScatter(ProgramWriter &writer);

void writeReduce(ProgramWriter &writer);
void writeReduceWindow(ProgramWriter &writer);
void writeRunningSum(ProgramWriter &writer);
void writeFused(ProgramWriter &writer);
void writeSelectAndScatter(ProgramWriter &writer);
void writeSort(ProgramWriter &writer);
void writeTopK(ProgramWriter &writer);
void writeMap(ProgramWriter &writer);

void writeFft(ProgramWriter &writer);
void writeCholesky(ProgramWriter &writer);
void writeTriangularSolve(ProgramWriter &writer);
void writeBatchNorm(ProgramWriter &writer);
void writeRandomBits(ProgramWriter &writer);

void writeWhile(ProgramWriter &writer);
void writeScan(ProgramWriter &writer);
void writeLayers(ProgramWriter &writer);
void writeAccumulation(ProgramWriter &writer);
/// Loops that stack gradients or add them up, in each other and in branches. Of programs with such loops alone.
void writeGradientLoops(ProgramWriter &writer);
void writeCase(ProgramWriter &writer);
void writeIf(ProgramWriter &writer);
void writeBarrier(ProgramWriter &writer);
void writeConstraint(ProgramWriter &writer);
void writeCustomCall(ProgramWriter &writer);

void writeEinsum(ProgramWriter &writer);
void writeUnaryEinsum(ProgramWriter &writer);
void writeTorchIndexSelect(ProgramWriter &writer);
void writeReducePrecision(ProgramWriter &writer);
void writeChloScan(ProgramWriter &writer);
void writeConstantLike(ProgramWriter &writer);
void writeBroadcastSelect(ProgramWriter &writer);
void writeDimensionSize(ProgramWriter &writer);
void writeOtherDialects(ProgramWriter &writer);

void writeLinear(ProgramWriter &writer);
void writeSoftmax(ProgramWriter &writer);
void writeNormalization(ProgramWriter &writer);
void writeGradient(ProgramWriter &writer);
void writeSums(ProgramWriter &writer);
void writeLookup(ProgramWriter &writer);

/// Functions of a value that other families have, too. `emitConstraint` gives null in programs without shardings.
mlir::Value emitConstraint(ProgramWriter &writer, mlir::Value value);
mlir::Value emitReducePrecision(ProgramWriter &writer, mlir::Value operand);

} // namespace partita::fuzz

#endif
