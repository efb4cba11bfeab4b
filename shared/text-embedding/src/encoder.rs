//! The BERT encoder. The tokens of all texts are the rows of one matrix. Only attention treats each text separately.

mod layer;

use std::path::Path;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Slice};

use crate::config::Config;
use crate::error::Result;
use crate::weights::Weights;
use layer::{Layer, Norm};

/// Number of rows computed at once. With this many, the intermediate results between two layers stay in the cache.
const ROWS: usize = 512;

#[derive(Debug)]
pub(crate) struct Encoder {
    words: Array2<f32>,
    /// Embeddings of positions, plus that of the first segment, because a text is a single segment.
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

impl Encoder {
    pub(crate) fn read(folder: &Path, config: &Config) -> Result<Self> {
        let mut weights = Weights::open(&folder.join("model.safetensors"))?;
        let size = config.hidden_size;
        let mut matrix = |name: &str, rows| {
            weights.matrix(&format!("embeddings.{name}_embeddings.weight"), rows, size)
        };
        let words = matrix("word", config.vocab_size)?;
        let mut positions = matrix("position", config.max_position_embeddings)?;
        let segments = matrix("token_type", config.type_vocab_size)?;
        positions += &segments.index_axis(Axis(0), 0);
        let norm = Norm::read(&mut weights, "embeddings.LayerNorm", config)?;
        let layers = (0..config.num_hidden_layers).map(|at| Layer::read(&mut weights, at, config));
        Ok(Self {
            words,
            positions,
            norm,
            layers: layers.collect::<Result<_>>()?,
        })
    }

    pub(crate) fn dimension(&self) -> usize {
        self.words.ncols()
    }

    /// Returns a vector of length 1 for each text.
    pub(crate) fn encode(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        self.for_each_text(texts, |rows| unit(rows.mean_axis(Axis(0))))
    }

    /// Returns a matrix for each text, with the vector of each token as a row.
    pub(crate) fn encode_tokens(&self, texts: &[Vec<u32>]) -> Vec<Array2<f32>> {
        self.for_each_text(texts, |rows| rows.to_owned())
    }

    /// Applies `read` to the rows of each text.
    fn for_each_text<T>(
        &self,
        texts: &[Vec<u32>],
        read: impl Fn(ArrayView2<'_, f32>) -> T,
    ) -> Vec<T> {
        let mut made = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let mut rows = 0;
            let fits = rest.iter().take_while(|text| {
                rows += text.len();
                rows <= ROWS
            });
            let (group, after) = rest.split_at(fits.count().max(1));
            let (x, ends) = self.encode_group(group);
            made.extend(ends.into_iter().map(|(from, to)| {
                let rows = x.slice_axis(Axis(0), Slice::from(from..to));
                read(rows)
            }));
            rest = after;
        }
        made
    }

    /// Returns the rows of all tokens, and the range of rows of each text.
    fn encode_group(&self, texts: &[Vec<u32>]) -> (Array2<f32>, Vec<(usize, usize)>) {
        let mut ends = Vec::with_capacity(texts.len());
        let mut rows = 0;
        for text in texts {
            ends.push((rows, rows + text.len()));
            rows += text.len();
        }
        let mut x = Array2::zeros((rows, self.dimension()));
        let tokens = texts.iter().flat_map(|text| text.iter().enumerate());
        for (mut row, (position, id)) in x.rows_mut().into_iter().zip(tokens) {
            // Ids and positions are within bounds, because the vocabulary was checked and texts are truncated.
            row.assign(&self.words.row(*id as usize));
            row += &self.positions.row(position);
        }
        self.norm.apply(&mut x);
        for layer in &self.layers {
            layer.apply(&mut x, &ends);
        }
        (x, ends)
    }
}

/// Scales a vector to length 1.
fn unit(vector: Option<Array1<f32>>) -> Vec<f32> {
    let vector = vector.unwrap_or_default();
    let squares = |vector: ArrayView1<'_, f32>| vector.dot(&vector);
    let length = squares(vector.view()).sqrt().max(f32::MIN_POSITIVE);
    (vector / length).to_vec()
}
