//! Reads single-precision tensors from a `safetensors` file: a JSON header, then the numbers, little-endian.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2};
use serde::Deserialize;
use serde_json::Value;

use crate::config::parse;
use crate::error::{Error, Result};

/// Largest header, in bytes. The header of a model with 48 layers has 100 kB.
const MAX_HEADER: u64 = 16 << 20;

/// An open file of tensors.
#[derive(Debug)]
pub(crate) struct Weights {
    path: PathBuf,
    file: BufReader<File>,
    /// Offset of the numbers in the file.
    start: u64,
    /// Size of all numbers, in bytes.
    size: u64,
    tensors: HashMap<String, Tensor>,
    /// Prefix of the tensors' names. Some exporters put the whole encoder under a prefix.
    prefix: &'static str,
}

#[derive(Debug, Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

impl Weights {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::read(path))?;
        let length = file.metadata().map_err(Error::read(path))?.len();
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(Error::read(path))?;
        let header = u64::from_le_bytes(size);
        let start = header.saturating_add(8);
        if header > MAX_HEADER || start > length {
            return Err(Error::invalid(path, "its header is longer than possible"));
        }
        let mut bytes = vec![0; usize::try_from(header).unwrap_or(0)];
        file.read_exact(&mut bytes).map_err(Error::read(path))?;
        let described: HashMap<String, Value> = parse(path, &bytes)?;
        let mut tensors = HashMap::new();
        for (name, tensor) in described {
            if name == "__metadata__" {
                continue;
            }
            let tensor = serde_json::from_value(tensor)
                .map_err(|error| Error::invalid(path, format!("tensor `{name}`: {error}")))?;
            tensors.insert(name, tensor);
        }
        let is_below = tensors
            .keys()
            .any(|name: &String| name.starts_with("bert."));
        Ok(Self {
            path: path.to_owned(),
            file,
            start,
            size: length - start,
            tensors,
            prefix: if is_below { "bert." } else { "" },
        })
    }

    pub(crate) fn matrix(
        &mut self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Array2<f32>> {
        let numbers = self.numbers(name, &[rows, columns])?;
        Array2::from_shape_vec((rows, columns), numbers)
            .map_err(|error| Error::invalid(&self.path, error.to_string()))
    }

    pub(crate) fn vector(&mut self, name: &str, size: usize) -> Result<Array1<f32>> {
        Ok(Array1::from_vec(self.numbers(name, &[size])?))
    }

    fn numbers(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let path = &self.path;
        let name = format!("{}{name}", self.prefix);
        let Some(tensor) = self.tensors.get(&name) else {
            let path = path.clone();
            return Err(Error::NoTensor { path, name });
        };
        if tensor.dtype != "F32" {
            return Err(Error::Dtype {
                path: path.clone(),
                name,
                found: tensor.dtype.clone(),
            });
        }
        if tensor.shape != shape {
            return Err(Error::Shape {
                path: path.clone(),
                name,
                found: tensor.shape.clone(),
                expected: shape.to_vec(),
            });
        }
        let count: usize = shape.iter().product();
        let (from, to) = tensor.data_offsets;
        let fits = to <= self.size && to.checked_sub(from) == u64::try_from(count * 4).ok();
        if !fits {
            let reason = format!("the place of tensor `{name}` is impossible");
            return Err(Error::invalid(path, reason));
        }
        let place = SeekFrom::Start(self.start + from);
        self.file.seek(place).map_err(Error::read(path))?;
        let mut numbers = Vec::with_capacity(count);
        let mut bytes = vec![0; 1 << 16];
        while numbers.len() < count {
            let wanted = bytes.len().min((count - numbers.len()) * 4);
            let Some(part) = bytes.get_mut(..wanted) else {
                break;
            };
            self.file.read_exact(part).map_err(Error::read(path))?;
            let (parts, _) = part.as_chunks::<4>();
            numbers.extend(parts.iter().map(|number| f32::from_le_bytes(*number)));
        }
        match numbers.iter().all(|number| number.is_finite()) {
            true => Ok(numbers),
            false => Err(Error::invalid(
                path,
                format!("tensor `{name}` has numbers that are infinite or none"),
            )),
        }
    }
}
