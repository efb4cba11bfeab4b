//! Folders that don't contain a supported model. Each gives an error that names the file and the reason.

use std::fs;

use serde_json::{Value, json};
use tarsy_text_embedding::{Error, TextEmbedder};

use crate::toy::{config, model, put, tokenizer, weights};

fn refused(file: &str, content: impl AsRef<[u8]>) -> Error {
    let folder = model();
    put(folder.path(), file, content);
    let error = TextEmbedder::load(folder.path()).unwrap_err();
    assert!(error.to_string().contains(file), "{error}");
    error
}

#[test]
fn files_that_are_missing_are_named() {
    for file in ["config.json", "model.safetensors"] {
        let folder = model();
        fs::remove_file(folder.path().join(file)).unwrap();
        let error = TextEmbedder::load(folder.path()).unwrap_err();
        assert!(matches!(error, Error::Read { .. }), "{error}");
        assert!(error.to_string().contains(file), "{error}");
    }
    let folder = model();
    fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    let error = TextEmbedder::load(folder.path()).unwrap_err();
    assert!(error.to_string().contains("vocab.txt"), "{error}");
}

#[test]
fn configurations_of_other_models_are_refused() {
    let changed = |name: &str, value: Value| {
        let mut config = config();
        config[name] = value;
        refused("config.json", config.to_string())
    };
    for (name, value) in [
        ("model_type", json!("llama")),
        ("hidden_act", json!("relu")),
        ("position_embedding_type", json!("relative_key")),
    ] {
        let error = changed(name, value);
        assert!(
            matches!(error, Error::Unsupported { what, .. } if what == name),
            "{error}"
        );
    }
    for (name, value) in [
        ("hidden_size", json!(0)),
        ("hidden_size", json!(1_000_000)),
        ("num_attention_heads", json!(3)),
        ("num_hidden_layers", json!(-1)),
        ("layer_norm_eps", json!(-1.0)),
        ("vocab_size", json!("many")),
        ("max_position_embeddings", json!(0)),
    ] {
        let error = changed(name, value);
        assert!(matches!(error, Error::Invalid { .. }), "{error}");
    }
    refused("config.json", "{");
    refused("config.json", vec![b' '; 2 << 20]);
    refused("sentence_bert_config.json", "[]");
    refused(
        "1_Pooling/config.json",
        r#"{"pooling_mode_mean_tokens": false}"#,
    );
}

#[test]
fn vocabularies_that_do_not_fit_are_refused() {
    let changed = |change: fn(&mut Value)| {
        let mut tokenizer = tokenizer();
        change(&mut tokenizer);
        refused("tokenizer.json", tokenizer.to_string())
    };
    changed(|one| one["model"]["type"] = json!("BPE"));
    changed(|one| one["model"]["vocab"]["a"] = json!(12));
    changed(|one| one["model"]["vocab"]["a"] = json!(-1));
    let error = changed(|one| {
        one["model"]["vocab"]
            .as_object_mut()
            .unwrap()
            .remove("[SEP]");
    });
    assert!(error.to_string().contains("[SEP]"), "{error}");
    refused("tokenizer.json", "x");
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    let name = "encoder.layer.1.output.dense.bias";
    let change = |member: &'static str, value: Value| {
        refused(
            "model.safetensors",
            weights(|header| header[name][member] = value),
        )
    };
    let error = change("dtype", json!("BF16"));
    assert!(
        matches!(&error, Error::Dtype { found, .. } if found == "BF16"),
        "{error}"
    );
    let error = change("shape", json!([4, 2]));
    assert!(
        matches!(&error, Error::Shape { found, .. } if found == &[4, 2]),
        "{error}"
    );
    for place in [
        json!([0, 4]),
        json!([32, 0]),
        json!([1_u64 << 40, (1_u64 << 40) + 32]),
        json!([0]),
    ] {
        let error = change("data_offsets", place);
        assert!(matches!(error, Error::Invalid { .. }), "{error}");
    }
    let error = refused(
        "model.safetensors",
        weights(|header| drop(header.remove(name))),
    );
    assert!(
        matches!(&error, Error::NoTensor { name: lost, .. } if lost == name),
        "{error}"
    );

    let whole = weights(|_| ());
    refused("model.safetensors", &whole[..4]);
    refused("model.safetensors", &whole[..100]);
    refused("model.safetensors", &whole[..whole.len() - 40]);
    refused("model.safetensors", u64::MAX.to_le_bytes());
    let mut infinite = whole.clone();
    let end = infinite.len();
    infinite[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = refused("model.safetensors", infinite);
    assert!(error.to_string().contains("infinite"), "{error}");
}
