//! Checks from outside that the JSON Schema of the configuration file and the loader agree.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use jsonschema::Validator;
use serde_json::{Value, json};
use tarsy_config::{Config, Environment, Source};

const EVERY_KEY: &str = include_str!("examples/every_key.yaml");

/// A key and word that is not in use, and that is not similar to any in use.
const STRANGER: &str = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq";

fn schema() -> Value {
    serde_json::from_str(&tarsy_config::json_schema()).unwrap()
}

pub(crate) fn validator() -> Validator {
    jsonschema::validator_for(&schema()).unwrap()
}

pub(crate) fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

/// Returns pointers to every value of a document, the document itself first.
fn pointers(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, v)| (key.clone(), v)).collect(),
        Value::Array(items) => (0..).map(|i: usize| i.to_string()).zip(items).collect(),
        _ => Vec::new(),
    };
    for (key, value) in inner {
        let below = pointers(value).into_iter();
        all.extend(below.map(|rest| format!("/{key}{rest}")));
    }
    all
}

/// Returns the schema of the value at `pointer`, with references resolved.
fn schema_at<'s>(root: &'s Value, pointer: &str) -> &'s Value {
    let mut at = resolved(root, root);
    for key in pointer.split('/').skip(1) {
        let next = if key.bytes().all(|b| b.is_ascii_digit()) && at.get("items").is_some() {
            &at["items"]
        } else if let Some(property) = at.pointer(&format!("/properties/{key}")) {
            property
        } else if is_anything(at) {
            at
        } else {
            &at["additionalProperties"]
        };
        assert!(!next.is_null(), "no schema for {pointer}");
        at = resolved(root, next);
    }
    at
}

/// Whether the schema accepts any value.
fn is_anything(schema: &Value) -> bool {
    let has_key = |key| schema.get(key).is_some();
    *schema == Value::Bool(true)
        || !["type", "properties", "anyOf", "enum"]
            .into_iter()
            .any(has_key)
}

/// Follows references, and the only alternative that is neither `null` nor a template.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return resolved(root, root.pointer(&reference[1..]).unwrap());
    }
    if let Some([only]) = schema["allOf"].as_array().map(Vec::as_slice) {
        return resolved(root, only);
    }
    match schema["anyOf"].as_array() {
        Some(alternatives) if schema.get("properties").is_none() => {
            resolved(root, &alternatives[0])
        }
        _ => schema,
    }
}

/// Loads a document, or reports its problems. JSON is YAML.
fn loads(document: &Value) -> Result<(), String> {
    let source = Source::Text {
        name: "agents.yaml".to_owned(),
        text: document.to_string(),
    };
    let env = Environment::from_pairs([("HOME", "/home/sre")]);
    Config::load(&source, &env)
        .map(drop)
        .map_err(|problems| problems.to_string())
}

/// Returns the document with another value at `pointer`, or with a new key there.
fn with(document: &Value, pointer: &str, value: Value) -> Value {
    let mut changed = document.clone();
    match changed.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => {
            let (map, key) = pointer.rsplit_once('/').unwrap();
            changed.pointer_mut(map).unwrap()[key] = value;
        }
    }
    changed
}

/// Returns the names after `known: ` in the loader's hint about an unknown key.
fn known_names(report: &str) -> Option<BTreeSet<String>> {
    let place = report.find(STRANGER)?;
    let (_, names) = report[place..].split_once("hint: known: ")?;
    let names = names.lines().next()?.split(", ");
    Some(names.map(str::to_owned).collect())
}

pub(crate) fn names(values: impl Iterator<Item = impl ToString>) -> BTreeSet<String> {
    values.map(|value| value.to_string()).collect()
}

