//===- Combiners.h - which combiner a region computes ---------------------===//
//
// A reducer's region has a combiner if every result i is one op of {add,
// multiply, maximum, minimum, and, or, xor} on arguments i and n + i, in either
// order. The op may compute in a wider type and convert back:
//
//   ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
//     %0 = convert %a to f32, %1 = convert %b to f32
//     %2 = add %1, %0,  %3 = convert %2 to bf16
//     return %3                                          -> Combiner::Add
//
// A combiner must allow any order and grouping. Maximum, minimum and product of
// complex numbers do not (inf * 0 depends on the grouping), so they have none.
// On i1, add and maximum are `or`, multiply and minimum are `and`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_COMBINERS_H
#define PARTITA_PROGRAM_RULES_COMBINERS_H

#include "partita/Graph/Rule.h"
#include "partita/Program/Rooms.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/Value.h"

namespace partita::program::rules {

/// The combiner of a region with arguments a0..an-1, b0..bn-1 and n results, each result i a combination of ai and bi
/// alone, all by one combiner; None if it computes anything else.
Combiner findCombiner(mlir::Region &region);

/// The combiner of each result of such a region; none at all if it has another form.
llvm::SmallVector<Combiner> findCombiners(mlir::Region &region);

/// How partial results of a part of each dim that a reducer with this region reduces are combined; None if they cannot
/// be.
Combiner findReductionCombiner(mlir::Region &body, mlir::ValueRange inits);

/// Whether every result of the region has a combiner of its own to which its init value adds nothing, however often it
/// is counted.
bool combinesEach(mlir::Region &body, mlir::ValueRange inits);

/// A reduced factor, or one that may not be split if partial results cannot be combined.
uint8_t addReduced(Rule &rule, int64_t size, Combiner combiner);

mlir::Value emitCombination(mlir::OpBuilder &builder, mlir::Location loc, Combiner combiner, mlir::Value lhs,
                            mlir::Value rhs);

/// Whether combining a value with itself gives the value.
bool isIdempotent(Combiner combiner);

/// A constant e of `type` such that combining x with e gives exactly x for every x: -0.0 for the sum of floats. Null if
/// the element type has none. Not needed for idempotent combiners, where all devices may start from one value.
mlir::DenseElementsAttr getIdentity(mlir::RankedTensorType type, Combiner combiner);

/// A scalar that no number of this type is less than: minus infinity of floats. Null if the type has none.
mlir::DenseElementsAttr getLowest(mlir::Type element);

/// Whether the element type has an identity from which partial results can start.
bool hasPartialResults(mlir::Type elementType, Combiner combiner);

/// Whether `value` is a constant that changes no result, however often it is combined: 0 or -0.0 in a sum, provided
/// that the whole result contains it too.
bool isNeutralConstant(mlir::Value value, Combiner combiner);

/// Combines results where one device has the element and the others have an identity: Or for i1, else Add. None if the
/// element type has no exact identity.
Combiner findMaskCombiner(mlir::Type elementType);

} // namespace partita::program::rules

#endif
