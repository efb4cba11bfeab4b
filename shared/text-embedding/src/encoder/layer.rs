//! A layer of the encoder: attention, then a network of two linear maps. The result of each is added to its input and
//! normalised.

use ndarray::{Array1, Array2, Axis, Slice, concatenate, linalg::general_mat_mul};

use crate::config::Config;
use crate::error::Result;
use crate::math::{gelu, softmax};
use crate::weights::Weights;

#[derive(Debug)]
pub(super) struct Layer {
    /// Maps to the queries, keys and values of all heads, side by side.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    inner: Linear,
    output: Linear,
    norm: Norm,
    heads: usize,
}

impl Layer {
    pub(super) fn read(weights: &mut Weights, at: usize, config: &Config) -> Result<Self> {
        let (size, inner) = (config.hidden_size, config.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let mut linear = |part: &str, from, to| Linear::read(weights, &name(part), from, to);
        let attention = Linear::side_by_side([
            linear("attention.self.query", size, size)?,
            linear("attention.self.key", size, size)?,
            linear("attention.self.value", size, size)?,
        ]);
        let attention_output = linear("attention.output.dense", size, size)?;
        let (inner, output) = (
            linear("intermediate.dense", size, inner)?,
            linear("output.dense", inner, size)?,
        );
        Ok(Self {
            attention,
            attention_output,
            inner,
            output,
            attention_norm: Norm::read(weights, &name("attention.output.LayerNorm"), config)?,
            norm: Norm::read(weights, &name("output.LayerNorm"), config)?,
            heads: config.num_attention_heads,
        })
    }

    /// Applies the layer to `x`. `texts` are the ranges of rows of the texts.
    pub(super) fn apply(&self, x: &mut Array2<f32>, texts: &[(usize, usize)]) {
        let attended = self.attend(x, texts);
        self.attention_output.add_to(x, &attended);
        self.attention_norm.apply(x);
        let mut inner = self.inner.apply(x);
        inner.mapv_inplace(gelu);
        self.output.add_to(x, &inner);
        self.norm.apply(x);
    }

    fn attend(&self, x: &Array2<f32>, texts: &[(usize, usize)]) -> Array2<f32> {
        let all = self.attention.apply(x);
        let mut attended = Array2::zeros(x.dim());
        let (size, width) = (x.ncols(), x.ncols() / self.heads);
        let scale = 1.0 / (width as f32).sqrt();
        for (from, to) in texts {
            let rows = all.slice_axis(Axis(0), Slice::from(*from..*to));
            let mut shares = Array2::zeros((to - from, to - from));
            for head in 0..self.heads {
                let columns = |part: usize| {
                    let start = part * size + head * width;
                    rows.slice_axis(Axis(1), Slice::from(start..start + width))
                };
                general_mat_mul(scale, &columns(0), &columns(1).t(), 0.0, &mut shares);
                for mut row in shares.rows_mut() {
                    if let Some(row) = row.as_slice_mut() {
                        softmax(row);
                    }
                }
                let mut out = attended.slice_axis_mut(Axis(0), Slice::from(*from..*to));
                let start = head * width;
                out.slice_axis_inplace(Axis(1), Slice::from(start..start + width));
                general_mat_mul(1.0, &shares, &columns(2), 0.0, &mut out);
            }
        }
        attended
    }
}

/// A linear map: a matrix and an offset.
#[derive(Debug)]
struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

impl Linear {
    fn read(weights: &mut Weights, name: &str, from: usize, to: usize) -> Result<Self> {
        Ok(Self {
            weight: weights.matrix(&format!("{name}.weight"), to, from)?,
            bias: weights.vector(&format!("{name}.bias"), to)?,
        })
    }

    fn side_by_side(parts: [Self; 3]) -> Self {
        let weights = parts.each_ref().map(|part| part.weight.view());
        let biases = parts.each_ref().map(|part| part.bias.view());
        // Concatenation can't fail, because all parts have the same sizes.
        Self {
            weight: concatenate(Axis(0), &weights).unwrap_or_default(),
            bias: concatenate(Axis(0), &biases).unwrap_or_default(),
        }
    }

    fn apply(&self, x: &Array2<f32>) -> Array2<f32> {
        let mut y = Array2::zeros((x.nrows(), self.bias.len()));
        self.add_to(&mut y, x);
        y
    }

    /// Adds the map of `x` to `y`.
    fn add_to(&self, y: &mut Array2<f32>, x: &Array2<f32>) {
        *y += &self.bias;
        general_mat_mul(1.0, x, &self.weight.t(), 1.0, y);
    }
}

/// Scales each row to mean 0 and variance 1, then applies a learned scale and offset.
#[derive(Debug)]
pub(super) struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
    epsilon: f32,
}

impl Norm {
    pub(super) fn read(weights: &mut Weights, name: &str, config: &Config) -> Result<Self> {
        Ok(Self {
            weight: weights.vector(&format!("{name}.weight"), config.hidden_size)?,
            bias: weights.vector(&format!("{name}.bias"), config.hidden_size)?,
            epsilon: config.layer_norm_eps,
        })
    }

    pub(super) fn apply(&self, x: &mut Array2<f32>) {
        let count = x.ncols() as f32;
        for mut row in x.rows_mut() {
            let mean = row.sum() / count;
            row -= mean;
            let variance = row.dot(&row) / count;
            row /= (variance + self.epsilon).sqrt();
            row *= &self.weight;
            row += &self.bias;
        }
    }
}