#[test]
fn the_loader_and_the_schema_accept_the_document_with_every_key() {
    let document = yaml(EVERY_KEY);
    loads(&document).unwrap();
    let errors = names(validator().iter_errors(&document));
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn both_know_the_same_keys_of_every_mapping() {
    let (document, schema, validator) = (yaml(EVERY_KEY), schema(), validator());
    let mut mappings = 0;
    for pointer in pointers(&document) {
        let value = document.pointer(&pointer).unwrap();
        let at = schema_at(&schema, &pointer);
        let (true, Some(properties)) = (value.is_object(), at["properties"].as_object()) else {
            continue;
        };
        let stranger = with(&document, &format!("{pointer}/{STRANGER}"), json!("x"));
        assert!(!validator.is_valid(&stranger), "{pointer}");
        let report = loads(&stranger).unwrap_err();
        let known = known_names(&report).unwrap_or_else(|| panic!("{pointer}: {report}"));
        assert_eq!(known, names(properties.keys()), "{pointer}");
        mappings += 1;
    }
    assert!(mappings > 30, "{mappings}");
}

#[test]
fn every_key_of_the_schema_is_tried() {
    let (document, schema) = (yaml(EVERY_KEY), schema());
    let tried: BTreeSet<(*const Value, String)> = pointers(&document)
        .iter()
        .filter_map(|pointer| pointer.rsplit_once('/'))
        .map(|(map, key)| (std::ptr::from_ref(schema_at(&schema, map)), key.to_owned()))
        .collect();
    let mut all = vec![&schema];
    all.extend(schema["definitions"].as_object().unwrap().values());
    for mapping in all {
        for key in mapping["properties"].as_object().unwrap().keys() {
            assert!(
                tried.contains(&(std::ptr::from_ref(mapping), key.clone())),
                "`every_key.yaml` lacks `{key}` of {}",
                mapping["description"]
            );
        }
    }
}

#[test]
fn both_know_the_same_words() {
    let (document, schema, validator) = (yaml(EVERY_KEY), schema(), validator());
    let mut words = 0;
    for pointer in pointers(&document) {
        let Some(expected) = schema_at(&schema, &pointer)["enum"].as_array() else {
            continue;
        };
        let expected = names(expected.iter().filter_map(Value::as_str));
        let stranger = with(&document, &pointer, json!(STRANGER));
        assert!(!validator.is_valid(&stranger), "{pointer}");
        let report = loads(&stranger).unwrap_err();
        let known = known_names(&report).unwrap_or_else(|| panic!("{pointer}: {report}"));
        assert_eq!(known, expected, "{pointer}");
        words += 1;
    }
    assert!(words > 9, "{words}");
}

#[test]
fn both_have_the_same_bounds() {
    let (document, schema, validator) = (yaml(EVERY_KEY), schema(), validator());
    let mut bounds = 0;
    for pointer in pointers(&document) {
        let at = schema_at(&schema, &pointer);
        let (Some(min), Some(max)) = (at["minimum"].as_i64(), at["maximum"].as_i64()) else {
            continue;
        };
        for (value, accepted) in [(min - 1, false), (min, true), (max, true), (max + 1, false)] {
            let changed = with(&document, &pointer, json!(value));
            assert_eq!(validator.is_valid(&changed), accepted, "{pointer} {value}");
            let key = pointer.rsplit('/').next().unwrap();
            let refused = loads(&changed).err().is_some_and(|report| {
                report.contains(&format!("`{key}`: invalid value `{value}`"))
            });
            assert_eq!(!refused, accepted, "{pointer} {value}");
        }
        bounds += 1;
    }
    assert!(bounds > 15, "{bounds}");
}

/// The sections with the most keys. They have separate tests, which run concurrently with the others.
const CHAINS: &str = "/agent_chains";
const PROVIDERS: &str = "/llm_providers";
const UPSTREAMS: [&str; 2] = ["/llm_providers", "/mcp_servers"];

fn is_upstream(place: &str) -> bool {
    UPSTREAMS.iter().any(|section| place.starts_with(section))
}

#[test]
fn all_that_the_schema_refuses_the_loader_refuses() {
    let is_tried = |place: &str| !place.starts_with(CHAINS) && !is_upstream(place);
    let refused = refused_by_both(&without_presets(), is_tried);
    assert!(refused > 150, "{refused}");
}

// The long sections have two tests each, which run concurrently, because on a busy machine one of them takes long.

#[test]
fn what_the_schema_refuses_of_providers_the_loader_refuses() {
    let is_tried = |place: &str| place.starts_with(PROVIDERS);
    let refused = refused_by_both(&without_presets(), is_tried);
    assert!(refused > 50, "{refused}");
}

#[test]
fn what_the_schema_refuses_of_other_upstreams_the_loader_refuses() {
    let is_tried = |place: &str| is_upstream(place) && !place.starts_with(PROVIDERS);
    let refused = refused_by_both(&without_slow_sections(), is_tried);
    assert!(refused > 50, "{refused}");
}

#[test]
fn what_the_schema_refuses_of_chains_the_loader_refuses() {
    let is_tried = |place: &str| place.starts_with(CHAINS) && !is_of_a_late_stage(place);
    let refused = refused_by_both(&without_presets(), is_tried);
    assert!(refused > 125, "{refused}");
}

#[test]
fn what_the_schema_refuses_of_later_stages_the_loader_refuses() {
    let refused = refused_by_both(&without_presets(), is_of_a_late_stage);
    assert!(refused > 125, "{refused}");
}

/// Whether the pointer leads into a stage after the third of a chain.
fn is_of_a_late_stage(place: &str) -> bool {
    place
        .split_once("/stages/")
        .and_then(|(_, rest)| rest.split('/').next()?.parse::<usize>().ok())
        .is_some_and(|stage| stage > 2)
}

/// Tests every key except those of sections that have a separate test or take long to compile.
fn without_slow_sections() -> Value {
    let mut document = yaml(EVERY_KEY);
    let sections = document.as_object_mut().unwrap();
    // Patterns take long to compile, and `data_masking` has the same keys.
    sections.remove("alert_masking");
    // The chain of `knowledge` takes long too. These two have a separate test.
    sections.remove("guardrails");
    sections.remove("knowledge");
    document
}

/// Tests the same without servers of presets. These have a separate test, because each preset is expanded at every
/// load.
fn without_presets() -> Value {
    let mut document = without_slow_sections();
    let servers = document["mcp_servers"].as_object_mut().unwrap();
    servers.retain(|_, server| server.get("preset").is_none());
    document
}

#[test]
fn what_the_schema_refuses_of_knowledge_the_loader_refuses() {
    let every = yaml(EVERY_KEY);
    let knowledge = json!({
        "server": "kubernetes-server", "ssh_server": "hosts", "llm_provider": "gemini", "small_llm_provider": "gemini",
    });
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&knowledge), keys(&every["knowledge"]), "every key");
    let hosts = json!({"approve": "all", "connection_params": {"command": "tarsy"}});
    let document = json!({
        "guardrails": every["guardrails"], "knowledge": knowledge, "mcp_servers": {"hosts": hosts},
    });
    assert_eq!(loads(&document), Ok(()));
    let refused = refused_by_both(&document, |_| true);
    assert!(refused > 100, "{refused}");
}

