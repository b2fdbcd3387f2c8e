// SPDX-License-Identifier: GPL-2.0-or-later
// inlined.rs: `inlined ROUNDS`: work() has Basket::fill(), that has Basket::mix(), and std's iterators.
struct Basket {
    sum: u64,
}

impl Basket {
    #[inline(always)]
    fn mix(&mut self, i: u64) {
        unsafe {
            let sum = std::ptr::read_volatile(&self.sum);
            std::ptr::write_volatile(&mut self.sum, sum.wrapping_mul(31).wrapping_add(i) ^ (sum >> 7));
        }
    }

    #[inline(always)]
    fn fill(&mut self, n: u64) {
        (0..n).for_each(|i| self.mix(i));
    }
}

#[inline(never)]
fn work(basket: &mut Basket) {
    basket.fill(10000);
    basket.fill(5000);
}

fn main() {
    let rounds: u64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut basket = Basket { sum: 0 };

    for _ in 0..rounds {
        work(&mut basket);
    }
}
