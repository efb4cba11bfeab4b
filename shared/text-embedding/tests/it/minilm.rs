//! The model all-MiniLM-L6-v2, as `cargo xtask setup` fetches it.

use tarsy_testing::tools;
use tarsy_text_embedding::TextEmbedder;

use crate::{distance, numbers, reference};

#[test]
fn minilm_has_the_tokens_and_vectors_of_the_reference() {
    let Some(folder) = tools::minilm() else {
        eprintln!("NOT RUN: no all-MiniLM-L6-v2; `cargo xtask setup` fetches it");
        return;
    };
    let model = TextEmbedder::load(&folder).unwrap();
    assert_eq!(model.dimension(), 384);
    let cases = reference("minilm");
    for case in &cases {
        let text = case["text"].as_str().unwrap();
        let expected: Vec<u32> = serde_json::from_value(case["tokens"].clone()).unwrap();
        assert_eq!(model.tokens(text), expected, "{text:?}");
    }
    // All texts at once: texts of different lengths don't affect each other.
    let cases: Vec<_> = cases
        .iter()
        .filter(|case| case["vector"].is_array())
        .collect();
    let texts: Vec<&str> = cases
        .iter()
        .map(|case| case["text"].as_str().unwrap())
        .collect();
    let vectors = model.embed(&texts);
    assert_eq!(vectors.len(), 7);
    for (case, vector) in cases.iter().zip(&vectors) {
        let expected = numbers(&case["vector"]);
        assert!(distance(vector, &expected) < 3e-6, "{}", case["text"]);
        let cosine: f64 = vector
            .iter()
            .zip(&expected)
            .map(|(a, b)| f64::from(*a) * b)
            .sum();
        assert!((cosine - 1.0).abs() < 2e-6, "{}: {cosine}", case["text"]);
    }
    // Power and electricity are closer to each other than power and cats.
    let cosine = |a: usize, b: usize| -> f32 {
        vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum()
    };
    assert!(cosine(0, 1) > cosine(0, 2) + 0.2);
    // The same holds when compared word by word.
    let words = model.embed_tokens(&texts);
    let score = |other: usize| words[0].late_interaction(&words[other]);
    assert!(score(1) > score(2) + 0.1, "{} {}", score(1), score(2));
}
