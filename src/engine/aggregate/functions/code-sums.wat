;; Sums bytes sixteen at a time. Memory: the bytes begin at 64; $to is the end of the last whole group of sixteen, at most 65,600, so that
;; no lane overflows. Writes four vectors: at 0 and 16 four partial sums each of the bytes and of their squares, at 32 and 48 the smallest
;; and the largest byte of each lane.
(module
  (memory (export "memory") 2)
  (func (export "add") (param $to i32)
    (local $at i32) (local $bytes v128) (local $half v128)
    (local $sums v128) (local $squares v128) (local $least v128) (local $most v128)
    (local.set $at (i32.const 64))
    (local.set $least (v128.const i32x4 -1 -1 -1 -1))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $to)))
        (local.set $bytes (v128.load (local.get $at)))
        (local.set $least (i8x16.min_u (local.get $least) (local.get $bytes)))
        (local.set $most (i8x16.max_u (local.get $most) (local.get $bytes)))
        (local.set $sums
          (i32x4.add (local.get $sums) (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $bytes)))))
        (local.set $half (i16x8.extend_low_i8x16_u (local.get $bytes)))
        (local.set $squares (i32x4.add (local.get $squares) (i32x4.dot_i16x8_s (local.get $half) (local.get $half))))
        (local.set $half (i16x8.extend_high_i8x16_u (local.get $bytes)))
        (local.set $squares (i32x4.add (local.get $squares) (i32x4.dot_i16x8_s (local.get $half) (local.get $half))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next)))
    (v128.store (i32.const 0) (local.get $sums))
    (v128.store (i32.const 16) (local.get $squares))
    (v128.store (i32.const 32) (local.get $least))
    (v128.store (i32.const 48) (local.get $most))))
