//===- Reader.h - reads a file into a verified module ---------------------===//

#ifndef PARTITA_PROGRAM_READER_H
#define PARTITA_PROGRAM_READER_H

#include "partita/Program/Rooms.h"
#include "partita/Support/InputFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace partita::program {

/// Reads, parses and verifies the program in `path`, text or bytecode, within `limits`.
Result<mlir::OwningOpRef<mlir::ModuleOp>> readProgram(llvm::StringRef path, mlir::MLIRContext &context,
                                                      const Limits &limits);

/// The same for a program in memory. Errors name it `name`.
Result<mlir::OwningOpRef<mlir::ModuleOp>> parseProgram(llvm::StringRef bytes, llvm::StringRef name,
                                                       mlir::MLIRContext &context, const Limits &limits);

/// Checks ops, depth, ranks, elements and constants against `limits`.
Status checkProgramLimits(mlir::ModuleOp module, const Limits &limits);

} // namespace partita::program

#endif
