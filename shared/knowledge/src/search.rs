//! Search: exact identifiers first, then BM25 over packed postings. If models are configured, vectors and reranking
//! follow.
//!
//! Postings come from Postgres, but scores are computed here, because BM25 in SQL takes seconds at a million chunks
//! (docs/decisions/0029-knowledge.md). A searcher caches two bytes per chunk.

mod cached;
mod dense;
mod fusion;
mod hits;
mod plan;
mod result_cache;
mod score;
mod term_postings;
mod trace;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};

use sqlx::PgPool;

use crate::error::{Error, Result};
use crate::models::{Embedder, EndpointError, Models, Reranker, cosine};
use crate::store::{self, Collection};
use cached::CachedIndex;
use plan::Plan;
use result_cache::{Key, ResultCache};
use score::{ScoredChunk, Scores};
use term_postings::TermPostings;

pub use hits::{Hit, Record, SearchChunk};
pub use trace::{Arm, Compared, Help, Trace};

/// Maximum number of results.
const MAX_LIMIT: usize = 200;
/// Number of candidates found by words, and of those found by vectors.
const DENSE: usize = 200;
/// Number of chunks above which a value no longer counts as an identifier.
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
    /// Filters: for each field, any of these values. Letter case and surrounding white space are ignored.
    #[serde(default)]
    pub filters: BTreeMap<String, Vec<String>>,
    /// Maximum number of results, one per record. 0 means 10. At most 200.
    #[serde(default)]
    pub limit: usize,
}

/// Searches collections. Cheap to clone; clones share the caches.
#[derive(Clone)]
pub struct Searcher {
    pool: PgPool,
    kept: Arc<Mutex<HashMap<i32, Arc<CachedIndex>>>>,
    results: Arc<ResultCache>,
    models: Arc<Models>,
}

/// Results, and how they were found.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Found {
    /// The best records, best first.
    pub results: Vec<Hit>,
    /// Which methods found and ordered them.
    pub trace: Trace,
}

