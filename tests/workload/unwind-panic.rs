// SPDX-License-Identifier: GPL-2.0-or-later
// unwind-panic.rs: `unwind-panic MS`: sorts with std, and catches a panic from ten frames, in a loop.
// std::hint::black_box is newer than some distributions' compilers.
fn black_box<T: Copy>(value: T) -> T {
    unsafe { std::ptr::read_volatile(&value) }
}
use std::time::{Duration, Instant};

#[inline(never)]
fn panics(depth: u32) -> u32 {
    if black_box(depth) == 0 {
        panic!("expected");
    }
    panics(depth - 1) + black_box(1)
}

#[inline(never)]
fn sorts(numbers: &mut Vec<u64>) {
    for (i, n) in numbers.iter_mut().enumerate() {
        *n = (i as u64).wrapping_mul(7919) % 1009;
    }
    numbers.sort_by(|a, b| black_box(b).cmp(black_box(a)));
}

fn main() {
    let ms: u64 = std::env::args().nth(1).map_or(1000, |s| s.parse().unwrap());
    let begin = Instant::now();
    let mut numbers = vec![0; 1000];
    std::panic::set_hook(Box::new(|_| {}));
    while begin.elapsed() < Duration::from_millis(ms) {
        sorts(&mut numbers);
        for _ in 0..20 {
            let _ = std::panic::catch_unwind(|| black_box(panics(10)));
        }
    }
}
