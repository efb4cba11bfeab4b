//! Pseudo-random numbers with a fixed seed.

/// A `SplitMix64` generator.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Returns a number below `bound`.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }

    pub(super) fn pick<'t>(&mut self, all: &[&'t str]) -> &'t str {
        let index = usize::try_from(self.below(all.len() as u64)).unwrap_or(0);
        all.get(index).copied().unwrap_or_default()
    }
}
