//! Tests of search: results and their order.

use std::collections::BTreeMap;

use tarsy_knowledge::{Error, LoadOptions, Query, load as load_file};

use crate::{MAPPING, Scene};

const FILE: &str = "Test ID,Title,Model,Slot,Steps\n\
    TC-1,Power loss,K210,1,pull the cable and see whether the host reboots as TC-2 does\n\
    TC-2,Reboot,K300,2,reboot reboot reboot\n\
    TC-3,Disk,K300,3,swap the disk of a rebooting host\n\
    TC-4,Fan,K210,4,spin\n";

async fn scene() -> Scene {
    let scene = Scene::new().await;
    scene.load(&scene.file("a.csv", FILE), MAPPING).await;
    scene
}

#[tokio::test]
async fn identifiers_come_first_and_words_by_bm25() {
    let scene = scene().await;
    let searcher = scene.searcher();
    assert_eq!(scene.found(&searcher, "rebooting").await[0], "TC-2");
    assert_eq!(scene.found(&searcher, "rebooting").await.len(), 3);
    assert_eq!(scene.found(&searcher, "does tc-3 reboot?").await[0], "TC-3");
    // The record with the identifier comes before one that only mentions it.
    assert_eq!(scene.found(&searcher, "TC-2").await[..2], ["TC-2", "TC-1"]);
    assert!(scene.found(&searcher, "the of and").await.is_empty());
    assert!(scene.found(&searcher, "").await.is_empty());
    let query = Query {
        text: "fan".to_owned(),
        ..Query::default()
    };
    let hits = searcher.search(&query).await.unwrap().results;
    assert_eq!(
        (hits[0].source.as_str(), hits[0].line, hits[0].exact),
        ("a.csv", 5, 0)
    );
    assert!(hits[0].text.starts_with("Fan\n"));
}

#[tokio::test]
async fn filters_narrow_and_are_checked() {
    let scene = scene().await;
    let searcher = scene.searcher();
    let query = |text: &str, field: &str, values: &[&str]| Query {
        text: text.to_owned(),
        filters: BTreeMap::from([(
            field.to_owned(),
            values.iter().map(|&value| value.to_owned()).collect(),
        )]),
        ..Query::default()
    };
    let keys = async |query: Query| -> Vec<String> {
        let hits = searcher.search(&query).await.unwrap().results;
        hits.into_iter().map(|hit| hit.key).collect()
    };
    assert_eq!(keys(query("reboot", "model", &[" k210"])).await, ["TC-1"]);
    assert_eq!(
        keys(query("reboot", "model", &["k210", "k300"]))
            .await
            .len(),
        3
    );
    assert!(keys(query("reboot", "model", &["k9"])).await.is_empty());
    // Without a text, all records that match the filters are listed.
    assert_eq!(keys(query("", "model", &["K300"])).await, ["TC-2", "TC-3"]);
    let error = searcher
        .search(&query("x", "slot", &["1"]))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::UnknownFilter { known, .. } if known == "id, model"),
        "{error}"
    );
    let again = LoadOptions {
        collection: "again".to_owned(),
        ..scene.options(MAPPING)
    };
    let mut connection = scene.connection().await;
    load_file(&mut connection, &scene.file("b.csv", FILE), &again, |_| ())
        .await
        .unwrap();
    let error = searcher
        .search(&query("x", "slot", &["1"]))
        .await
        .unwrap_err();
    assert!(error.to_string().ends_with("it has: id, model"), "{error}");
    let unknown = Query {
        collections: vec!["nope".to_owned()],
        ..Query::default()
    };
    assert!(matches!(
        searcher.search(&unknown).await,
        Err(Error::UnknownCollection(_))
    ));
}

#[tokio::test]
async fn a_record_is_read_whole() {
    let scene = scene().await;
    let record = scene
        .searcher()
        .get("tests", "TC-3")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(record.fields["slot"], 3);
    assert_eq!(record.chunks.len(), 1);
    assert!(
        scene
            .searcher()
            .get("tests", "TC-9")
            .await
            .unwrap()
            .is_none()
    );
}

/// Compares the scores with a simple BM25 over the same corpus.
#[tokio::test]
async fn scores_agree_with_a_scan() {
    let scene = Scene::new().await;
    let words = [
        "disk", "fan", "power", "cable", "slot", "host", "net", "boot",
    ];
    let mut texts = Vec::new();
    let mut seed = 7_u32;
    for _ in 0..300 {
        let mut text = Vec::new();
        for _ in 0..5 + seed % 20 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push(words[(seed >> 16) as usize % words.len()]);
        }
        texts.push(text);
    }
    let lines: String = texts
        .iter()
        .enumerate()
        .map(|(n, text)| format!("{n},{}\n", text.join(" ")))
        .collect();
    let mapping = "key: n\nfields: [{name: n, search: false}, {name: t}]";
    scene
        .load(&scene.file("a.csv", format!("n,t\n{lines}")), mapping)
        .await;
    // The label `t:` counts as a word of each chunk.
    let lengths: Vec<f64> = texts.iter().map(|text| text.len() as f64 + 1.0).collect();
    let average = lengths.iter().sum::<f64>() / 300.0;
    let score = |index: usize| -> f64 {
        let term = |word: &str| {
            let times = texts[index].iter().filter(|one| **one == word).count() as f64;
            let found = texts.iter().filter(|text| text.contains(&word)).count() as f64;
            let idf = (1.0 + (300.0 - found + 0.5) / (found + 0.5)).ln();
            idf * 2.2 * times / (times + 1.2 * (0.25 + 0.75 * lengths[index] / average))
        };
        term("disk") + term("cable")
    };
    let mut expected: Vec<(usize, f64)> = (0..300).map(|index| (index, score(index))).collect();
    expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let query = Query {
        text: "disk cable".to_owned(),
        ..Query::default()
    };
    let hits = scene.searcher().search(&query).await.unwrap().results;
    assert_eq!(hits.len(), 10);
    for (hit, (_, score)) in hits.iter().zip(&expected) {
        assert!(
            (f64::from(hit.score) - score).abs() < 1e-3,
            "{hit:?} {score}"
        );
    }
}
