//! Sentence vectors from a local BERT model such as all-MiniLM-L6-v2: `WordPiece` tokens, encoder, mean pooling.
//!
//! A model is a folder in the layout of `sentence-transformers`: `config.json`, `model.safetensors` in single
//! precision, and `tokenizer.json` or `vocab.txt`. All computation happens on the calling thread.

mod config;
mod encoder;
mod error;
mod late_interaction;
mod math;
mod tokenizer;
mod weights;
mod words;

use std::path::Path;

pub use error::{Error, Result};
pub use late_interaction::TokenVectors;

use encoder::Encoder;
use tokenizer::Tokenizer;

/// Computes the vectors of texts.
#[derive(Debug)]
pub struct TextEmbedder {
    tokenizer: Tokenizer,
    encoder: Encoder,
}

impl TextEmbedder {
    /// Reads the model in a folder.
    ///
    /// # Errors
    ///
    /// If a file is missing or invalid, or describes another kind of model.
    pub fn load(folder: &Path) -> Result<Self> {
        let config = config::read(folder)?;
        let tokenizer = Tokenizer::read(folder, &config)?;
        let encoder = Encoder::read(folder, &config)?;
        Ok(Self { tokenizer, encoder })
    }

    /// Returns the number of components of a vector.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.encoder.dimension()
    }

    /// Returns the ids of a text's tokens, including its start and end tokens. A text that is too long is truncated.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.encode(text)
    }

    /// Returns vectors of length 1, in the order of the texts. Texts of different lengths need no padding.
    #[must_use]
    pub fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let tokens: Vec<Vec<u32>> = texts.iter().map(|text| self.tokens(text)).collect();
        self.encoder.encode(&tokens)
    }

    /// Returns the vectors of the tokens of each text, in the order of the texts.
    #[must_use]
    pub fn embed_tokens(&self, texts: &[&str]) -> Vec<TokenVectors> {
        let tokens: Vec<Vec<u32>> = texts.iter().map(|text| self.tokens(text)).collect();
        let vectors = self.encoder.encode_tokens(&tokens).into_iter();
        let vectors = vectors.zip(&tokens).map(|(vectors, tokens)| {
            let is_word = |id: &u32| !self.tokenizer.is_mark(*id);
            TokenVectors::new(&vectors, tokens.iter().map(is_word))
        });
        vectors.collect()
    }
}
