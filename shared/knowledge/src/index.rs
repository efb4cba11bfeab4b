//! The lexical index: terms, packed postings, BM25. Pure.

mod bm25;
mod postings;
mod segment;
mod stopwords;
mod terms;

pub(crate) use bm25::{Bm25, TopScores};
pub(crate) use postings::Postings;
pub(crate) use segment::{Segment, SegmentBuilder};
pub(crate) use terms::{filter_term, normalize, question_terms};
