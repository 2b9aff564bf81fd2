// accept: element_types_float
func.func @main(%a0: tensor<2xf4E2M1FN>, %a1: tensor<2xf6E2M3FN>, %a2: tensor<2xf6E3M2FN>, %a3: tensor<2xf8E3M4>, %a4: tensor<2xf8E4M3>, %a5: tensor<2xf8E4M3FN>, %a6: tensor<2xf8E4M3FNUZ>, %a7: tensor<2xf8E4M3B11FNUZ>, %a8: tensor<2xf8E5M2>, %a9: tensor<2xf8E5M2FNUZ>, %a10: tensor<2xf8E8M0FNU>, %a11: tensor<2xbf16>, %a12: tensor<2xf16>, %a13: tensor<2xf32>, %a14: tensor<2xf64>) {
  %0 = stablehlo.add %a0, %a0 : tensor<2xf4E2M1FN>
  %1 = stablehlo.add %a1, %a1 : tensor<2xf6E2M3FN>
  %2 = stablehlo.add %a2, %a2 : tensor<2xf6E3M2FN>
  %3 = stablehlo.add %a3, %a3 : tensor<2xf8E3M4>
  %4 = stablehlo.add %a4, %a4 : tensor<2xf8E4M3>
  %5 = stablehlo.add %a5, %a5 : tensor<2xf8E4M3FN>
  %6 = stablehlo.add %a6, %a6 : tensor<2xf8E4M3FNUZ>
  %7 = stablehlo.add %a7, %a7 : tensor<2xf8E4M3B11FNUZ>
  %8 = stablehlo.add %a8, %a8 : tensor<2xf8E5M2>
  %9 = stablehlo.add %a9, %a9 : tensor<2xf8E5M2FNUZ>
  %10 = stablehlo.add %a10, %a10 : tensor<2xf8E8M0FNU>
  %11 = stablehlo.add %a11, %a11 : tensor<2xbf16>
  %12 = stablehlo.add %a12, %a12 : tensor<2xf16>
  %13 = stablehlo.add %a13, %a13 : tensor<2xf32>
  %14 = stablehlo.add %a14, %a14 : tensor<2xf64>
  return
}

// -----

// accept: element_types_integer
func.func @main(%a0: tensor<2xi1>, %a1: tensor<2xi2>, %a2: tensor<2xi4>, %a3: tensor<2xi8>, %a4: tensor<2xi16>, %a5: tensor<2xi32>, %a6: tensor<2xi64>, %a7: tensor<2xui2>, %a8: tensor<2xui4>, %a9: tensor<2xui8>, %a10: tensor<2xui16>, %a11: tensor<2xui32>, %a12: tensor<2xui64>) {
  %0 = stablehlo.xor %a0, %a0 : tensor<2xi1>
  %1 = stablehlo.xor %a1, %a1 : tensor<2xi2>
  %2 = stablehlo.xor %a2, %a2 : tensor<2xi4>
  %3 = stablehlo.xor %a3, %a3 : tensor<2xi8>
  %4 = stablehlo.xor %a4, %a4 : tensor<2xi16>
  %5 = stablehlo.xor %a5, %a5 : tensor<2xi32>
  %6 = stablehlo.xor %a6, %a6 : tensor<2xi64>
  %7 = stablehlo.xor %a7, %a7 : tensor<2xui2>
  %8 = stablehlo.xor %a8, %a8 : tensor<2xui4>
  %9 = stablehlo.xor %a9, %a9 : tensor<2xui8>
  %10 = stablehlo.xor %a10, %a10 : tensor<2xui16>
  %11 = stablehlo.xor %a11, %a11 : tensor<2xui32>
  %12 = stablehlo.xor %a12, %a12 : tensor<2xui64>
  return
}

// -----

// accept: element_types_complex
func.func @main(%a: tensor<2xcomplex<f32>>, %b: tensor<2xcomplex<f64>>) {
  %0 = stablehlo.add %a, %a : tensor<2xcomplex<f32>>
  %1 = stablehlo.add %b, %b : tensor<2xcomplex<f64>>
  return
}

// -----

// accept: constant_splat
func.func @main() {
  %0 = stablehlo.constant dense<1.500000e+00> : tensor<2x3xf32>
  %1 = stablehlo.constant dense<0x7FC00000> : tensor<2x3xf32>
  %2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<2x3xf64>
  %3 = stablehlo.constant dense<0xFF80> : tensor<2x3xbf16>
  %4 = stablehlo.constant dense<0x7C00> : tensor<2x3xf16>
  %5 = stablehlo.constant dense<-7> : tensor<2x3xi32>
  %6 = stablehlo.constant dense<255> : tensor<2x3xui8>
  %7 = stablehlo.constant dense<true> : tensor<2x3xi1>
  %8 = stablehlo.constant dense<-8> : tensor<2x3xi4>
  %9 = stablehlo.constant dense<1> : tensor<2x3xi2>
  %10 = stablehlo.constant dense<3> : tensor<2x3xui2>
  %11 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<2x3xcomplex<f32>>
  %12 = stablehlo.constant dense<(0x7FF0000000000000,0.000000e+00)> : tensor<2x3xcomplex<f64>>
  return
}

