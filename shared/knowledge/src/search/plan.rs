//! Determines which terms of a query are looked up.

use super::Query;
use crate::index::{filter_term, normalize, question_terms};
use crate::store::Collection;

/// Longest question, in bytes. The rest is ignored.
const MAX_QUESTION: usize = 4_000;
/// Maximum number of searched terms of a question.
const MAX_TERMS: usize = 64;

/// Terms and filters to look up.
pub(super) struct Plan {
    /// Terms that are scored by BM25.
    pub(super) terms: Vec<String>,
    /// Groups of filter terms. Every group must match, by any of its terms.
    pub(super) filters: Vec<Vec<String>>,
    /// Identifiers of the question, as filter terms.
    pub(super) exact: Vec<String>,
}

impl Plan {
    pub(super) fn new(query: &Query, collections: &[Collection]) -> Self {
        let mut end = query.text.len().min(MAX_QUESTION);
        while !query.text.is_char_boundary(end) {
            end -= 1;
        }
        let (mut terms, values) = question_terms(&query.text[..end]);
        terms.truncate(MAX_TERMS);
        let filters = query.filters.iter().map(|(field, wanted)| {
            let term = |value: &String| filter_term(field, &normalize(value));
            wanted.iter().map(term).collect()
        });
        let mut exact: Vec<String> = Vec::new();
        for collection in collections {
            for field in collection
                .mapping
                .fields
                .iter()
                .filter(|field| field.identifier)
            {
                let of_field = values
                    .iter()
                    .take(MAX_TERMS)
                    .map(|value| filter_term(&field.name, value));
                exact.extend(of_field);
            }
        }
        exact.sort_unstable();
        exact.dedup();
        Self {
            terms,
            filters: filters.collect(),
            exact,
        }
    }

    pub(super) fn all_terms(&self) -> Vec<&str> {
        let filters = self.filters.iter().flatten();
        let mut all: Vec<&str> = self
            .terms
            .iter()
            .chain(filters)
            .chain(&self.exact)
            .map(String::as_str)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
