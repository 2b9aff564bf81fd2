//===- StructFormat.h - attributes as lists of named fields ---------------===//
//
// Text such as `<offset_dims = [1], index_vector_dim = 1>`. The parser takes
// fields in any order. The printer writes them in declaration order and leaves
// out empty lists and zeros.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_STRUCTFORMAT_H
#define PARTITA_DIALECT_STABLEHLO_STRUCTFORMAT_H

#include "mlir/IR/OpImplementation.h"

#include <variant>

namespace partita::stablehlo {

/// A field and where its parsed value goes.
struct StructField {
  llvm::StringRef name;
  std::variant<llvm::SmallVector<int64_t> *, int64_t *> value;
};

/// Parses fields up to and including the closing `>`. A comma may precede it.
mlir::ParseResult parseStruct(mlir::AsmParser &parser, llvm::ArrayRef<StructField> fields);

/// Prints `<`, then each field, then `>` when it goes out of scope.
class StructPrinter {
public:
  explicit StructPrinter(mlir::AsmPrinter &printer) : printer(printer) { printer << '<'; }
  ~StructPrinter() { printer << '>'; }

  StructPrinter &field(llvm::StringRef name, llvm::ArrayRef<int64_t> dims);
  StructPrinter &field(llvm::StringRef name, int64_t value);

private:
  void begin(llvm::StringRef name);

  mlir::AsmPrinter &printer;
  bool isFirst = true;
};

} // namespace partita::stablehlo

#endif
