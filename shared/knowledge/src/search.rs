//! Lexical search: exact identifiers first, then BM25 over packed postings.
//!
//! Postings come from Postgres, scores are computed here: BM25 in SQL takes seconds at a million chunks
//! (docs/decisions/0029-knowledge.md). What a searcher keeps is two bytes for each chunk.

mod cached;
mod hits;
mod score;
mod term_postings;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use sqlx::PgPool;

use crate::error::{Error, Result};
use crate::index::{filter_term, normalize, question_terms};
use crate::store::{self, Collection};
use cached::CachedIndex;
use term_postings::TermPostings;

pub use hits::{Hit, Record, SearchChunk};

/// Longest question, in bytes; the rest is ignored.
const MAX_QUESTION: usize = 4_000;
/// Maximum number of searched terms of a question.
const MAX_TERMS: usize = 64;
/// Maximum number of results.
const MAX_LIMIT: usize = 200;
/// Chunks above which a value no longer counts as an identifier.
const MAX_EXACT: u64 = 50;

/// A search query.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Question, keywords or identifiers.
    pub text: String,
    /// Collections to search. Empty: all.
    #[serde(default)]
    pub collections: Vec<String>,
    /// Filters: for each field, any of these values. Letter case and surrounding white space don't matter.
    #[serde(default)]
    pub filters: BTreeMap<String, Vec<String>>,
    /// Maximum number of results, one for each record. 0: 10. At most 200.
    #[serde(default)]
    pub limit: usize,
}

/// Searches collections. Cheap to clone; clones share the cache.
#[derive(Clone)]
pub struct Searcher {
    pool: PgPool,
    kept: Arc<Mutex<HashMap<i32, Arc<CachedIndex>>>>,
}

impl Searcher {
    /// A searcher over a database with the store.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        let kept = Arc::default();
        Self { pool, kept }
    }

    /// The database.
    #[must_use]
    pub const fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// The best records for a question, each with its best chunk.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`], [`Error::UnknownFilter`] if no searched collection has the filter,
    /// [`Error::NotEnabled`] or [`Error::Database`].
    pub async fn search(&self, query: &Query) -> Result<Vec<Hit>> {
        let limit = match query.limit {
            0 => 10,
            limit => limit.min(MAX_LIMIT),
        };
        let mut connection = self.pool.acquire().await?;
        let collections = store::collections(&mut connection, &query.collections).await;
        let collections = or_not_enabled(&mut connection, collections).await?;
        let collections = with_filters(collections, &query.filters)?;
        let mut indexes = Vec::new();
        for collection in &collections {
            indexes.push(self.index(&mut connection, collection).await?);
        }
        let plan = Plan::of(query, &collections);
        let segments: Vec<i32> = indexes
            .iter()
            .flat_map(|index| index.segment_ids())
            .collect();
        let postings = TermPostings::read(&mut connection, &plan.all_terms(), &segments).await?;
        // A record may have several matching chunks; it counts once.
        let best = score::best(&plan, &indexes, &postings, limit * 4);
        hits::read(&mut connection, &best, limit).await
    }

    /// Records with a field value, compared as filters do, by record number.
    ///
    /// # Errors
    ///
    /// As [`Searcher::search`].
    pub async fn lookup(
        &self,
        collection: &str,
        filters: &BTreeMap<String, Vec<String>>,
        limit: usize,
    ) -> Result<Vec<Hit>> {
        let query = Query {
            text: String::new(),
            collections: vec![collection.to_owned()],
            filters: filters.clone(),
            limit,
        };
        self.search(&query).await
    }

    /// A record by key.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`].
    pub async fn get(&self, collection: &str, key: &str) -> Result<Option<Record>> {
        let mut connection = self.pool.acquire().await?;
        let found = store::collection(&mut connection, collection).await;
        let collection = or_not_enabled(&mut connection, found).await?;
        hits::record(&mut connection, &collection, key).await
    }

    /// The cached index of a collection, read again if the collection has changed.
    async fn index(
        &self,
        connection: &mut sqlx::PgConnection,
        collection: &Collection,
    ) -> Result<Arc<CachedIndex>> {
        let id = collection.collection_id;
        let kept = lock(&self.kept).get(&id).cloned();
        if let Some(kept) = kept.filter(|kept| kept.generation() == collection.generation) {
            return Ok(kept);
        }
        let index = Arc::new(CachedIndex::read(connection, collection).await?);
        lock(&self.kept).insert(id, Arc::clone(&index));
        Ok(index)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Maps a missing table to [`Error::NotEnabled`].
async fn or_not_enabled<T>(connection: &mut sqlx::PgConnection, outcome: Result<T>) -> Result<T> {
    if let Err(Error::Database(_)) = &outcome {
        store::check(connection).await?;
    }
    outcome
}

/// Collections that have all filters. A filter that none has is an error.
fn with_filters(
    all: Vec<Collection>,
    filters: &BTreeMap<String, Vec<String>>,
) -> Result<Vec<Collection>> {
    for field in filters.keys() {
        let has = |collection: &Collection| {
            let field = collection.mapping.field(field);
            field.is_some_and(crate::mapping::Field::is_filter)
        };
        if all.iter().any(has) {
            continue;
        }
        let known = |collection: &Collection| -> Vec<String> {
            let fields = collection.mapping.fields.iter();
            fields
                .filter(|field| field.is_filter())
                .map(|field| field.name.clone())
                .collect()
        };
        let names: Vec<&str> = all
            .iter()
            .map(|collection| collection.name.as_str())
            .collect();
        return Err(Error::UnknownFilter {
            collection: names.join(", "),
            field: field.clone(),
            known: all.iter().flat_map(known).collect::<Vec<_>>().join(", "),
        });
    }
    let has_all = |collection: &Collection| {
        filters.keys().all(|field| {
            let field = collection.mapping.field(field);
            field.is_some_and(crate::mapping::Field::is_filter)
        })
    };
    Ok(all.into_iter().filter(has_all).collect())
}

/// Terms and filters to look up.
struct Plan {
    /// Terms scored by BM25.
    terms: Vec<String>,
    /// Filter groups: all groups must match, by any of their terms.
    filters: Vec<Vec<String>>,
    /// Identifiers of the question, as filter terms.
    exact: Vec<String>,
}

impl Plan {
    fn of(query: &Query, collections: &[Collection]) -> Self {
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

    fn all_terms(&self) -> Vec<&str> {
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
