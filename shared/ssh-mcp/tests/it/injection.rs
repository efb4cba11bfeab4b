//! Hostile arguments: they are refused, or arrive exactly as they were sent.

use std::sync::Arc;

use serde_json::{Map, json};
use tarsy_ssh_mcp::Runner;

use crate::scene::{Scene, run};

const TEMPLATES: &str = r#"
  text: {effect: destructive, command: ["{folder}/argv", first, "{value}", last], arguments: {value: {type: text, max_length: 4000}}}
  word: {effect: destructive, command: ["{folder}/argv", "{value}"], arguments: {value: {type: word, max_length: 4000}}}
  path: {effect: destructive, command: ["{folder}/argv", "{value}"], arguments: {value: {type: path, max_length: 4000}}}
  integer: {effect: destructive, command: ["{folder}/argv", "{value}"], arguments: {value: {type: integer}}}
"#;
const ALLOW: &str = r#"
    - ["{folder}/argv", first, "{text}", last]
    - ["{folder}/argv", "{word}"]
    - ["{folder}/argv", "{path}"]
    - ["{folder}/argv", "{integer}"]
"#;

fn corpus(mark: &str) -> Vec<String> {
    let lines = include_str!("hostile.txt").lines();
    let all: Vec<String> = lines
        .map(|line| {
            serde_json::from_str::<String>(line)
                .unwrap()
                .replace("MARK", mark)
        })
        .collect();
    assert!(all.len() >= 150, "{}", all.len());
    all
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_reaches_a_shell() {
    let scene = Scene::new();
    let mark = scene.file("mark");
    // No denylist, because this tests the way to the program. The host has several names for speed: each name has its
    // own turn.
    let configuration = scene.configuration(TEMPLATES, ALLOW, "") + "deny: []\n";
    let host = configuration
        .lines()
        .find(|line| line.contains("box: "))
        .unwrap();
    let hosts: String = (0..4)
        .map(|n| host.replace("box:", &format!("box{n}:")) + "\n")
        .collect();
    let configuration = configuration.replace(&format!("{host}\n"), &hosts);
    let runner = Arc::new(Runner::new(crate::scene::parse(&configuration).unwrap()));
    let corpus = corpus(&mark.display().to_string());
    let one = async |host: usize, value: &String| {
        let arguments = Map::from_iter([("value".to_owned(), json!(value))]);
        let ran = runner.run(&format!("box{host}"), "text", &arguments).await;
        assert!(!mark.exists(), "{value:?} was a command");
        match ran {
            Ok(outcome) => {
                let expected = format!("{}\n{}\n{}\n", hex("first"), hex(value), hex("last"));
                assert_eq!(outcome.stdout, expected, "{value:?}: {outcome:?}");
                assert_eq!(outcome.exit_status, Some(0), "{value:?}");
                1
            }
            Err(error) => {
                assert!(error.contains("must be a text"), "{value:?}: {error}");
                0
            }
        }
    };
    let of_host = async |host: usize| {
        let mut arrived = 0;
        for value in corpus.iter().skip(host).step_by(4) {
            arrived += one(host, value).await;
        }
        arrived
    };
    let (a, b, c, d) = tokio::join!(of_host(0), of_host(1), of_host(2), of_host(3));
    let (arrived, all) = (a + b + c + d, corpus.len());
    println!("{arrived} of {all} arrived unchanged, the others were refused");
    assert!(
        arrived >= 100 && all - arrived >= 30,
        "{arrived} of {all} arrived"
    );
    assert_eq!(
        scene.lines("runs"),
        arrived,
        "nothing ran that was refused, nothing twice"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn types_names_and_hosts_refuse_all_of_them() {
    let scene = Scene::new();
    let runner = scene.runner(TEMPLATES, ALLOW, "");
    for value in corpus("/tmp/mark") {
        for kind in ["word", "path", "integer"] {
            let error = run(&runner, kind, json!({"value": value}))
                .await
                .unwrap_err();
            assert!(error.contains("must be a"), "{kind} {value:?}: {error}");
        }
        run(&runner, &value, json!({})).await.unwrap_err();
        run(&runner, "word", json!({"value": "x", &value: "y"}))
            .await
            .unwrap_err();
        runner
            .run(&value, "word", &serde_json::Map::new())
            .await
            .unwrap_err();
    }
    for value in [
        json!(null),
        json!(["x"]),
        json!({"x": 1}),
        json!(true),
        json!(1.5),
        json!(-1),
        json!(1_000_001),
    ] {
        run(&runner, "integer", json!({"value": value}))
            .await
            .unwrap_err();
        run(&runner, "word", json!({"value": value}))
            .await
            .unwrap_err();
    }
    run(&runner, "word", json!({})).await.unwrap_err();
    assert_eq!(scene.lines("runs"), 0);
    let fine = run(&runner, "integer", json!({"value": 42})).await.unwrap();
    assert_eq!(fine.stdout, format!("{}\n", hex("42")));
}
