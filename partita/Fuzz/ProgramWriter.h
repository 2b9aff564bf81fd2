//===- ProgramWriter.h - writes a random program op by op -----------------===//
//
// The writer holds the state of an unfinished program: the values visible at
// the insertion point, the few sizes and element types that this program uses
// (so that shapes match), and a source of random numbers. Families of ops
// (Families.h) pick operands from it and emit ops into it. If no value fits, it
// makes a new argument of @main, a constant or an iota.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_PROGRAMWRITER_H
#define PARTITA_FUZZ_PROGRAMWRITER_H

#include "partita/Fuzz/RandomChoice.h"
#include "partita/Fuzz/RandomProgram.h"
#include "partita/Fuzz/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <functional>

namespace partita::fuzz {

using Shape = llvm::SmallVector<int64_t>;
using Values = llvm::SmallVector<mlir::Value>;

/// Which element types an op takes.
enum class Elements { Floats, Signed, Integers, Complex, Ordered, Arithmetic, Logical, Any };

/// Whether `type` is one of `elements`.
bool isOneOf(mlir::Type type, Elements elements);

inline mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
inline mlir::Type elementOf(mlir::Value value) { return typeOf(value).getElementType(); }

/// A region to write: its argument types, and a function that writes the body and gives the returned values.
struct RegionBody {
  llvm::SmallVector<mlir::Type> arguments;
  std::function<Values(mlir::ValueRange arguments)> write;
};

class ProgramWriter {
public:
  ProgramWriter(uint64_t seed, const ProgramOptions &options, mlir::func::FuncOp main);

  RandomChoice random;
  mlir::OpBuilder builder;
  mlir::Location loc;

  const ProgramOptions &getOptions() const { return options; }
  /// The number of ops in the program so far.
  int64_t getNumOps() const { return numOps; }
  /// The nesting depth of control flow at the insertion point.
  int64_t getDepth() const { return depth; }

  //===--------------------------------------------------------------------===//
  // Types
  //===--------------------------------------------------------------------===//

  /// Mostly one of the program's element types.
  mlir::Type drawElement(Elements elements);
  int64_t drawDim();
  /// A size of a drawn class of remainders over some axis of the mesh, if there is one in a few tries.
  int64_t drawUnevenDim();
  Shape drawShape(int64_t lowestRank, int64_t highestRank, int64_t mostElements = maxElements);
  /// Sorted dims of a tensor of `rank`, each with the given chance.
  Shape drawDims(int64_t rank, int64_t percent = 50);
  Shape drawOrder(int64_t rank);
  mlir::RankedTensorType getType(llvm::ArrayRef<int64_t> shape, mlir::Type element) const;
  mlir::RankedTensorType getScalar(mlir::Type element) const { return getType({}, element); }
  mlir::Type getI32() { return builder.getI32Type(); }
  mlir::Type getI1() { return builder.getI1Type(); }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  using Wanted = llvm::function_ref<bool(mlir::RankedTensorType)>;

  /// A visible value whose type is wanted, later ones more often; null if there is none.
  mlir::Value pick(Wanted wanted);
  /// The same by element type and rank. Creates a value if there is none.
  mlir::Value draw(Elements elements, int64_t lowestRank = 0, int64_t highestRank = 4);
  /// A value of this type: a visible, derived or new one.
  mlir::Value obtain(mlir::RankedTensorType type);
  /// Integers to index with.
  mlir::Value obtainIndex(llvm::ArrayRef<int64_t> shape);
  mlir::Value addArgument(mlir::RankedTensorType type);

  llvm::ArrayRef<mlir::Value> getVisible() const { return visible; }
  void show(mlir::Value value);
  /// No later op picks it.
  void hide(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  /// Emits an op whose results can be picked later.
  Values emit(llvm::StringRef name, mlir::ValueRange operands, mlir::TypeRange results,
              llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, llvm::ArrayRef<RegionBody> regions = {});
  mlir::Value emitOne(llvm::StringRef name, mlir::ValueRange operands, mlir::Type result,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, llvm::ArrayRef<RegionBody> regions = {}) {
    return emit(name, operands, result, attributes, regions).front();
  }
  /// The same for ops whose results stay invisible: scalars in the bodies of reductions, bounds.
  Values build(llvm::StringRef name, mlir::ValueRange operands, mlir::TypeRange results,
               llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, llvm::ArrayRef<RegionBody> regions = {});
  mlir::Value buildOne(llvm::StringRef name, mlir::ValueRange operands, mlir::Type result,
                       llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return build(name, operands, result, attributes).front();
  }
  mlir::Value constant(mlir::RankedTensorType type, double value);
  mlir::Value infinity(mlir::RankedTensorType type, bool negative);
  mlir::Value zeros(mlir::RankedTensorType type);
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);
  /// `value` converted to other elements; null if the program must not convert them.
  mlir::Value convert(mlir::Value value, mlir::Type element);
  /// In exact programs: `value` mod 7, so that sums and products of it are exact again.
  mlir::Value bound(mlir::Value value);

  /// The body of control flow. Its inner values are invisible after it. `write` gives the returned values.
  RegionBody scope(mlir::TypeRange arguments, std::function<Values(mlir::ValueRange)> write);
  /// Writes `count` more ops at the insertion point.
  void writeOps(int64_t count);

  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Attribute value);
  mlir::NamedAttribute attribute(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value, unsigned width = 64);
  mlir::NamedAttribute boolean(llvm::StringRef name, bool value);
  /// Rows of two: padding.
  mlir::NamedAttribute pairs(llvm::StringRef name, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high);

  static constexpr int64_t maxElements = 200;
  static constexpr int64_t maxResultElements = 1200;

private:
  /// Derives a value of the type from visible ones; null if that fails.
  mlir::Value derive(mlir::RankedTensorType type);
  mlir::Value randomConstant(mlir::RankedTensorType type);
  void drawPalettes();
  /// A unique name for the next value. It stays the same when shrinking removes other values.
  mlir::Location nameNext(llvm::StringRef prefix);

  ProgramOptions options;
  mlir::func::FuncOp main;
  Values visible;
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<mlir::Type> elements;
  int64_t numOps = 0;
  int64_t numNames = 0;
  int64_t depth = 0;
};

} // namespace partita::fuzz

#endif
