// accept: cbrt_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.cbrt %f : tensor<4x3xf32>
  %1 = stablehlo.cbrt %h : tensor<bf16>
  %2 = stablehlo.cbrt %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.cbrt"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.cbrt %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.cbrt %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: cbrt_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.cbrt %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.cbrt %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.cbrt"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.cbrt %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: cosine_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.cosine %f : tensor<4x3xf32>
  %1 = stablehlo.cosine %h : tensor<bf16>
  %2 = stablehlo.cosine %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.cosine"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.cosine %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.cosine %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: cosine_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.cosine %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.cosine %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.cosine"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.cosine %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: exponential_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.exponential %f : tensor<4x3xf32>
  %1 = stablehlo.exponential %h : tensor<bf16>
  %2 = stablehlo.exponential %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.exponential"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.exponential %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.exponential %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: exponential_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.exponential %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.exponential %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.exponential"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.exponential %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: exponential_minus_one_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.exponential_minus_one %f : tensor<4x3xf32>
  %1 = stablehlo.exponential_minus_one %h : tensor<bf16>
  %2 = stablehlo.exponential_minus_one %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.exponential_minus_one"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.exponential_minus_one %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.exponential_minus_one %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: exponential_minus_one_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.exponential_minus_one %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.exponential_minus_one %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.exponential_minus_one"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.exponential_minus_one %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: log_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.log %f : tensor<4x3xf32>
  %1 = stablehlo.log %h : tensor<bf16>
  %2 = stablehlo.log %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.log"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.log %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.log %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: log_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.log %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.log %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.log"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.log %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: log_plus_one_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.log_plus_one %f : tensor<4x3xf32>
  %1 = stablehlo.log_plus_one %h : tensor<bf16>
  %2 = stablehlo.log_plus_one %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.log_plus_one"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.log_plus_one %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.log_plus_one %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: log_plus_one_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.log_plus_one %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.log_plus_one %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.log_plus_one"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.log_plus_one %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: logistic_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.logistic %f : tensor<4x3xf32>
  %1 = stablehlo.logistic %h : tensor<bf16>
  %2 = stablehlo.logistic %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.logistic"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.logistic %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.logistic %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: logistic_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.logistic %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.logistic %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.logistic"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.logistic %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: rsqrt_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.rsqrt %f : tensor<4x3xf32>
  %1 = stablehlo.rsqrt %h : tensor<bf16>
  %2 = stablehlo.rsqrt %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.rsqrt"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.rsqrt %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.rsqrt %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: rsqrt_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.rsqrt %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.rsqrt %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.rsqrt"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.rsqrt %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: sine_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.sine %f : tensor<4x3xf32>
  %1 = stablehlo.sine %h : tensor<bf16>
  %2 = stablehlo.sine %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.sine"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.sine %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.sine %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: sine_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.sine %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.sine %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.sine"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.sine %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: sqrt_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.sqrt %f : tensor<4x3xf32>
  %1 = stablehlo.sqrt %h : tensor<bf16>
  %2 = stablehlo.sqrt %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.sqrt"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.sqrt %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.sqrt %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: sqrt_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.sqrt %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.sqrt %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.sqrt"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.sqrt %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: tan_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.tan %f : tensor<4x3xf32>
  %1 = stablehlo.tan %h : tensor<bf16>
  %2 = stablehlo.tan %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.tan"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.tan %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.tan %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: tan_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.tan %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.tan %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.tan"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.tan %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: tanh_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>, %c: tensor<2xcomplex<f64>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.tanh %f : tensor<4x3xf32>
  %1 = stablehlo.tanh %h : tensor<bf16>
  %2 = stablehlo.tanh %c : tensor<2xcomplex<f64>>
  %3 = "stablehlo.tanh"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.tanh %d : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.tanh %f {some.extra = "kept"} : tensor<4x3xf32>
  return
}

// -----

// accept: tanh_result_accuracy
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
  %1 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
  %2 = "stablehlo.tanh"(%f) <{result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.500000e-01, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
  return
}

// -----

