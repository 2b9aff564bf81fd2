//===- Special.cpp - special functions ------------------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Evaluate/Ops/MathFunctions.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

struct Erf {
  static constexpr StringLiteral name = "erf";
  static double ofFloat(double a) { return std::erf(a); }
};

struct Erfc {
  static constexpr StringLiteral name = "erfc";
  static double ofFloat(double a) { return std::erfc(a); }
};

struct ErfInv {
  static constexpr StringLiteral name = "erf_inv";
  static double ofFloat(double a) { return erfInv(a); }
};

struct Lgamma {
  static constexpr StringLiteral name = "lgamma";
  static double ofFloat(double a) { return evaluate::lgamma(a); }
};

struct Digamma {
  static constexpr StringLiteral name = "digamma";
  static double ofFloat(double a) { return digamma(a); }
};

struct BesselI1e {
  static constexpr StringLiteral name = "bessel_i1e";
  static double ofFloat(double a) { return besselI1e(a); }
};

} // namespace

void registerSpecial(OpTable &table) {
  addElementwise<chlo::ErfOp, Erf>(table);
  addElementwise<chlo::ErfcOp, Erfc>(table);
  addElementwise<chlo::ErfInvOp, ErfInv>(table);
  addElementwise<chlo::LgammaOp, Lgamma>(table);
  addElementwise<chlo::DigammaOp, Digamma>(table);
  addElementwise<chlo::BesselI1eOp, BesselI1e>(table);
  addElementwise<chlo::PolygammaOp, Polygamma>(table);
  addElementwise<chlo::ZetaOp, Zeta>(table);
}

} // namespace partita::evaluate