impl Searcher {
    /// Creates a searcher over a database with the store.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self {
            pool,
            kept: Arc::default(),
            results: Arc::default(),
            models: Arc::default(),
        }
    }

    /// Returns the searcher with models. Its cache of results starts empty.
    #[must_use]
    pub fn with_models(mut self, models: Models) -> Self {
        self.models = Arc::new(models);
        self.results = Arc::default();
        self
    }

    /// Returns the arms that its models allow.
    #[must_use]
    pub fn arms(&self) -> Vec<Arm> {
        let mut arms = vec![Arm::Lexical];
        if self.models.embedder.is_some() {
            arms.extend([Arm::Dense, Arm::Hybrid]);
        }
        if self.models.reranker.is_some() {
            arms.push(Arm::Reranked);
        }
        arms
    }

    /// The database.
    #[must_use]
    pub const fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Returns the best records for a question, each with its best chunk, using all configured models. Repeating the
    /// search within a minute returns the same results, unless a collection has changed.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`], [`Error::UnknownFilter`] if no searched collection has the filter,
    /// [`Error::NotEnabled`] or [`Error::Database`]. The failure of a model is not an error; the trace reports it.
    pub async fn search(&self, query: &Query) -> Result<Found> {
        let collections = self.collections(query).await?;
        let key = Key::new(query, &collections)?;
        if let Some(found) = self.results.get(&key) {
            return Ok(found);
        }
        let found = self.search_in(&collections, query, Arm::Reranked).await?;
        self.results.put(key, &found);
        Ok(found)
    }

    /// Like [`Searcher::search`], with a single arm and without cached results.
    ///
    /// # Errors
    ///
    /// As [`Searcher::search`].
    pub async fn search_by(&self, query: &Query, arm: Arm) -> Result<Found> {
        let collections = self.collections(query).await?;
        self.search_in(&collections, query, arm).await
    }

    /// Returns the collections of a query that have its filters.
    async fn collections(&self, query: &Query) -> Result<Vec<Collection>> {
        let mut connection = self.pool.acquire().await?;
        let collections = store::collections(&mut connection, &query.collections).await;
        let collections = or_not_enabled(&mut connection, collections).await?;
        with_filters(collections, &query.filters)
    }

    async fn search_in(
        &self,
        collections: &[Collection],
        query: &Query,
        arm: Arm,
    ) -> Result<Found> {
        let limit = match query.limit {
            0 => 10,
            limit => limit.min(MAX_LIMIT),
        };
        // A list without a question keeps its order.
        let has_question = !query.text.trim().is_empty();
        let embedder = self.models.embedder.as_ref();
        let embedder = embedder.filter(|_| has_question && arm >= Arm::Dense);
        let reranker = self.models.reranker.as_ref();
        let reranker = reranker.filter(|_| has_question && arm == Arm::Reranked);
        // A record may have several matching chunks, but counts once. So read more chunks than results.
        let mut depth = limit * 4;
        if embedder.is_some() || reranker.is_some() {
            depth = depth.max(DENSE);
        }
        let scores = self.lexical(collections, query).await?;
        let mut best = scores.best(depth);
        let mut trace = Trace::default();
        if let Some(embedder) = embedder {
            (trace.dense, trace.compared) = self
                .compare(embedder, &query.text, &scores, &mut best, limit)
                .await?;
            match arm {
                Arm::Dense => fusion::by_dense(&mut best),
                _ => fusion::fuse(&mut best),
            }
        }
        trace.candidates = best.len();
        let read = match reranker {
            Some(reranker) => limit.max(reranker.most()),
            None => limit,
        };
        let mut connection = self.pool.acquire().await?;
        let mut results = hits::read(&mut connection, &best, read).await?;
        drop(connection);
        if let Some(reranker) = reranker.filter(|_| results.len() > 1) {
            trace.rerank = rerank(reranker, &query.text, &mut results).await;
        }
        results.truncate(limit);
        Ok(Found { results, trace })
    }

    /// Scores all chunks by identifiers and words.
    async fn lexical(&self, collections: &[Collection], query: &Query) -> Result<Scores> {
        let mut connection = self.pool.acquire().await?;
        let mut indexes = Vec::new();
        for collection in collections {
            indexes.push(self.index(&mut connection, collection).await?);
        }
        let plan = Plan::new(query, collections);
        let segments: Vec<i32> = indexes
            .iter()
            .flat_map(|index| index.segment_ids())
            .collect();
        let postings = TermPostings::read(&mut connection, &plan.all_terms(), &segments).await?;
        Ok(Scores::compute(&plan, &indexes, &postings))
    }

    /// Compares the question's vector with those of the candidates found by words, and with those that a search by
    /// vectors finds.
    async fn compare(
        &self,
        embedder: &Embedder,
        question: &str,
        scores: &Scores,
        candidates: &mut Vec<ScoredChunk>,
        limit: usize,
    ) -> Result<(Help, Option<Compared>)> {
        let vector = match embedder.question(question).await {
            Ok(vector) => vector,
            Err(error) => return Ok((failed(&error), None)),
        };
        let mut connection = self.pool.acquire().await?;
        let found =
            dense::candidates(&mut connection, embedder.model(), &vector, scores, limit).await;
        let (compared, more) = or_not_enabled(&mut connection, found).await?;
        candidates.truncate(DENSE);
        let mut ids: HashSet<i32> = candidates.iter().map(|chunk| chunk.chunk_id).collect();
        let more = more.into_iter().filter(|chunk| ids.insert(*chunk));
        candidates.extend(more.filter_map(|chunk| scores.get(chunk)));
        let ids: Vec<i32> = candidates.iter().map(|chunk| chunk.chunk_id).collect();
        let vectors = store::vectors(&mut connection, embedder.model(), &ids).await;
        let vectors = or_not_enabled(&mut connection, vectors).await?;
        for chunk in candidates.iter_mut() {
            let of_chunk = vectors.get(&chunk.chunk_id);
            chunk.dense = of_chunk.and_then(|of_chunk| cosine(&vector, of_chunk));
        }
        let help = match candidates.iter().any(|chunk| chunk.dense.is_some()) {
            true => Help::Used,
            false if candidates.is_empty() => Help::Off,
            false => {
                Help::Failed("no candidate has a vector: run `tarsy knowledge embed`".to_owned())
            }
        };
        Ok((help, Some(compared)))
    }

    /// Returns the records with these field values, compared like filters, by record number.
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
        let found = self.search_by(&query, Arm::Lexical).await?;
        Ok(found.results)
    }

    /// Returns a record by key.
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

    /// Returns the cached index of a collection. It is read again if the collection has changed.
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

/// Reranks hits with a model. Identifiers stay first. Hits without a score come last, in their previous order.
async fn rerank(reranker: &Reranker, question: &str, hits: &mut [Hit]) -> Help {
    let reranked = hits.get(..reranker.most().min(hits.len()));
    let reranked = reranked.unwrap_or_default();
    let texts: Vec<(i32, &str)> = reranked
        .iter()
        .map(|hit| (hit.chunk_id, hit.text.as_str()))
        .collect();
    let (scores, is_cached) = match reranker.scores(question, &texts).await {
        Ok(scored) => scored,
        Err(error) => return failed(&error),
    };
    for (place, hit) in hits.iter_mut().enumerate() {
        hit.rerank = scores.get(&hit.chunk_id).copied();
        hit.before_rerank = Some(place + 1);
    }
    let score = |hit: &Hit| hit.rerank.unwrap_or(f32::NEG_INFINITY);
    hits.sort_by(|a, b| b.exact.cmp(&a.exact).then(score(b).total_cmp(&score(a))));
    match is_cached {
        true => Help::Cached,
        false => Help::Used,
    }
}

fn failed(error: &EndpointError) -> Help {
    Help::Failed(error.to_string())
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

/// Returns the collections that have all filters. A filter that no collection has is an error.
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
        let mut known: Vec<&str> = Vec::new();
        for field in all.iter().flat_map(|collection| &collection.mapping.fields) {
            if field.is_filter() && !known.contains(&field.name.as_str()) {
                known.push(&field.name);
            }
        }
        let names: Vec<&str> = all
            .iter()
            .map(|collection| collection.name.as_str())
            .collect();
        return Err(Error::UnknownFilter {
            collection: names.join(", "),
            field: field.clone(),
            known: known.join(", "),
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
