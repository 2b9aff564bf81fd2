//===- MathOps.td - elementwise math functions ----------------------------===//

#ifndef PARTITA_DIALECT_CHLO_MATH_OPS
#define PARTITA_DIALECT_CHLO_MATH_OPS

include "partita/Dialect/Chlo/OpBase.td"

//===----------------------------------------------------------------------===//
// Of one operand
//===----------------------------------------------------------------------===//

class ChloUnaryOp<string mnemonic, Type operandType, Type resultType = operandType,
                  list<Trait> traits = [CompatibleTypes]>
    : ChloOp<mnemonic, traits # [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def AcosOp : ChloUnaryOp<"acos", Shlo_AnyFpOrComplexTensor>;
def AcoshOp : ChloUnaryOp<"acosh", Shlo_AnyFpOrComplexTensor>;
def AsinOp : ChloUnaryOp<"asin", Shlo_AnyFpOrComplexTensor>;
def AsinhOp : ChloUnaryOp<"asinh", Shlo_AnyFpOrComplexTensor>;
def AtanOp : ChloUnaryOp<"atan", Shlo_AnyFpOrComplexTensor>;
def AtanhOp : ChloUnaryOp<"atanh", Shlo_AnyFpOrComplexTensor>;
def BesselI1eOp : ChloUnaryOp<"bessel_i1e", Shlo_AnyFpOrComplexTensor>;
def ConjOp : ChloUnaryOp<"conj", Shlo_AnyFpOrComplexTensor>;
def CoshOp : ChloUnaryOp<"cosh", Shlo_AnyFpOrComplexTensor>;
def SinhOp : ChloUnaryOp<"sinh", Shlo_AnyFpOrComplexTensor>;
def SquareOp : ChloUnaryOp<"square", Shlo_AnyFpOrComplexTensor>;
def TanOp : ChloUnaryOp<"tan", Shlo_AnyFpOrComplexTensor>;

def DigammaOp : ChloUnaryOp<"digamma", Shlo_AnyFpTensor>;
def ErfOp : ChloUnaryOp<"erf", Shlo_AnyFpTensor>;
def ErfInvOp : ChloUnaryOp<"erf_inv", Shlo_AnyFpTensor>;
def ErfcOp : ChloUnaryOp<"erfc", Shlo_AnyFpTensor>;
def LgammaOp : ChloUnaryOp<"lgamma", Shlo_AnyFpTensor>;

def IsInfOp : ChloUnaryOp<"is_inf", Shlo_AnyFpTensor, Shlo_AnyPredTensor, [InfersResults]>;
def IsNegInfOp : ChloUnaryOp<"is_neg_inf", Shlo_AnyFpTensor, Shlo_AnyPredTensor, [InfersResults]>;
def IsPosInfOp : ChloUnaryOp<"is_pos_inf", Shlo_AnyFpTensor, Shlo_AnyPredTensor, [InfersResults]>;

/// What asin, acos, asinh and acosh of complex numbers have in common.
def AsinAcosKernelOp : ChloUnaryOp<"_asin_acos_kernel", Shlo_AnyComplexTensor>;

//===----------------------------------------------------------------------===//
// Of two operands
//===----------------------------------------------------------------------===//

def NextAfterOp : ChloOp<"next_after", [Pure, CompatibleTypes]> {
  let arguments = (ins Shlo_AnyFpTensor:$x, Shlo_AnyFpTensor:$y);
  let results = (outs Shlo_AnyFpTensor:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x) `,` type($y) `->` type($result)";
}

def PolygammaOp : ChloOp<"polygamma", [Pure, CompatibleTypes]> {
  let arguments = (ins Shlo_AnyFpTensor:$n, Shlo_AnyFpTensor:$x);
  let results = (outs Shlo_AnyFpTensor:$result);
  let assemblyFormat = "$n `,` $x attr-dict `:` type($n) `,` type($x) `->` type($result)";
}

/// The Hurwitz zeta function.
def ZetaOp : ChloOp<"zeta", [Pure, CompatibleTypes]> {
  let arguments = (ins Shlo_AnyFpTensor:$x, Shlo_AnyFpTensor:$q);
  let results = (outs Shlo_AnyFpTensor:$result);
  let assemblyFormat = "$x `,` $q attr-dict `:` type($x) `,` type($q) `->` type($result)";
}

/// The upper half of a product of integers.
def MulhiOp : ChloOp<"mulhi", [Pure, Commutative, CompatibleTypes]> {
  let arguments = (ins Shlo_IntTensor:$lhs, Shlo_IntTensor:$rhs);
  let results = (outs Shlo_IntTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

#endif
