//===- PieceLocations.h - which ops only help to compute a piece ----------===//
//
// Where several ops of the local program compute the piece of one op, the last
// one has its location. The others have a name location around it, so that a
// reader sees which ops represent ops of the program.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_PIECELOCATIONS_H
#define PARTITA_PROGRAM_PIECELOCATIONS_H

#include "partita/Program/Rooms.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace partita::program {

inline constexpr llvm::StringLiteral pieceLocationName = "partita/piece";

/// Marks an op that helps to compute a piece of the op that it has the location of.
inline void markHelper(mlir::Operation *op) {
  auto name = mlir::StringAttr::get(op->getContext(), pieceLocationName);
  op->setLoc(mlir::NameLoc::get(name, op->getLoc()));
}

/// The location of the op whose piece `op` computes or helps to compute.
inline mlir::Location getPieceLocation(mlir::Operation *op) {
  auto name = mlir::dyn_cast<mlir::NameLoc>(op->getLoc());
  return name && name.getName() == pieceLocationName ? name.getChildLoc() : op->getLoc();
}

} // namespace partita::program

#endif
