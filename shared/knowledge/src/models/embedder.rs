//! Vectors of texts from an OpenAI-compatible `/v1/embeddings` endpoint or a model in a local folder.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::endpoint::{Endpoint, EndpointConfig, EndpointError, shortened};
use super::local::LocalModel;
use crate::error::Result;

/// Longest request. If it takes longer, the question is searched without vectors.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest text, in bytes. The rest is left out.
const MAX_TEXT: usize = 8_000;
const MAX_DIMENSION: usize = 8_192;
/// Number of questions whose vectors are cached.
const KEPT: usize = 256;

/// Computes the vectors of texts with a model.
#[derive(Debug)]
pub struct Embedder {
    source: Source,
    questions: Mutex<HashMap<String, Vec<f32>>>,
}

#[derive(Debug)]
enum Source {
    Endpoint(Endpoint),
    Local(LocalModel),
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

impl Embedder {
    /// Creates an embedder that calls an endpoint. `what` names the setting in errors.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Invalid`] for a URL or a key that can't be used.
    pub fn new(what: &str, config: &EndpointConfig) -> Result<Self> {
        let endpoint = Endpoint::new(what, config, PATIENCE)?;
        Ok(Self::from_source(Source::Endpoint(endpoint)))
    }

    /// Creates an embedder that computes with the model in a folder. If `name` is `None`, the model has the name of the
    /// folder.
    ///
    /// Reads the whole model, which blocks for a few tenths of a second.
    ///
    /// # Errors
    ///
    /// [`crate::Error::LocalModel`] with the file and the reason, or [`crate::Error::Invalid`] for a folder without a
    /// name.
    pub fn local(folder: &Path, name: Option<&str>) -> Result<Self> {
        Ok(Self::from_source(Source::Local(LocalModel::load(
            folder, name,
        )?)))
    }

    fn from_source(source: Source) -> Self {
        Self {
            source,
            questions: Mutex::default(),
        }
    }

    /// Returns the name of the model, which is stored with each vector.
    #[must_use]
    pub fn model(&self) -> &str {
        match &self.source {
            Source::Endpoint(endpoint) => &endpoint.model,
            Source::Local(model) => model.name(),
        }
    }

    /// Returns vectors of length 1, in the order of the texts.
    ///
    /// # Errors
    ///
    /// The reason why there are no vectors.
    pub async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EndpointError> {
        let texts: Vec<&str> = texts.iter().map(|text| shortened(text, MAX_TEXT)).collect();
        let vectors = match &self.source {
            Source::Endpoint(endpoint) => ask(endpoint, &texts).await?,
            Source::Local(model) => model.embed(&texts).await?,
        };
        vectors.into_iter().map(unit).collect()
    }

    /// Returns the vector of a question, and caches it.
    pub(crate) async fn question(&self, text: &str) -> Result<Vec<f32>, EndpointError> {
        let kept = || {
            self.questions
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(vector) = kept().get(text) {
            return Ok(vector.clone());
        }
        let vector = self.embed(&[text]).await?.pop();
        let vector = vector.ok_or(EndpointError::Answer("no vector"))?;
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(text.to_owned(), vector.clone());
        Ok(vector)
    }
}

/// Requests one vector for each text, all of the same dimension.
async fn ask(endpoint: &Endpoint, texts: &[&str]) -> Result<Vec<Vec<f32>>, EndpointError> {
    let body = json!({"model": endpoint.model, "input": texts, "encoding_format": "float"});
    let mut answer: Answer = endpoint.post(&body).await?;
    answer.data.sort_by_key(|one| one.index);
    let is_wrong = |(number, one): (usize, &Embedding)| one.index != number;
    if answer.data.len() != texts.len() || answer.data.iter().enumerate().any(is_wrong) {
        return Err(EndpointError::Answer("not one vector for each text"));
    }
    let dimension = answer.data.first().map_or(0, |one| one.embedding.len());
    let vectors = answer.data.into_iter().map(|one| {
        match one.embedding.len() == dimension && (1..=MAX_DIMENSION).contains(&dimension) {
            true => Ok(one.embedding),
            false => Err(EndpointError::Answer(
                "vectors of different or impossible dimensions",
            )),
        }
    });
    vectors.collect()
}

/// Scales a vector to length 1.
fn unit(mut vector: Vec<f32>) -> Result<Vec<f32>, EndpointError> {
    let length = vector
        .iter()
        .map(|x| f64::from(*x).powi(2))
        .sum::<f64>()
        .sqrt();
    if !length.is_finite() || length < 1e-12 {
        return Err(EndpointError::Answer("a vector without direction"));
    }
    for x in &mut vector {
        *x = (f64::from(*x) / length) as f32;
    }
    Ok(vector)
}

/// Returns the cosine of two vectors of length 1; `None` if their dimensions differ.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> Option<f32> {
    (a.len() == b.len()).then(|| a.iter().zip(b).map(|(a, b)| a * b).sum())
}

#[cfg(test)]
mod tests {
    use super::{cosine, unit};

    #[test]
    fn vectors_have_length_1_and_cosines_of_their_angle() {
        let a = unit(vec![3.0, 4.0]).unwrap();
        assert_eq!(a, [0.6, 0.8]);
        assert!((cosine(&a, &[1.0, 0.0]).unwrap() - 0.6).abs() < 1e-6);
        assert_eq!(cosine(&a, &[1.0]), None);
        for wrong in [vec![0.0, 0.0], vec![f32::NAN], vec![f32::INFINITY]] {
            unit(wrong).unwrap_err();
        }
    }
}