// accept: ceil_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<f16>, %e: tensor<2xf8E4M3FN>, %d: tensor<?xf64>) {
  %0 = stablehlo.ceil %f : tensor<4x3xf32>
  %1 = stablehlo.ceil %h : tensor<f16>
  %2 = stablehlo.ceil %e : tensor<2xf8E4M3FN>
  %3 = "stablehlo.ceil"(%d) : (tensor<?xf64>) -> tensor<?xf64>
  %4 = stablehlo.ceil %d : (tensor<?xf64>) -> tensor<5xf64>
  return
}

// -----

// accept: floor_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<f16>, %e: tensor<2xf8E4M3FN>, %d: tensor<?xf64>) {
  %0 = stablehlo.floor %f : tensor<4x3xf32>
  %1 = stablehlo.floor %h : tensor<f16>
  %2 = stablehlo.floor %e : tensor<2xf8E4M3FN>
  %3 = "stablehlo.floor"(%d) : (tensor<?xf64>) -> tensor<?xf64>
  %4 = stablehlo.floor %d : (tensor<?xf64>) -> tensor<5xf64>
  return
}

// -----

// accept: round_nearest_afz_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<f16>, %e: tensor<2xf8E4M3FN>, %d: tensor<?xf64>) {
  %0 = stablehlo.round_nearest_afz %f : tensor<4x3xf32>
  %1 = stablehlo.round_nearest_afz %h : tensor<f16>
  %2 = stablehlo.round_nearest_afz %e : tensor<2xf8E4M3FN>
  %3 = "stablehlo.round_nearest_afz"(%d) : (tensor<?xf64>) -> tensor<?xf64>
  %4 = stablehlo.round_nearest_afz %d : (tensor<?xf64>) -> tensor<5xf64>
  return
}

// -----

// accept: round_nearest_even_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<f16>, %e: tensor<2xf8E4M3FN>, %d: tensor<?xf64>) {
  %0 = stablehlo.round_nearest_even %f : tensor<4x3xf32>
  %1 = stablehlo.round_nearest_even %h : tensor<f16>
  %2 = stablehlo.round_nearest_even %e : tensor<2xf8E4M3FN>
  %3 = "stablehlo.round_nearest_even"(%d) : (tensor<?xf64>) -> tensor<?xf64>
  %4 = stablehlo.round_nearest_even %d : (tensor<?xf64>) -> tensor<5xf64>
  return
}

// -----

// accept: abs_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi32>, %c: tensor<2xcomplex<f32>>, %z: tensor<2xcomplex<f64>>, %n: tensor<3xi4>) {
  %0 = stablehlo.abs %f : tensor<4x3xf32>
  %1 = stablehlo.abs %i : tensor<4xi32>
  %2 = stablehlo.abs %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %3 = "stablehlo.abs"(%z) : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %4 = stablehlo.abs %n : tensor<3xi4>
  return
}

// -----

// accept: negate_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xui8>, %c: tensor<2xcomplex<f32>>) {
  %0 = stablehlo.negate %f : tensor<4x3xf32>
  %1 = stablehlo.negate %i : tensor<4xui8>
  %2 = stablehlo.negate %c : tensor<2xcomplex<f32>>
  %3 = "stablehlo.negate"(%c) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

// accept: sign_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi64>, %c: tensor<2xcomplex<f32>>) {
  %0 = stablehlo.sign %f : tensor<4x3xf32>
  %1 = stablehlo.sign %i : tensor<4xi64>
  %2 = stablehlo.sign %c : tensor<2xcomplex<f32>>
  %3 = "stablehlo.sign"(%f) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// accept: count_leading_zeros_forms
