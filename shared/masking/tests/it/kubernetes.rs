//! Secrets lose their values in every form in which they are printed. ConfigMaps keep their values.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]

use serde_json::{Value, json};
use tarsy_masking::Masker;

fn mask(text: &str) -> String {
    Masker::group("kubernetes").unwrap().mask_or_withhold(text)
}

/// Masks and checks a text: the secrets are gone, the rest is kept, and masking again changes nothing.
fn check(text: &str, gone: &[&str], kept: &[&str]) -> String {
    let masked = mask(text);
    for secret in gone {
        assert!(!masked.contains(secret), "`{secret}` left in:\n{masked}");
    }
    for piece in kept {
        assert!(masked.contains(piece), "`{piece}` lost from:\n{masked}");
    }
    assert_eq!(mask(&masked), masked);
    masked
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_else(|e| panic!("not YAML: {e}\n{text}"))
}

const SECRET: &str = "apiVersion: v1\ndata:\n  username: YWRtaW4=\n  ca.crt: Zm9v\n  'quoted': \"YmFy\"\n  block: |\n    bGluZTE=\n    bGluZTI=\n  folded: >-\n    Zm9sZGVk\n  last: bGFzdA==\nkind: Secret\nmetadata:\n  name: db-credentials\n  namespace: prod\ntype: Opaque\n";

#[test]
fn yaml_secret_with_data_before_kind() {
    let masked = check(
        SECRET,
        &[
            "YWRtaW4=", "Zm9v", "YmFy", "bGluZTE=", "bGluZTI=", "Zm9sZGVk", "bGFzdA==",
        ],
        &[
            "username:",
            "ca.crt:",
            "name: db-credentials",
            "namespace: prod",
            "type: Opaque",
        ],
    );
    let value = yaml(&masked);
    assert_eq!(value["data"]["username"], "[MASKED_KUBERNETES_SECRET]");
    assert_eq!(value["metadata"]["name"], "db-credentials");
}

#[test]
fn yaml_string_data_and_flow() {
    let text = "kind: Secret\nstringData:\n  config.yaml: |-\n    user: bob\n    pin: 4711\n  plain: some words here\n  number: 12345\nmetadata: {name: a}\n---\nkind: Secret\ndata: {a: YQ==, \"b\": \"Yg==\"}\n";
    let masked = check(
        text,
        &["bob", "4711", "some words", "12345", "YQ==", "Yg=="],
        &["config.yaml", "name: a"],
    );
    assert_eq!(
        yaml(masked.split("---").next().unwrap())["stringData"]["number"],
        "[MASKED_KUBERNETES_SECRET]"
    );
}

#[test]
fn yaml_list_masks_secrets_and_keeps_config_maps() {
    let text = "apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    token: c2VjcmV0\n  kind: Secret\n  metadata:\n    name: one\n- apiVersion: v1\n  data:\n    log_level: debug\n    region: eu-west-1\n  kind: ConfigMap\n  metadata:\n    name: two\n- apiVersion: v1\n  data:\n    other: dGhpcmQ=\n  kind: Secret\n  metadata:\n    name: three\nkind: List\n";
    let masked = check(
        text,
        &["c2VjcmV0", "dGhpcmQ="],
        &[
            "log_level: debug",
            "region: eu-west-1",
            "name: two",
            "kind: List",
        ],
    );
    assert_eq!(yaml(&masked)["items"][1]["data"]["log_level"], "debug");
}

#[test]
fn secret_list_items_need_no_kind() {
    let text = "apiVersion: v1\nkind: SecretList\nitems:\n- data:\n    a: c2VjcmV0\n  metadata:\n    name: one\n";
    check(text, &["c2VjcmV0"], &["name: one"]);
    let json =
        r#"{"kind":"SecretList","items":[{"data":{"a":"c2VjcmV0"},"metadata":{"name":"one"}}]}"#;
    check(json, &["c2VjcmV0"], &["one"]);
}

