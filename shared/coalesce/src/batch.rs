use std::ops::{Deref, Range};
use std::sync::Arc;

/// The requests of one flush, or a part of them. Cheap to clone.
#[derive(Debug)]
pub struct Batch<Req> {
    all: Arc<Vec<Req>>,
    part: Range<usize>,
}

impl<Req> Batch<Req> {
    pub(crate) fn new(requests: Vec<Req>) -> Self {
        Self {
            part: 0..requests.len(),
            all: Arc::new(requests),
        }
    }

    /// Splits the batch into halves.
    pub(crate) fn halves(&self) -> [Self; 2] {
        let middle = usize::midpoint(self.part.start, self.part.end);
        [self.part.start..middle, middle..self.part.end].map(|part| self.part_of(part))
    }

    /// Splits the batch into single requests, the last one first.
    pub(crate) fn singles_from_last(&self) -> impl Iterator<Item = Self> {
        self.part
            .clone()
            .rev()
            .map(|place| self.part_of(place..place + 1))
    }

    fn part_of(&self, part: Range<usize>) -> Self {
        Self {
            all: Arc::clone(&self.all),
            part,
        }
    }
}

impl<Req> Clone for Batch<Req> {
    fn clone(&self) -> Self {
        self.part_of(self.part.clone())
    }
}

impl<Req> Deref for Batch<Req> {
    type Target = [Req];

    fn deref(&self) -> &[Req] {
        self.all.get(self.part.clone()).unwrap_or_default()
    }
}
