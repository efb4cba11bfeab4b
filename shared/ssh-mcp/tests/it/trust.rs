//! Hosts with a wrong identity, and commands that a group does not list.

use serde_json::json;
use tarsy_ssh_mcp::Runner;
use tarsy_testing::Sshd;

use crate::scene::{Scene, parse, run};

const TEMPLATES: &str = r#"
  argv: {effect: destructive, command: ["{folder}/argv", "{value}"], arguments: {value: {type: word}}}
  text: {effect: destructive, command: ["{folder}/argv", "{value}"], arguments: {value: {type: text}}}
  other: {effect: read_only, command: ["{folder}/argv", a, b]}
"#;
const ALLOW: &str = r#"    - ["{folder}/argv", "{word}"]"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_host_with_another_key_gets_no_command() {
    let (scene, other) = (Scene::new(), Sshd::start().unwrap());
    let configuration = scene.configuration(TEMPLATES, ALLOW, "");
    let (ours, theirs) = (scene.sshd.host_key().unwrap(), other.host_key().unwrap());
    let ecdsa = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGvIuzt1kfCA1XlFgTHO8bVO9SIsE2+RWE9HX0vUZUSEEBA48qRJqyZCTyJVuj3vu+pcCmqhKXQtxvxFJnEbS5w=";
    for wrong in [theirs.as_str(), ecdsa] {
        let runner = Runner::new(parse(&configuration.replace(&ours, wrong)).unwrap());
        let error = run(&runner, "argv", json!({"value": "x"}))
            .await
            .unwrap_err();
        assert!(error.contains("not trusted"), "{error}");
    }
    assert_eq!(scene.lines("runs"), 0);
    // If there are several pinned keys, any of them is accepted.
    let both = configuration.replace(&ours, &format!("{theirs}\", \"{ours}"));
    run(
        &Runner::new(parse(&both).unwrap()),
        "argv",
        json!({"value": "x"}),
    )
    .await
    .unwrap();
    assert_eq!(scene.lines("runs"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_login_is_reported() {
    let (scene, other) = (Scene::new(), Sshd::start().unwrap());
    let configuration = scene.configuration(TEMPLATES, ALLOW, "");
    let key = |sshd: &Sshd| sshd.user_key().display().to_string();
    let wrong = configuration.replace(&key(&scene.sshd), &key(&other));
    let error = run(
        &Runner::new(parse(&wrong).unwrap()),
        "argv",
        json!({"value": "x"}),
    )
    .await
    .unwrap_err();
    assert!(error.contains("refused the login"), "{error}");
    drop(scene.sshd);
    let error = run(
        &Runner::new(parse(&wrong).unwrap()),
        "argv",
        json!({"value": "x"}),
    )
    .await
    .unwrap_err();
    assert!(error.contains("was not reached"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_takes_its_own_vectors_and_no_others() {
    let scene = Scene::new();
    let runner = scene.runner(TEMPLATES, ALLOW, "");
    run(&runner, "argv", json!({"value": "x"})).await.unwrap();
    for (command, arguments) in [("other", json!({})), ("text", json!({"value": "a b"}))] {
        let error = run(&runner, command, arguments).await.unwrap_err();
        assert!(error.contains("not allowed on `box`"), "{error}");
    }
    assert_eq!(scene.lines("runs"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_denylist_checks_the_whole_line() {
    let scene = Scene::new();
    let runner = scene.runner(TEMPLATES, r#"    - ["{folder}/argv", "{text}"]"#, "");
    for value in ["x rm y", "sudo id", "reboot"] {
        let error = run(&runner, "text", json!({"value": value}))
            .await
            .unwrap_err();
        assert!(error.contains("denylist"), "{value}: {error}");
    }
    assert_eq!(scene.lines("runs"), 0);
    run(&runner, "text", json!({"value": "form a b"}))
        .await
        .unwrap();
}
