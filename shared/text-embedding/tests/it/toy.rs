//! A model of a few hundred numbers, written for each test. `tests/reference.py` contains the same model.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use tarsy_text_embedding::TextEmbedder;
use tempfile::TempDir;

use crate::{distance, numbers, reference};

const WORDS: [&str; 12] = [
    "[PAD]", "[CLS]", "[SEP]", "[UNK]", "re", "##boot", "host", "disk", "-", "a", "b", "##s",
];

pub(crate) fn config() -> Value {
    json!({
        "model_type": "bert", "hidden_size": 8, "intermediate_size": 16, "num_attention_heads": 2,
        "num_hidden_layers": 2, "vocab_size": 12, "max_position_embeddings": 10, "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
    })
}

pub(crate) fn tokenizer() -> Value {
    let vocabulary: Map<_, _> = WORDS
        .iter()
        .zip(0..)
        .map(|(word, id)| ((*word).to_owned(), json!(id)))
        .collect();
    json!({"model": {"type": "WordPiece", "vocab": vocabulary}, "normalizer": {"lowercase": true}})
}

pub(crate) fn shapes() -> BTreeMap<String, Vec<usize>> {
    let mut shapes = BTreeMap::new();
    let mut add = |name: String, shape: &[usize]| shapes.insert(name, shape.to_vec());
    for (name, rows) in [("word", 12), ("position", 10), ("token_type", 2)] {
        add(format!("embeddings.{name}_embeddings.weight"), &[rows, 8]);
    }
    let mut both = |name: &str, rows: usize, columns: &[usize]| {
        add(format!("{name}.weight"), &[&[rows], columns].concat());
        add(format!("{name}.bias"), &[rows]);
    };
    both("embeddings.LayerNorm", 8, &[]);
    for at in 0..2 {
        let mut part = |name: &str, rows, columns: &[usize]| {
            both(&format!("encoder.layer.{at}.{name}"), rows, columns)
        };
        for name in ["self.query", "self.key", "self.value", "output.dense"] {
            part(&format!("attention.{name}"), 8, &[8]);
        }
        part("intermediate.dense", 16, &[8]);
        part("output.dense", 8, &[16]);
        part("attention.output.LayerNorm", 8, &[]);
        part("output.LayerNorm", 8, &[]);
    }
    shapes
}

/// Writes a file of tensors. `change` may alter its header.
pub(crate) fn weights(change: impl FnOnce(&mut Map<String, Value>)) -> Vec<u8> {
    let (mut header, mut data) = (Map::new(), Vec::new());
    for (n, (name, shape)) in shapes().into_iter().enumerate() {
        let from = data.len();
        for k in 0..shape.iter().product::<usize>() {
            let number = 0.5 * (0.7 * (k + 1) as f64 + n as f64).sin();
            data.extend_from_slice(&(number as f32).to_le_bytes());
        }
        header.insert(
            name,
            json!({"dtype": "F32", "shape": shape, "data_offsets": [from, data.len()]}),
        );
    }
    header.insert("__metadata__".to_owned(), json!({"format": "pt"}));
    change(&mut header);
    let header = Value::Object(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(&data);
    file
}

/// Writes a folder with the model.
pub(crate) fn model() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "config.json", config().to_string());
    put(folder.path(), "tokenizer.json", tokenizer().to_string());
    put(folder.path(), "model.safetensors", weights(|_| ()));
    folder
}

pub(crate) fn put(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn vectors_are_those_of_the_reference() {
    let folder = model();
    let model = TextEmbedder::load(folder.path()).unwrap();
    assert_eq!(model.dimension(), 8);
    let texts = ["Reboot", "", "disk-a b\u{301}s host x"];
    let vectors = model.embed(&texts);
    let cases = reference("toy");
    assert_eq!((vectors.len(), cases.len()), (3, 3));
    for ((case, vector), text) in cases.iter().zip(&vectors).zip(texts) {
        let tokens: Vec<u32> = serde_json::from_value(case["tokens"].clone()).unwrap();
        assert_eq!(model.tokens(text), tokens, "{text}");
        let distance = distance(vector, &numbers(&case["vector"]));
        assert!(distance < 1e-6, "{text}: {distance}");
    }
    assert!(model.embed(&[]).is_empty());
}

/// `[CLS]`, `[SEP]` and `-` have no vectors.
#[test]
fn words_have_vectors_of_their_own() {
    let folder = model();
    let model = TextEmbedder::load(folder.path()).unwrap();
    let texts = ["host disk", "-"];
    let vectors = model.embed_tokens(&texts);
    let score = |a: usize, b: usize| vectors[a].late_interaction(&vectors[b]);
    assert!((score(0, 0) - 1.0).abs() < 1e-5);
    assert_eq!(score(0, 1), 0.0);
    // A text has the same vectors next to others as alone.
    assert_eq!(model.embed_tokens(&texts[..1])[0], vectors[0]);
}

#[test]
fn a_text_is_cut_at_the_models_maximum() {
    let folder = model();
    let long = "host ".repeat(50);
    let tokens = |folder: &Path| TextEmbedder::load(folder).unwrap().tokens(&long);
    assert_eq!(tokens(folder.path()).len(), 10);
    put(
        folder.path(),
        "sentence_bert_config.json",
        r#"{"max_seq_length": 6}"#,
    );
    assert_eq!(tokens(folder.path()), [1, 6, 6, 6, 6, 2]);
    // More tokens than the model has positions.
    put(
        folder.path(),
        "sentence_bert_config.json",
        r#"{"max_seq_length": 512}"#,
    );
    let model = TextEmbedder::load(folder.path()).unwrap();
    assert_eq!(model.tokens(&long).len(), 10);
    // A word of several pieces at the truncated end.
    let pieces = "reboot ".repeat(9);
    assert_eq!(model.tokens(&pieces), [1, 4, 5, 4, 5, 4, 5, 4, 5, 2]);
    assert_eq!(model.embed(&[&pieces])[0].len(), 8);
}

#[test]
fn a_vocabulary_may_be_a_list_of_words() {
    let folder = model();
    fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    put(folder.path(), "vocab.txt", WORDS.join("\n"));
    let model = TextEmbedder::load(folder.path()).unwrap();
    assert_eq!(
        model.tokens("Reboot Host-disks zebra"),
        [1, 4, 5, 6, 8, 7, 11, 3, 2]
    );
}
