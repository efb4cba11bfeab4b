//! The lexical index: words of a text, packed postings, BM25. Pure.

mod bm25;
mod postings;
mod segment;
mod stopwords;
mod terms;

pub(crate) use bm25::{Best, Bm25};
pub(crate) use postings::Postings;
pub(crate) use segment::{Segment, SegmentBuilder};
pub(crate) use terms::{filter_term, normal, question_terms};