#[test]
fn json_secret_compact_pretty_and_list() {
    let secret = json!({"apiVersion": "v1", "data": {"user": "YWRtaW4=", "n": 7}, "kind": "Secret", "metadata": {"name": "db", "labels": {"a": "b"}}});
    let config = json!({"apiVersion": "v1", "data": {"level": "debug"}, "kind": "ConfigMap"});
    let list = json!({"kind": "List", "items": [secret, config]});
    for text in [
        list.to_string(),
        serde_json::to_string_pretty(&list).unwrap(),
    ] {
        let masked = check(&text, &["YWRtaW4="], &["debug", "db"]);
        let value: Value = serde_json::from_str(&masked).unwrap();
        assert_eq!(
            value["items"][0]["data"]["user"],
            "[MASKED_KUBERNETES_SECRET]"
        );
        assert_eq!(value["items"][0]["data"]["n"], "[MASKED_KUBERNETES_SECRET]");
        assert_eq!(value["items"][1], config);
    }
}

#[test]
fn last_applied_annotation() {
    let applied = json!({"apiVersion": "v1", "data": {"user": "YWRtaW4="}, "kind": "Secret", "stringData": {"p": "pl ain"}}).to_string();
    let inner = json!({"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied}}, "kind": "Secret", "data": {"user": "YWRtaW4="}});
    let masked = check(
        &inner.to_string(),
        &["YWRtaW4=", "pl ain"],
        &["last-applied-configuration"],
    );
    let value: Value = serde_json::from_str(&masked).unwrap();
    let again: Value = serde_json::from_str(
        value["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]
            .as_str()
            .unwrap(),
    )
    .unwrap();
    assert_eq!(again["data"]["user"], "[MASKED_KUBERNETES_SECRET]");
    // Escaped twice: a tool result that contains the object as a string.
    let outer = json!({"result": inner.to_string()}).to_string();
    let masked = check(&outer, &["YWRtaW4=", "pl ain"], &["result"]);
    assert!(serde_json::from_str::<Value>(&masked).is_ok());
    let text = format!(
        "metadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {applied}\n  name: x\nkind: Secret\n"
    );
    check(&text, &["YWRtaW4=", "pl ain"], &["name: x"]);
}

#[test]
fn describe_shows_sizes_only() {
    let text = "Name:         db-credentials\nNamespace:    prod\nType:  Opaque\n\nData\n====\npassword:  12 bytes\nusername:  5 bytes\nca.crt:     1066 bytes\n";
    assert_eq!(mask(text), text);
}

#[test]
fn mappings_around_a_secret_are_kept() {
    let text = "kind: ConfigMap\ndata:\n  a: one\n---\nkind: Secret\ndata:\n  b: dHdv\n---\nkind: ConfigMap\ndata:\n  c: three\n";
    check(text, &["dHdv"], &["a: one", "c: three"]);
    let reference =
        "spec:\n  volumes:\n  - name: tls\n    secret:\n      secretName: tls\n  data: plain\n";
    assert_eq!(mask(reference), reference);
}

#[test]
fn json_values_keep_their_structure() {
    let masker = Masker::group("security").unwrap();
    let value = json!({
        "kind": "Secret", "data": {"a": "YQ==", "n": 1, "none": null, "deep": {"b": "x"}}, "metadata": {"name": "s"},
        "env": [{"name": "DB_PASSWORD", "value": "hunter2x"}, {"name": "REGION", "value": "eu"}],
        "password": 12345678, "port": 5432, "enabled": true, "datadog": {"value_of": "a1b2c3d4e5f6071829304a5b6c7d8e9f"},
    });
    let (masked, kinds) = masker.mask_json(&value);
    assert_eq!(
        masked["data"],
        json!({"a": "[MASKED_KUBERNETES_SECRET]", "n": "[MASKED_KUBERNETES_SECRET]", "none": null, "deep": {"b": "[MASKED_KUBERNETES_SECRET]"}})
    );
    assert_eq!(
        masked["env"],
        json!([{"name": "DB_PASSWORD", "value": "[MASKED_PASSWORD]"}, {"name": "REGION", "value": "eu"}])
    );
    assert_eq!(masked["password"], "[MASKED_PASSWORD]");
    assert_eq!(
        (&masked["port"], &masked["enabled"], &masked["metadata"]),
        (&json!(5432), &json!(true), &value["metadata"])
    );
    let total: usize = kinds.values().sum();
    assert!(total >= 5, "{kinds:?}");
    assert_eq!(
        masker.mask_json(&masked),
        (masked.clone(), Default::default())
    );
}
