//===- partita-opt.cpp - reads, checks, transforms and prints programs ----===//
//
// The workbench for people who develop Partita: mlir-opt with our dialects and
// passes.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/AllDialects.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  partita::registerAllDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Partita's program workbench\n", registry));
}