// -----

// accept: constant_float8
func.func @main() {
  %0 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf4E2M1FN>
  %1 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf6E2M3FN>
  %2 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf6E3M2FN>
  %3 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E3M4>
  %4 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E4M3>
  %5 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E4M3FN>
  %6 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E4M3FNUZ>
  %7 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E4M3B11FNUZ>
  %8 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E5M2>
  %9 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E5M2FNUZ>
  %10 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E8M0FNU>
  %11 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xbf16>
  %12 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf16>
  %13 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %14 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>
  return
}

// -----

// accept: constant_dense
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0, -3.5]> : tensor<3xf32>
  %1 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %2 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %3 = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  %4 = stablehlo.constant dense<> : tensor<0xf32>
  %5 = stablehlo.constant dense<> : tensor<3x0xi32>
  %6 = stablehlo.constant dense<[0, 15, 3]> : tensor<3xui4>
  %7 = stablehlo.constant dense<[-1, 0x7F]> : tensor<2xi8>
  %8 = stablehlo.constant dense<[0x7FC00000, 0xFF800000]> : tensor<2xf32>
  return
}

// -----

// accept: constant_hex
func.func @main() {
  %0 = stablehlo.constant dense<"0x0000003F00000040"> : tensor<2xf32>
  %1 = stablehlo.constant dense<"0x01020304"> : tensor<4xi8>
  %2 = stablehlo.constant dense<"0x0000803F0000000000000000000080BF"> : tensor<2xcomplex<f32>>
  %3 = stablehlo.constant dense<"0x0000803F"> : tensor<4xf32>
  return
}

// -----

// accept: constant_large
// Above one hundred elements the printer writes hexadecimal text.
func.func @main() {
  %0 = stablehlo.constant dense<[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95,96,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22]> : tensor<120xi32>
  return
}

// -----

// accept: constant_resource
func.func @main() {
  %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000003F00000040"
    }
  }
#-}

// -----

// accept: constant_resource_missing
// A handle without a blob is taken.
func.func @main() {
  %0 = stablehlo.constant dense_resource<nowhere> : tensor<2xf32>
  return
}

// -----

// accept: constant_sparse
func.func @main() {
  %0 = stablehlo.constant sparse<[[0], [2]], [1.0, 2.0]> : tensor<3xf32>
  return
}

// -----

// accept: constant_forms
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
  %1 = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
  %2 = stablehlo.constant() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %3 = stablehlo.constant {extra = "kept", other = 1 : i32} dense<1> : tensor<i32>
  return
}

// -----

// accept: constant_names
// The printer names integers %c and all others %cst.
func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.constant dense<1.0> : tensor<f32>
  %z = stablehlo.constant dense<true> : tensor<i1>
  %w = stablehlo.constant dense<(1.0, 1.0)> : tensor<complex<f32>>
  return
}

// -----

