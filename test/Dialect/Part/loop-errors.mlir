// What is no loop over a mesh axis, and why.
// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @action_unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected tile, sum or any, not 'max'}}
  %0 = part.loop "B" size 2 [max] (%b) {
    part.yield %x : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @action_missing(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected tile, sum or any}}
  %0 = part.loop "B" size 2 [0] (%b) {
    part.yield %x : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @combiner_unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+2 {{expected one of [add, multiply, maximum, minimum, and, or, xor] for how partial results are combined, got: mean}}
  // expected-error @+1 {{failed to parse Part_SumAttr parameter 'combiner'}}
  %0 = part.loop "B" size 2 [sum<mean>] (%b) {
    part.yield %x : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @action_foreign(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{attribute 'actions' failed to satisfy constraint: list of tile, sum or any}}
  %0 = "part.loop"() <{axis = #sdy<axis_ref"B">, size = 2 : i64, actions = [unit]}> ({
  ^bb0(%b: tensor<i64>):
    part.yield %x : tensor<8xf32>
  }) : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @actions_count(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has 1 results and 2 actions}}
  %0 = part.loop "B" size 2 [any, any] (%b) {
    part.yield %x : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @size_zero() {
  // expected-error @+1 {{attribute 'size' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  part.loop "B" size 0 [] (%b) {
    part.yield
  }
  return
}

// -----

func.func @size_of_part() {
  // expected-error @+1 {{axis "B":(1)4 has size 4, not 2}}
  part.loop "B":(1)4 size 2 [] (%b) {
    part.yield
  }
  return
}

// -----

func.func @no_position() {
  // expected-error @+1 {{the body must have one argument, the position, a 'tensor<i64>'}}
  "part.loop"() <{axis = #sdy<axis_ref"B">, size = 2 : i64, actions = []}> ({
    part.yield
  }) : () -> ()
  return
}

// -----

func.func @no_yield(%x: tensor<i1>) {
  // expected-error @+1 {{the body must end in part.yield}}
  "part.loop"() <{axis = #sdy<axis_ref"B">, size = 2 : i64, actions = []}> ({
  ^bb0(%b: tensor<i64>):
    stablehlo.return
  }) : () -> ()
  return
}

// -----

func.func @yield_alone() {
  // expected-error @+1 {{expects parent op 'part.loop'}}
  "part.yield"() : () -> ()
}

// -----

func.func @yield_count(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = part.loop "B" size 2 [any] (%b) {
    // expected-error @+1 {{gives 2 pieces to a loop of 1 results}}
    part.yield %x, %x : tensor<8xf32>, tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @axis_twice() {
  // expected-note @+1 {{the loop over "B"}}
  part.loop "B" size 2 [] (%b) {
    part.loop "M" size 2 [] (%m) {
      // expected-error @+1 {{axis "B" has a loop around this one already}}
      part.loop "B" size 2 [] (%c) {
        part.yield
      }
      part.yield
    }
    part.yield
  }
  return
}

// -----

func.func @part_of_axis_twice() {
  // expected-note @+1 {{the loop over "B"}}
  part.loop "B" size 8 [] (%b) {
    // expected-error @+1 {{axis "B":(2)4 has a loop around this one already}}
    part.loop "B":(2)4 size 4 [] (%c) {
      part.yield
    }
    part.yield
  }
  return
}

// -----

func.func @tile_dim(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0: dim 1 of 'tensor<8xf32>', which has 1 dims}}
  %0 = part.loop "B" size 2 [tile<1>] (%b) {
    part.yield %x : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @tile_negative(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0: dim -1 of 'tensor<8xf32>', which has 1 dims}}
  %0 = part.loop "B" size 2 [tile<-1>] (%b) {
    part.yield %x : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @tile_uneven(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0: axis "B" of size 3 does not divide dim 0 of 'tensor<8xf32>'}}
  %0 = part.loop "B" size 3 [tile<0>] (%b) {
    part.yield %x : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @tile_size(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0: a piece of 'tensor<8xf32>' along dim 0 is 'tensor<4xf32>', not 'tensor<8xf32>'}}
  %0 = part.loop "B" size 2 [tile<0>] (%b) {
    part.yield %x : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @sum_size(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0: the pieces are 'tensor<4xf32>', the result is 'tensor<8xf32>' and not tiled}}
  %0 = part.loop "B" size 2 [sum] (%b) {
    %1 = part.slice %x dim 0 at %b : tensor<8xf32> -> tensor<4xf32>
    part.yield %1 : tensor<4xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @sum_bits(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0: sum<xor> cannot combine elements of type 'f32'}}
  %0 = part.loop "B" size 2 [sum<xor>] (%b) {
    part.yield %x : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @sum_order(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  // expected-error @+1 {{result 0: sum<maximum> cannot combine elements of type 'complex<f32>'}}
  %0 = part.loop "B" size 2 [sum<maximum>] (%b) {
    part.yield %x : tensor<8xcomplex<f32>>
  } : tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}

// -----

func.func @slice_elsewhere(%x: tensor<8xf32>, %i: tensor<i64>) -> tensor<4xf32> {
  // expected-error @+1 {{slices at the position of an enclosing part.loop, not at another value}}
  %0 = part.slice %x dim 0 at %i : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice_size(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = part.loop "B" size 2 [tile<0>] (%b) {
    // expected-error @+1 {{a piece of 'tensor<8xf32>' along dim 0 is 'tensor<4xf32>', not 'tensor<4xi32>'}}
    %1 = part.slice %x dim 0 at %b : tensor<8xf32> -> tensor<4xi32>
    part.yield %1 : tensor<4xi32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @slice_uneven(%x: tensor<7xf32>) -> tensor<8xf32> {
  %0 = part.loop "B" size 2 [tile<0>] (%b) {
    // expected-error @+1 {{axis "B" of size 2 does not divide dim 0 of 'tensor<7xf32>'}}
    %1 = part.slice %x dim 0 at %b : tensor<7xf32> -> tensor<4xf32>
    part.yield %1 : tensor<4xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @slice_dynamic(%x: tensor<?xf32>) {
  part.loop "B" size 2 [] (%b) {
    // expected-error @+1 {{operand #0 must be statically shaped tensor of any type values}}
    %1 = part.slice %x dim 0 at %b : tensor<?xf32> -> tensor<4xf32>
    part.yield
  }
  return
}
