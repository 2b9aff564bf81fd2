// reject: reduce_input_shapes (C1) input shapes differ
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x7xf32>, %z: tensor<f32>) {
  %0:2 = stablehlo.reduce(%a init: %z), (%b init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x7xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%x: tensor<f32>, %p: tensor<f32>) (%y: tensor<f32>, %q: tensor<f32>) {
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }
  return
}

// -----

// reject: reduce_init_type (C2) init element kind
func.func @main(%a: tensor<4x8xf32>, %z: tensor<i32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<i32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x : tensor<f32>
  }
  return
}

// -----

// reject: reduce_init_rank (I2) init is no scalar
func.func @main(%a: tensor<4x8xf32>, %z: tensor<1xf32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x : tensor<f32>
  }
  return
}

// -----

// reject: reduce_result_count (C3) two results for one input
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0:2 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x : tensor<f32>
  }
  return
}

// -----

// reject: reduce_dimension_range (C4) dimension out of range
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [2] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x : tensor<f32>
  }
  return
}

// -----

// reject: reduce_dimension_negative (C4) dimension negative
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [-1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x : tensor<f32>
  }
  return
}

// -----

// reject: reduce_dimension_repeat (C5) dimension repeated
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x : tensor<f32>
  }
  return
}

// -----

// reject: reduce_body_arguments (C6) region arguments
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_body_results (C6) region results
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }
  return
}

// -----

// reject: reduce_body_no_result (C6) region returns nothing
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return
  }
  return
}

// -----

// reject: reduce_body_argument_types (C6) argument and result types differ
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<i32>, %y: tensor<f32>) {
    stablehlo.return %y : tensor<f32>
  }
  return
}

// -----

// reject: reduce_body_kind (C6) region of another kind
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xi32>
   reducer(%x: tensor<i32>, %y: tensor<i32>) {
    stablehlo.return %x : tensor<i32>
  }
  return
}

// -----

// reject: reduce_body_narrow (C6) region narrows an integer
func.func @main(%a: tensor<4x8xi32>, %z: tensor<i32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xi32>, tensor<i32>) -> tensor<4xi8>
   reducer(%x: tensor<i8>, %y: tensor<i8>) {
    stablehlo.return %x : tensor<i8>
  }
  return
}

// -----

// reject: reduce_body_token (C6) region returns a token
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token
    stablehlo.return %t : !stablehlo.token
  }
  return
}

// -----

// reject: reduce_shape (C7) result shape
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x : tensor<f32>
  }
  return
}

// -----

// reject: reduce_type (C8) result element type
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf64>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x : tensor<f32>
  }
  return
}

// -----

// reject: reduce_missing_region region missing
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_missing_dimensions required attribute
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_short_not_commutative parse: short form needs a commutative op
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.subtract across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_short_unary parse: short form needs a binary op
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.abs across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_short_other_dialect parse: short form needs an op of the dialect
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies arith.addf across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_short_unknown parse: unknown op
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.sum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_short_kind inner op rejects the element type
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.and across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_no_init parse: init required
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_no_dimensions parse: dimensions required
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_no_reducer parse: reducer required
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_short_plain_type parse: function type required
func.func @main(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : tensor<4xf32>
  return
}

// -----

// reject: reduce_window_no_inputs (C1) no inputs
func.func @main() {
  "stablehlo.reduce_window"() <{window_dimensions = array<i64>}> ({
    stablehlo.return
  }) : () -> ()
  return
}

// -----

// reject: reduce_window_shapes (C2) input shapes differ
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>, %z: tensor<f32>) {
  %0:2 = "stablehlo.reduce_window"(%a, %b, %z, %z) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %p: tensor<f32>, %y: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %x, %q : tensor<f32>, tensor<f32>
  }) : (tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: reduce_window_init (C3) init element kind
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<i32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<i32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_dimensions_count (C4) window_dimensions size
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_dimensions_zero (C5) window dimension 0
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 0, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_strides_count (C6) window_strides size
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_strides_zero (C7) stride 0
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 0, 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_base_count (C8) base_dilations size
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, base_dilations = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_base_zero (C9) base dilation 0
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, base_dilations = array<i64: 1, 0, 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_dilations_count (C10) window_dilations size
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_dilations = array<i64: 1, 1, 1, 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_dilations_zero (C11) window dilation -2
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_dilations = array<i64: 1, -2, 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_padding_rows (C12) padding rows
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_padding_columns (C12) padding columns
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, padding = dense<0> : tensor<4x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_body (C13) region arguments
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_body_kind (C13) region of another kind
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xi32>
  return
}

// -----

// reject: reduce_window_shape (C15) result shape
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x8x8x3xf32>
  return
}

// -----

// reject: reduce_window_type (C16) result element type
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf64>
  return
}

// -----

