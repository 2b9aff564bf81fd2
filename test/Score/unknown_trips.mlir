// A loop whose length depends on data is flagged before any time that depends on it, and warned of unless its length is
// said.
// RUN: partita score %s --machine h100-sxm:1x2 --mesh x=2 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARNING < %t.err
// RUN: partita score %s --machine h100-sxm:1x2 --mesh x=2 --assume-trips 5 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: partita score %s --machine h100-sxm:1x2 --mesh x=2 --assume-trips 5 --json 2> /dev/null | FileCheck %s --check-prefix=JSON

// CHECK: on x=2, h100-sxm:1x2
// CHECK-NEXT: a loop runs an unknown number of times: times count 1 trip of it (--assume-trips=N says how many)
// CHECK-NEXT: time
// WARNING: partita: warning: a loop runs an unknown number of times: times count 1 trip of it
// GIVEN-NOT: warning
// GIVEN: a loop runs an unknown number of times: times count 5 trips of it
// JSON: "assumed_trips": {
// JSON-NEXT: "loops": 1,
// JSON-NEXT: "trips": 5

func.func public @main(%n: tensor<i32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %v, %v : tensor<8xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
