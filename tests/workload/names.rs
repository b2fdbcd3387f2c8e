// SPDX-License-Identifier: GPL-2.0-or-later
// names.rs: `rust-names SECONDS`: Rust names: a method, a trait's method.
use std::time::{Duration, Instant};

// std::hint::black_box is newer than some distributions' compilers.
fn black_box<T: Copy>(value: T) -> T {
    unsafe { std::ptr::read_volatile(&value) }
}

mod till {
    use crate::black_box;

    pub struct Till {
        pub sum: u64,
    }

    pub trait Total {
        fn total(&mut self, rounds: u64) -> u64;
    }

    impl Till {
        #[inline(never)]
        pub fn add(&mut self, rounds: u64) {
            for i in 0..rounds {
                self.sum = black_box(self.sum.wrapping_add(i));
            }
        }
    }

    impl Total for Till {
        #[inline(never)]
        fn total(&mut self, rounds: u64) -> u64 {
            for i in 0..rounds {
                self.sum = black_box(self.sum.wrapping_mul(i | 1));
            }
            self.sum
        }
    }
}

use till::Total;

fn main() {
    let seconds: f64 = std::env::args().nth(1).map_or(1.0, |s| s.parse().unwrap());
    let begin = Instant::now();
    let mut till = till::Till { sum: 0 };
    while begin.elapsed() < Duration::from_secs_f64(seconds) {
        till.add(black_box(300_000));
        black_box(till.total(black_box(300_000)));
    }
}