// reject: reduce_window_missing required attribute window_dimensions
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_strides = array<i64: 1, 1, 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: reduce_window_dense_attribute window_dimensions as elements
func.func @main(%a: tensor<1x8x8x3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = dense<[1, 2, 2, 1]> : tensor<4xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x7x7x3xf32>
  return
}

// -----

// reject: select_and_scatter_window_missing (C4) window_dimensions is needed though optional
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_source_type (C1) source element kind
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xi32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xi32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_source_shape (C2) source shape
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x5xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_init (C3) init element kind
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<i32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<i32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_window_count (C4) window_dimensions size
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_window_zero (C5) window dimension 0
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 0, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_stride_count (C6) window_strides size
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_stride_zero (C7) stride 0
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 0, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_padding (C8) padding shape
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{padding = dense<0> : tensor<3x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_select_result (C9) select returns no boolean
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_select_arguments (C9) select takes one argument
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>):
    %c = stablehlo.is_finite %x : (tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_select_types (C9) select argument type
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: select_and_scatter_scatter_type (C10) scatter of another kind
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %r = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xi32>
  return
}

// -----

// reject: select_and_scatter_shape (C11) result shape
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return
}

// -----

// reject: select_and_scatter_type (C12) result element type
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf64>
  return
}

// -----

// reject: select_and_scatter_one_region one region
func.func @main(%a: tensor<8x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: map_shapes (C1) input shapes differ
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) {
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: map_result_shape (C1) result shape
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// reject: map_no_inputs (C2) no inputs
func.func @main() {
  %0 = "stablehlo.map"() <{dimensions = array<i64>}> ({
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : () -> tensor<f32>
  return
}

// -----

// reject: map_dimensions (C3) dimensions are not all
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: map_dimensions_order (C3) dimensions out of order
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: map_arguments (C4) region argument count
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: map_argument_type (C4) region argument type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %r = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf64>
  return
}

// -----

// reject: map_argument_rank (C4) region argument is no scalar
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<1xf32>, %y: tensor<1xf32>):
    %r = stablehlo.add %x, %y : tensor<1xf32>
    stablehlo.return %r : tensor<1xf32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: map_result_count (C4) region results
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: map_result_type (C4) result element type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf64>
  return
}

// -----

// reject: map_return_rank (C4) region result is no scalar
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.constant dense<1.0> : tensor<1xf32>
    stablehlo.return %c : tensor<1xf32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: sort_no_inputs (C1) no inputs
func.func @main() {
  "stablehlo.sort"() <{dimension = 0 : i64}> ({
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : () -> ()
  return
}

// -----

// reject: sort_type (C2) result element type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf64>
  return
}

// -----

// reject: sort_result_shape (C3) result shape
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// reject: sort_shapes (C3) input shapes differ
func.func @main(%a: tensor<8xf32>, %b: tensor<7xf32>) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8xf32>, tensor<7xf32>) -> (tensor<8xf32>, tensor<7xf32>)
  return
}

// -----

// reject: sort_dimension (C4) dimension out of range
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 2 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: sort_dimension_negative (C4) dimension below -rank
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = -3 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: sort_arguments (C5) comparator argument count
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>):
    %c = stablehlo.is_finite %x : (tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: sort_argument_type (C5) comparator argument type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: sort_argument_order (C5) arguments paired per input
func.func @main(%a: tensor<8xf32>, %b: tensor<8xi32>) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %p: tensor<i32>, %y: tensor<f32>, %q: tensor<i32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  return
}

// -----

// reject: sort_result_type (C5) comparator result type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: sort_result_count (C5) comparator result count
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c, %c : tensor<i1>, tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: sort_result_rank (C5) comparator result rank
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.constant dense<true> : tensor<1xi1>
    stablehlo.return %c : tensor<1xi1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: reduce_precision_type (C1) result type
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.reduce_precision %a, format = e5m10 : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// reject: reduce_precision_exponent (C2) no exponent bits
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.reduce_precision %a, format = e0m10 : tensor<4xf32>
  return
}

// -----

// reject: reduce_precision_mantissa (C3) negative mantissa bits
func.func @main(%a: tensor<4xf32>) {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 8 : i32, mantissa_bits = -1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_precision_integer (I1) integer operand
func.func @main(%a: tensor<4xi32>) {
  %0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xi32>
  return
}

// -----

// reject: reduce_precision_complex (I1) complex operand
func.func @main(%a: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xcomplex<f32>>
  return
}

// -----

// reject: reduce_precision_format parse: format
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.reduce_precision %a, format = m10e5 : tensor<4xf32>
  return
}

// -----

// reject: reduce_precision_format_prefix parse: format needs mantissa
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.reduce_precision %a, format = e5 : tensor<4xf32>
  return
}

// -----

// reject: reduce_precision_width bits of i64
func.func @main(%a: tensor<4xf32>) {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 8 : i64, mantissa_bits = 7 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: reduce_precision_large parse: exponent too large for an integer
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.reduce_precision %a, format = e99999999999m10 : tensor<4xf32>
  return
}