// accept: attributes_enums
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {v0 = #stablehlo<precision DEFAULT>, v1 = #stablehlo<precision HIGH>, v2 = #stablehlo<precision HIGHEST>} : tensor<f32>
  %1 = stablehlo.negate %a {v0 = #stablehlo<comparison_direction EQ>, v1 = #stablehlo<comparison_direction NE>, v2 = #stablehlo<comparison_direction GE>, v3 = #stablehlo<comparison_direction GT>, v4 = #stablehlo<comparison_direction LE>, v5 = #stablehlo<comparison_direction LT>} : tensor<f32>
  %2 = stablehlo.negate %a {v0 = #stablehlo<comparison_type NOTYPE>, v1 = #stablehlo<comparison_type FLOAT>, v2 = #stablehlo<comparison_type TOTALORDER>, v3 = #stablehlo<comparison_type SIGNED>, v4 = #stablehlo<comparison_type UNSIGNED>} : tensor<f32>
  %3 = stablehlo.negate %a {v0 = #stablehlo<fft_type FFT>, v1 = #stablehlo<fft_type IFFT>, v2 = #stablehlo<fft_type RFFT>, v3 = #stablehlo<fft_type IRFFT>} : tensor<f32>
  %4 = stablehlo.negate %a {v0 = #stablehlo<rng_algorithm DEFAULT>, v1 = #stablehlo<rng_algorithm THREE_FRY>, v2 = #stablehlo<rng_algorithm PHILOX>} : tensor<f32>
  %5 = stablehlo.negate %a {v0 = #stablehlo<rng_distribution UNIFORM>, v1 = #stablehlo<rng_distribution NORMAL>} : tensor<f32>
  %6 = stablehlo.negate %a {v0 = #stablehlo<transpose TRANSPOSE_INVALID>, v1 = #stablehlo<transpose NO_TRANSPOSE>, v2 = #stablehlo<transpose TRANSPOSE>, v3 = #stablehlo<transpose ADJOINT>} : tensor<f32>
  %m = stablehlo.negate %a {v0 = #stablehlo.result_accuracy_mode<DEFAULT>, v1 = #stablehlo.result_accuracy_mode<HIGHEST>, v2 = #stablehlo.result_accuracy_mode<TOLERANCE>} : tensor<f32>
  return
}

// -----

// accept: op_unknown_property
// Unknown names among the properties are dropped.
func.func @main(%a: tensor<f32>) {
  %0 = "stablehlo.tanh"(%a) <{nothing = 1 : i32}> : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// accept: attributes_structures
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {a = #stablehlo.channel_handle<handle = 1, type = 0>, b = #stablehlo.channel_handle<type = 3, handle = -1>, c = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], operand_batching_dims = [3], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 1>, d = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], input_batching_dims = [2], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, e = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3]>, f = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 1, 0, f]>, g = #stablehlo.output_operand_alias<output_tuple_indices = [0, 1], operand_index = 0, operand_tuple_indices = []>, h = #stablehlo.bounds<1, ?>} : tensor<f32>
  %1 = stablehlo.negate %a {c = #stablehlo.gather<>, d = #stablehlo.scatter<>, e = #stablehlo.dot<>, f = #stablehlo.conv<[b, f]x[i, o]->[f, b]>} : tensor<f32>
  %2 = stablehlo.negate %a {a = #stablehlo.mesh_axis<name = "x", size = 4>, b = #stablehlo.axis_ref<name = "x">, c = #stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>, d = #stablehlo.mesh<axes = [<name = "x", size = 2>]>} : tensor<f32>
  return
}

// -----

// accept: attributes_aliases
#dims = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
#where = loc("f")
func.func @main(%a: tensor<4x4xf32>) {
  %0 = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #dims}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc(#where)
  return
}

// -----

// accept: token_and_tuple_types
func.func private @f(!stablehlo.token, tuple<>, tuple<tensor<i32>, tuple<!stablehlo.token, tensor<f32>>>) -> !stablehlo.token

// -----

// accept: locations
#file = loc("model.py":10:4)
#inner = loc("inner"(#file))
module @m {
  func.func @main(%a: tensor<4xf32> loc("a"), %b: tensor<4xf32> loc(unknown)) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32> loc("jit(f)/add"(#file))
    %1 = stablehlo.add %0, %b : tensor<4xf32> loc(callsite("callee" at "caller"("x.py":1:2)))
    %2 = stablehlo.add %1, %b : tensor<4xf32> loc(fused["one", #inner, unknown])
    %3 = stablehlo.add %2, %b : tensor<4xf32> loc(fused<"meta">["one", "two"])
    %4 = stablehlo.add %3, %b : tensor<4xf32> loc(callsite(callsite("a" at "b") at fused["c", "d"]))
    %5 = stablehlo.add %4, %b : tensor<4xf32> loc("range.py":1:2 to 3:4)
    return %5 : tensor<4xf32> loc(unknown)
  } loc(#inner)
} loc(#file)

// -----

// accept: module_attributes
module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.cross_program_prefetches = [], mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32, mhlo.use_auto_spmd_partitioning = true} {
  func.func public @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}", jax.global_constant = "x"}) -> (tensor<8xf32> {jax.result_info = "result"}) attributes {execution_thread = "main"} {
    return %arg0 : tensor<8xf32>
  }
}

// -----

// accept: booleans_many
func.func @main() {
  %0 = stablehlo.constant dense<[false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true]> : tensor<104xi1>
  %1 = "stablehlo.constant"() <{value = dense<"0x0001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001010001"> : tensor<8x13xi1>}> : () -> tensor<8x13xi1>
  return
}

// -----

// accept: booleans_hex
func.func @main() {
  %0 = stablehlo.constant dense<"0x010001"> : tensor<3xi1>
  %1 = stablehlo.constant dense<"0x000100FF0200000001"> : tensor<9xi1>
  %2 = stablehlo.constant dense<"0x01"> : tensor<3xi1>
  %3 = stablehlo.constant dense<"0x00"> : tensor<300xi1>
  %4 = stablehlo.constant dense<"0x80"> : tensor<i1>
  %5 = stablehlo.custom_call @f() {some.mask = dense<"0x0100"> : tensor<2xi1>} : () -> tensor<i1>
  return
}
