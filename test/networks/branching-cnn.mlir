// An image through two blocks of four branches (1x1, 3x3, 5x5, pooling)
// that are concatenated, and a classifier. TOSA, NHWC; elided constants
// that share one key.
module {
  func.func @classify(%image: tensor<1x112x92x3xf32>) -> tensor<1x11xf32> {
    %v0 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<24x3x3x3xf32>}> : () -> tensor<24x3x3x3xf32>
    %v1 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<24xf32>}> : () -> tensor<24xf32>
    %v2 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v3 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v4 = tosa.conv2d %image, %v0, %v1, %v2, %v3 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x112x92x3xf32>, tensor<24x3x3x3xf32>, tensor<24xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x112x92x24xf32>
    %v5 = tosa.clamp %v4 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x112x92x24xf32>) -> tensor<1x112x92x24xf32>
    %v6 = tosa.max_pool2d %v5 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x112x92x24xf32>) -> tensor<1x56x46x24xf32>
    %v7 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<40x1x1x24xf32>}> : () -> tensor<40x1x1x24xf32>
    %v8 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<40xf32>}> : () -> tensor<40xf32>
    %v9 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v10 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v11 = tosa.conv2d %v6, %v7, %v8, %v9, %v10 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x56x46x24xf32>, tensor<40x1x1x24xf32>, tensor<40xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x56x46x40xf32>
    %v12 = tosa.clamp %v11 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x56x46x40xf32>) -> tensor<1x56x46x40xf32>
    %v13 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<32x1x1x24xf32>}> : () -> tensor<32x1x1x24xf32>
    %v14 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<32xf32>}> : () -> tensor<32xf32>
    %v15 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v16 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v17 = tosa.conv2d %v6, %v13, %v14, %v15, %v16 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x56x46x24xf32>, tensor<32x1x1x24xf32>, tensor<32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x56x46x32xf32>
    %v18 = tosa.clamp %v17 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x56x46x32xf32>) -> tensor<1x56x46x32xf32>
    %v19 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<60x3x3x32xf32>}> : () -> tensor<60x3x3x32xf32>
    %v20 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<60xf32>}> : () -> tensor<60xf32>
    %v21 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v22 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v23 = tosa.conv2d %v18, %v19, %v20, %v21, %v22 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x56x46x32xf32>, tensor<60x3x3x32xf32>, tensor<60xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x56x46x60xf32>
    %v24 = tosa.clamp %v23 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x56x46x60xf32>) -> tensor<1x56x46x60xf32>
    %v25 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<16x1x1x24xf32>}> : () -> tensor<16x1x1x24xf32>
    %v26 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<16xf32>}> : () -> tensor<16xf32>
    %v27 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v28 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v29 = tosa.conv2d %v6, %v25, %v26, %v27, %v28 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x56x46x24xf32>, tensor<16x1x1x24xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x56x46x16xf32>
    %v30 = tosa.clamp %v29 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x56x46x16xf32>) -> tensor<1x56x46x16xf32>
    %v31 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<24x5x5x16xf32>}> : () -> tensor<24x5x5x16xf32>
    %v32 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<24xf32>}> : () -> tensor<24xf32>
    %v33 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v34 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v35 = tosa.conv2d %v30, %v31, %v32, %v33, %v34 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>} : (tensor<1x56x46x16xf32>, tensor<24x5x5x16xf32>, tensor<24xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x56x46x24xf32>
    %v36 = tosa.clamp %v35 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x56x46x24xf32>) -> tensor<1x56x46x24xf32>
    %v37 = tosa.max_pool2d %v6 {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x56x46x24xf32>) -> tensor<1x56x46x24xf32>
    %v38 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<28x1x1x24xf32>}> : () -> tensor<28x1x1x24xf32>
    %v39 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<28xf32>}> : () -> tensor<28xf32>
    %v40 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v41 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v42 = tosa.conv2d %v37, %v38, %v39, %v40, %v41 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x56x46x24xf32>, tensor<28x1x1x24xf32>, tensor<28xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x56x46x28xf32>
    %v43 = tosa.clamp %v42 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x56x46x28xf32>) -> tensor<1x56x46x28xf32>
    %v44 = tosa.concat %v12, %v24, %v36, %v43 {axis = 3 : i32} : (tensor<1x56x46x40xf32>, tensor<1x56x46x60xf32>, tensor<1x56x46x24xf32>, tensor<1x56x46x28xf32>) -> tensor<1x56x46x152xf32>
    %v45 = tosa.max_pool2d %v44 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x56x46x152xf32>) -> tensor<1x28x23x152xf32>
    %v46 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<70x1x1x152xf32>}> : () -> tensor<70x1x1x152xf32>
    %v47 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<70xf32>}> : () -> tensor<70xf32>
    %v48 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v49 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v50 = tosa.conv2d %v45, %v46, %v47, %v48, %v49 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x28x23x152xf32>, tensor<70x1x1x152xf32>, tensor<70xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x28x23x70xf32>
    %v51 = tosa.clamp %v50 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x28x23x70xf32>) -> tensor<1x28x23x70xf32>
    %v52 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<56x1x1x152xf32>}> : () -> tensor<56x1x1x152xf32>
    %v53 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<56xf32>}> : () -> tensor<56xf32>
    %v54 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v55 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v56 = tosa.conv2d %v45, %v52, %v53, %v54, %v55 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x28x23x152xf32>, tensor<56x1x1x152xf32>, tensor<56xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x28x23x56xf32>
    %v57 = tosa.clamp %v56 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x28x23x56xf32>) -> tensor<1x28x23x56xf32>
    %v58 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<104x3x3x56xf32>}> : () -> tensor<104x3x3x56xf32>
    %v59 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<104xf32>}> : () -> tensor<104xf32>
    %v60 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v61 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v62 = tosa.conv2d %v57, %v58, %v59, %v60, %v61 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x28x23x56xf32>, tensor<104x3x3x56xf32>, tensor<104xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x28x23x104xf32>
    %v63 = tosa.clamp %v62 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x28x23x104xf32>) -> tensor<1x28x23x104xf32>
    %v64 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<24x1x1x152xf32>}> : () -> tensor<24x1x1x152xf32>
    %v65 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<24xf32>}> : () -> tensor<24xf32>
    %v66 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v67 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v68 = tosa.conv2d %v45, %v64, %v65, %v66, %v67 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x28x23x152xf32>, tensor<24x1x1x152xf32>, tensor<24xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x28x23x24xf32>
    %v69 = tosa.clamp %v68 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x28x23x24xf32>) -> tensor<1x28x23x24xf32>
    %v70 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<48x5x5x24xf32>}> : () -> tensor<48x5x5x24xf32>
    %v71 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<48xf32>}> : () -> tensor<48xf32>
    %v72 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v73 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v74 = tosa.conv2d %v69, %v70, %v71, %v72, %v73 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>} : (tensor<1x28x23x24xf32>, tensor<48x5x5x24xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x28x23x48xf32>
    %v75 = tosa.clamp %v74 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x28x23x48xf32>) -> tensor<1x28x23x48xf32>
    %v76 = tosa.max_pool2d %v45 {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x28x23x152xf32>) -> tensor<1x28x23x152xf32>
    %v77 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<40x1x1x152xf32>}> : () -> tensor<40x1x1x152xf32>
    %v78 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<40xf32>}> : () -> tensor<40xf32>
    %v79 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v80 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v81 = tosa.conv2d %v76, %v77, %v78, %v79, %v80 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x28x23x152xf32>, tensor<40x1x1x152xf32>, tensor<40xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x28x23x40xf32>
    %v82 = tosa.clamp %v81 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x28x23x40xf32>) -> tensor<1x28x23x40xf32>
    %v83 = tosa.concat %v51, %v63, %v75, %v82 {axis = 3 : i32} : (tensor<1x28x23x70xf32>, tensor<1x28x23x104xf32>, tensor<1x28x23x48xf32>, tensor<1x28x23x40xf32>) -> tensor<1x28x23x262xf32>
    %v84 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v85 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v86 = tosa.avg_pool2d %v83, %v84, %v85 {acc_type = f32, kernel = array<i64: 28, 23>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 28, 23>} : (tensor<1x28x23x262xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x262xf32>
    %v87 = tosa.const_shape {values = dense<[1, 1, 262]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %v88 = tosa.reshape %v86, %v87 : (tensor<1x1x1x262xf32>, !tosa.shape<3>) -> tensor<1x1x262xf32>
    %v89 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<1x262x11xf32>}> : () -> tensor<1x262x11xf32>
    %v90 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v91 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %v92 = tosa.matmul %v88, %v89, %v90, %v91 : (tensor<1x1x262xf32>, tensor<1x262x11xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x11xf32>
    %v93 = "tosa.const"() <{values = dense_resource<__elided__> : tensor<1x1x11xf32>}> : () -> tensor<1x1x11xf32>
    %v94 = tosa.add %v92, %v93 : (tensor<1x1x11xf32>, tensor<1x1x11xf32>) -> tensor<1x1x11xf32>
    %v95 = tosa.reduce_max %v94 {axis = 2 : i32} : (tensor<1x1x11xf32>) -> tensor<1x1x1xf32>
    %v96 = tosa.sub %v94, %v95 : (tensor<1x1x11xf32>, tensor<1x1x1xf32>) -> tensor<1x1x11xf32>
    %v97 = tosa.exp %v96 : (tensor<1x1x11xf32>) -> tensor<1x1x11xf32>
    %v98 = tosa.reduce_sum %v97 {axis = 2 : i32} : (tensor<1x1x11xf32>) -> tensor<1x1x1xf32>
    %v99 = tosa.reciprocal %v98 : (tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
    %v100 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %v101 = tosa.mul %v97, %v99, %v100 : (tensor<1x1x11xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x11xf32>
    %v102 = tosa.const_shape {values = dense<[1, 11]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %v103 = tosa.reshape %v101, %v102 : (tensor<1x1x11xf32>, !tosa.shape<2>) -> tensor<1x11xf32>
    return %v103 : tensor<1x11xf32>
  }
}