/// Puts each value at each of these pointers of the document, and checks that the loader refuses everything that the
/// schema refuses. Returns how many were refused.
fn refused_by_both(document: &Value, is_tried: impl Fn(&str) -> bool) -> usize {
    let validator = validator();
    let values = [
        Value::Null,
        json!(true),
        json!(0.5),
        json!("Yes"),
        json!([]),
        json!(["text"]),
        json!([{}]),
        json!({}),
        json!({"text": "text"}),
    ];
    let mut refused = 0;
    for section in document.as_object().unwrap().keys() {
        let alone = with_what_it_needs(section, document);
        let places = pointers(&alone);
        let own = places
            .iter()
            .filter(|place| place.split('/').nth(1) == Some(section.as_str()) && is_tried(place));
        for (pointer, value) in own.flat_map(|place| values.iter().map(move |value| (place, value)))
        {
            let changed = with(&alone, pointer, value.clone());
            if !validator.is_valid(&changed) {
                assert!(
                    loads(&changed).is_err(),
                    "the loader accepts {value} at {pointer}"
                );
                refused += 1;
            }
        }
    }
    refused
}

/// Returns the document with only `section` and the sections that it needs, because the result is loaded hundreds of
/// times.
fn with_what_it_needs(section: &str, document: &Value) -> Value {
    let mut kept = document.clone();
    for other in document.as_object().unwrap().keys() {
        let mut fewer = kept.clone();
        fewer.as_object_mut().unwrap().remove(other);
        if other != section && loads(&fewer).is_ok() {
            kept = fewer;
        }
    }
    assert_eq!(loads(&kept), Ok(()), "{section}");
    kept
}