func.func @main(%i: tensor<4xi32>, %u: tensor<2x2xui64>, %n: tensor<ui2>) {
  %0 = stablehlo.count_leading_zeros %i : tensor<4xi32>
  %1 = stablehlo.count_leading_zeros %u : tensor<2x2xui64>
  %2 = stablehlo.count_leading_zeros %n : tensor<ui2>
  %3 = "stablehlo.count_leading_zeros"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// accept: popcnt_forms
func.func @main(%i: tensor<4xi32>, %u: tensor<2x2xui64>, %n: tensor<ui2>) {
  %0 = stablehlo.popcnt %i : tensor<4xi32>
  %1 = stablehlo.popcnt %u : tensor<2x2xui64>
  %2 = stablehlo.popcnt %n : tensor<ui2>
  %3 = "stablehlo.popcnt"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// accept: not_forms
func.func @main(%i: tensor<4xi32>, %b: tensor<2x2xi1>) {
  %0 = stablehlo.not %i : tensor<4xi32>
  %1 = stablehlo.not %b : tensor<2x2xi1>
  %2 = "stablehlo.not"(%b) : (tensor<2x2xi1>) -> tensor<2x2xi1>
  return
}

// -----

// accept: real_forms
func.func @main(%c: tensor<2xcomplex<f32>>, %z: tensor<complex<f64>>, %f: tensor<4xf16>) {
  %0 = stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = stablehlo.real %z : (tensor<complex<f64>>) -> tensor<f64>
  %2 = stablehlo.real %f : tensor<4xf16>
  %3 = "stablehlo.real"(%c) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return
}

// -----

// accept: imag_forms
func.func @main(%c: tensor<2xcomplex<f32>>, %z: tensor<complex<f64>>, %f: tensor<4xf16>) {
  %0 = stablehlo.imag %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = stablehlo.imag %z : (tensor<complex<f64>>) -> tensor<f64>
  %2 = stablehlo.imag %f : tensor<4xf16>
  %3 = "stablehlo.imag"(%c) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return
}

// -----

// accept: is_finite_forms
func.func @main(%f: tensor<4x3xf32>, %h: tensor<bf16>) {
  %0 = stablehlo.is_finite %f : (tensor<4x3xf32>) -> tensor<4x3xi1>
  %1 = "stablehlo.is_finite"(%h) : (tensor<bf16>) -> tensor<i1>
  return
}

// -----

// accept: convert_forms
func.func @main(%f: tensor<4xf32>, %i: tensor<2x2xi8>, %b: tensor<i1>, %c: tensor<3xcomplex<f32>>, %d: tensor<?xf32>) {
  %0 = stablehlo.convert %f : (tensor<4xf32>) -> tensor<4xi32>
  %1 = stablehlo.convert %i : (tensor<2x2xi8>) -> tensor<2x2xf8E5M2>
  %2 = stablehlo.convert %b : (tensor<i1>) -> tensor<complex<f32>>
  %3 = stablehlo.convert %f : tensor<4xf32>
  %4 = stablehlo.convert %c : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %5 = "stablehlo.convert"(%d) : (tensor<?xf32>) -> tensor<?xf16>
  return
}

// -----

// accept: add_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi32>, %u: tensor<2xui16>, %c: tensor<2xcomplex<f32>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.add %f, %f : tensor<4x3xf32>
  %1 = stablehlo.add %i, %i : tensor<4xi32>
  %2 = stablehlo.add %u, %u : tensor<2xui16>
  %3 = stablehlo.add %c, %c : tensor<2xcomplex<f32>>
  %4 = "stablehlo.add"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.add %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.add %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: subtract_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi32>, %u: tensor<2xui16>, %c: tensor<2xcomplex<f32>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.subtract %f, %f : tensor<4x3xf32>
  %1 = stablehlo.subtract %i, %i : tensor<4xi32>
  %2 = stablehlo.subtract %u, %u : tensor<2xui16>
  %3 = stablehlo.subtract %c, %c : tensor<2xcomplex<f32>>
  %4 = "stablehlo.subtract"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.subtract %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.subtract %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: multiply_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi32>, %u: tensor<2xui16>, %c: tensor<2xcomplex<f32>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.multiply %f, %f : tensor<4x3xf32>
  %1 = stablehlo.multiply %i, %i : tensor<4xi32>
  %2 = stablehlo.multiply %u, %u : tensor<2xui16>
  %3 = stablehlo.multiply %c, %c : tensor<2xcomplex<f32>>
  %4 = "stablehlo.multiply"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.multiply %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.multiply %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: divide_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi32>, %u: tensor<2xui16>, %c: tensor<2xcomplex<f32>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.divide %f, %f : tensor<4x3xf32>
  %1 = stablehlo.divide %i, %i : tensor<4xi32>
  %2 = stablehlo.divide %u, %u : tensor<2xui16>
  %3 = stablehlo.divide %c, %c : tensor<2xcomplex<f32>>
  %4 = "stablehlo.divide"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.divide %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.divide %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: maximum_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi32>, %u: tensor<2xui16>, %c: tensor<2xcomplex<f32>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.maximum %f, %f : tensor<4x3xf32>
  %1 = stablehlo.maximum %i, %i : tensor<4xi32>
  %2 = stablehlo.maximum %u, %u : tensor<2xui16>
  %3 = stablehlo.maximum %c, %c : tensor<2xcomplex<f32>>
  %4 = "stablehlo.maximum"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.maximum %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.maximum %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: minimum_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi32>, %u: tensor<2xui16>, %c: tensor<2xcomplex<f32>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.minimum %f, %f : tensor<4x3xf32>
  %1 = stablehlo.minimum %i, %i : tensor<4xi32>
  %2 = stablehlo.minimum %u, %u : tensor<2xui16>
  %3 = stablehlo.minimum %c, %c : tensor<2xcomplex<f32>>
  %4 = "stablehlo.minimum"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.minimum %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.minimum %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: power_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi32>, %u: tensor<2xui16>, %c: tensor<2xcomplex<f32>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.power %f, %f : tensor<4x3xf32>
  %1 = stablehlo.power %i, %i : tensor<4xi32>
  %2 = stablehlo.power %u, %u : tensor<2xui16>
  %3 = stablehlo.power %c, %c : tensor<2xcomplex<f32>>
  %4 = "stablehlo.power"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.power %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.power %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: remainder_forms
func.func @main(%f: tensor<4x3xf32>, %i: tensor<4xi32>, %u: tensor<2xui16>, %c: tensor<2xcomplex<f32>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.remainder %f, %f : tensor<4x3xf32>
  %1 = stablehlo.remainder %i, %i : tensor<4xi32>
  %2 = stablehlo.remainder %u, %u : tensor<2xui16>
  %3 = stablehlo.remainder %c, %c : tensor<2xcomplex<f32>>
  %4 = "stablehlo.remainder"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.remainder %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.remainder %d, %f : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: add_boolean
func.func @main(%b: tensor<2xi1>) {
  %0 = stablehlo.add %b, %b : tensor<2xi1>
  return
}

// -----

// accept: multiply_boolean
func.func @main(%b: tensor<2xi1>) {
  %0 = stablehlo.multiply %b, %b : tensor<2xi1>
  return
}

// -----

// accept: maximum_boolean
func.func @main(%b: tensor<2xi1>) {
  %0 = stablehlo.maximum %b, %b : tensor<2xi1>
  return
}

// -----

// accept: minimum_boolean
func.func @main(%b: tensor<2xi1>) {
  %0 = stablehlo.minimum %b, %b : tensor<2xi1>
  return
}

// -----

// accept: atan2_forms
func.func @main(%f: tensor<4x3xf32>, %c: tensor<2xcomplex<f32>>) {
  %0 = stablehlo.atan2 %f, %f : tensor<4x3xf32>
  %1 = stablehlo.atan2 %c, %c : tensor<2xcomplex<f32>>
  %2 = "stablehlo.atan2"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// accept: and_forms
func.func @main(%b: tensor<4xi1>, %i: tensor<2x2xi32>, %u: tensor<ui8>) {
  %0 = stablehlo.and %b, %b : tensor<4xi1>
  %1 = stablehlo.and %i, %i : tensor<2x2xi32>
  %2 = stablehlo.and %u, %u : tensor<ui8>
  %3 = "stablehlo.and"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

// accept: or_forms
func.func @main(%b: tensor<4xi1>, %i: tensor<2x2xi32>, %u: tensor<ui8>) {
  %0 = stablehlo.or %b, %b : tensor<4xi1>
  %1 = stablehlo.or %i, %i : tensor<2x2xi32>
  %2 = stablehlo.or %u, %u : tensor<ui8>
  %3 = "stablehlo.or"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

// accept: xor_forms
func.func @main(%b: tensor<4xi1>, %i: tensor<2x2xi32>, %u: tensor<ui8>) {
  %0 = stablehlo.xor %b, %b : tensor<4xi1>
  %1 = stablehlo.xor %i, %i : tensor<2x2xi32>
  %2 = stablehlo.xor %u, %u : tensor<ui8>
  %3 = "stablehlo.xor"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

// accept: shift_left_forms
func.func @main(%i: tensor<2x2xi32>, %u: tensor<ui8>) {
  %0 = stablehlo.shift_left %i, %i : tensor<2x2xi32>
  %1 = stablehlo.shift_left %u, %u : tensor<ui8>
  %2 = "stablehlo.shift_left"(%u, %u) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  return
}

// -----

// accept: shift_right_arithmetic_forms
func.func @main(%i: tensor<2x2xi32>, %u: tensor<ui8>) {
  %0 = stablehlo.shift_right_arithmetic %i, %i : tensor<2x2xi32>
  %1 = stablehlo.shift_right_arithmetic %u, %u : tensor<ui8>
  %2 = "stablehlo.shift_right_arithmetic"(%u, %u) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  return
}

// -----

// accept: shift_right_logical_forms
func.func @main(%i: tensor<2x2xi32>, %u: tensor<ui8>) {
  %0 = stablehlo.shift_right_logical %i, %i : tensor<2x2xi32>
  %1 = stablehlo.shift_right_logical %u, %u : tensor<ui8>
  %2 = "stablehlo.shift_right_logical"(%u, %u) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  return
}

// -----

// accept: complex_forms
func.func @main(%f: tensor<4x3xf32>, %d: tensor<f64>) {
  %0 = stablehlo.complex %f, %f : tensor<4x3xcomplex<f32>>
  %1 = stablehlo.complex %d, %d : tensor<complex<f64>>
  %2 = stablehlo.complex %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xcomplex<f32>>
  %3 = "stablehlo.complex"(%f, %f) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xcomplex<f32>>
  return
}

// -----

// accept: compare_directions
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.compare EQ, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare NE, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = stablehlo.compare GE, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = stablehlo.compare GT, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = stablehlo.compare LE, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %5 = stablehlo.compare LT, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// accept: compare_types
func.func @main(%f: tensor<4xf32>, %i: tensor<4xi32>, %u: tensor<4xui32>, %b: tensor<4xi1>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.compare EQ, %f, %f, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare LT, %f, %f, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = stablehlo.compare GE, %i, %i, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %3 = stablehlo.compare NE, %u, %u, UNSIGNED : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %4 = stablehlo.compare NE, %b, %b, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %5 = stablehlo.compare EQ, %c, %c, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  %6 = stablehlo.compare EQ, %f, %f, NOTYPE : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %7 = stablehlo.compare EQ, %f, %f {extra = 1 : i32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// accept: compare_generic
func.func @main(%f: tensor<4xf32>) {
  %0 = "stablehlo.compare"(%f, %f) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = "stablehlo.compare"(%f, %f) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = "stablehlo.compare"(%f, %f) {comparison_direction = #stablehlo<comparison_direction LE>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// accept: compare_type_not_checked
// The spec (C3) ties the comparison type to the element type; the verifier does not.
func.func @main(%f: tensor<4xf32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.compare EQ, %f, %f, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare LT, %c, %c, TOTALORDER : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

// accept: clamp_forms
func.func @main(%s: tensor<f32>, %f: tensor<4x3xf32>, %i: tensor<4xi32>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.clamp %f, %f, %f : tensor<4x3xf32>
  %1 = stablehlo.clamp %s, %f, %s : (tensor<f32>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %2 = stablehlo.clamp %i, %i, %i : tensor<4xi32>
  %3 = "stablehlo.clamp"(%s, %f, %f) : (tensor<f32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.clamp %s, %d, %s : (tensor<f32>, tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: select_forms
func.func @main(%p: tensor<4x3xi1>, %s: tensor<i1>, %f: tensor<4x3xf32>, %i: tensor<4x3xcomplex<f32>>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.select %p, %f, %f : tensor<4x3xi1>, tensor<4x3xf32>
  %1 = stablehlo.select %s, %f, %f : tensor<i1>, tensor<4x3xf32>
  %2 = stablehlo.select %s, %i, %i : (tensor<i1>, tensor<4x3xcomplex<f32>>, tensor<4x3xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
  %3 = "stablehlo.select"(%p, %f, %f) : (tensor<4x3xi1>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.select %p, %d, %f : (tensor<4x3xi1>, tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: result_accuracy_no_tolerance
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}
