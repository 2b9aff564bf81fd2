//===- StructFormat.cpp - attributes as lists of named fields -------------===//

#include "partita/Dialect/StableHlo/StructFormat.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

using namespace mlir;

namespace partita::stablehlo {

static ParseResult parseFieldValue(AsmParser &parser, const StructField &field) {
  if (auto *const *integer = std::get_if<int64_t *>(&field.value))
    return parser.parseInteger(**integer);
  FailureOr<SmallVector<int64_t>> dims = parseDimList(parser);
  if (failed(dims))
    return failure();
  *std::get<SmallVector<int64_t> *>(field.value) = std::move(*dims);
  return success();
}

ParseResult parseStruct(AsmParser &parser, ArrayRef<StructField> fields) {
  SmallVector<bool> seen(fields.size(), false);
  while (failed(parser.parseOptionalGreater())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    const StructField *field = llvm::find_if(fields, [&](const StructField &f) { return f.name == name; });
    if (field == fields.end())
      return parser.emitError(loc, "unknown field `") << name << "`";
    if (std::exchange(seen[field - fields.begin()], true))
      return parser.emitError(loc, "duplicated field `") << name << "`";
    if (parseFieldValue(parser, *field))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return parser.parseGreater();
  }
  return success();
}

void StructPrinter::begin(StringRef name) {
  if (!std::exchange(isFirst, false))
    printer << ", ";
  printer << name << " = ";
}

StructPrinter &StructPrinter::field(StringRef name, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return *this;
  begin(name);
  printDimList(printer, dims);
  return *this;
}

StructPrinter &StructPrinter::field(StringRef name, int64_t value) {
  if (value == 0)
    return *this;
  begin(name);
  printer << value;
  return *this;
}

} // namespace partita::stablehlo
