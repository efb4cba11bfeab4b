//! Functions that prepare search results and check the citations of an answer.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{list, optional};

/// Number of characters of a cited text that are shown with the answer.
const SHOWN: usize = 300;
/// Maximum number of citations of an answer.
const MOST: usize = 50;
/// Maximum length of a citation that is looked up, in bytes.
const LONGEST: usize = 80;

/// `normalize(text)`: replaces each run of white space with a single space.
pub(super) fn normalize(args: &Map<String, Value>) -> Result<Value, String> {
    let text = args.get("text").and_then(Value::as_str);
    let text = text.ok_or("`text` must be a text")?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(json!({ "text": text }))
}

/// `dedupe(lists, by, limit)`: returns the items of all lists, one per value of the field. Items without the field are
/// omitted.
pub(super) fn dedupe(args: &Map<String, Value>) -> Result<Value, String> {
    let by = args.get("by").and_then(Value::as_str);
    let by = by.ok_or("`by` must be a text")?;
    let limit = optional(args, "limit", Value::as_u64, "a whole number")?;
    let limit = limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    let (mut seen, mut kept) = (BTreeSet::new(), Vec::new());
    for items in list(args, "lists")? {
        let items = match items {
            Value::Null => continue,
            items => items.as_array().ok_or("`lists` must be a list of lists")?,
        };
        for item in items {
            let Some(key) = item.get(by).filter(|key| !key.is_null()) else {
                continue;
            };
            if kept.len() < limit && seen.insert(key.to_string()) {
                kept.push(item.clone());
            }
        }
    }
    Ok(Value::Array(kept))
}

/// `cite(answer, citations, evidence, denied, redaction_flags, errors)`: the answer, if evidence supports it.
///
/// A citation that is not in the evidence is invented. It is listed, and its mark is removed from the answer. If all
/// citations are invented, or there are none, no answer is given. `errors` are lookups that failed or were refused; if
/// there is no answer, they are given as the reason.
pub(super) fn cite(args: &Map<String, Value>) -> Result<Value, String> {
    let answer = optional(args, "answer", Value::as_str, "a text")?.unwrap_or_default();
    let denied = optional(args, "denied", Value::as_bool, "true or false")?.unwrap_or(false);
    let evidence = list(args, "evidence")?;
    let known = |id: &str| evidence.iter().find(|one| one["id"] == id);
    let mut cited: Vec<String> = Vec::new();
    let listed = list(args, "citations")?.iter().filter_map(id_of);
    let marked = marks(answer).filter(|id| is_number(id) || known(id).is_some());
    for id in listed.chain(marked).take(MOST) {
        if !cited.contains(&id) {
            cited.push(id);
        }
    }
    let (supported, invented): (Vec<_>, Vec<_>) =
        cited.into_iter().partition(|id| known(id).is_some());
    let mut cleaned = answer.trim().to_owned();
    for id in &invented {
        let mark = format!("[{id}]");
        cleaned = cleaned.replace(&format!(" {mark}"), "").replace(&mark, "");
    }
    let is_supported = !denied && !cleaned.is_empty() && !supported.is_empty();
    let sources: Vec<Value> = match is_supported {
        false => Vec::new(),
        true => supported
            .iter()
            .filter_map(|id| known(id))
            .map(shown)
            .collect(),
    };
    let errors = texts(args, "errors")?;
    let text = match (is_supported, denied) {
        (true, _) => with_sources(&cleaned, &sources, &invented, &errors),
        (_, true) => "The answer is withheld: a policy denies it.".to_owned(),
        (false, _) if errors.is_empty() => {
            "I don't know: the knowledge store has nothing that supports an answer.".to_owned()
        }
        (false, _) if evidence.is_empty() => {
            format!(
                "There is no answer, because this failed or was refused:\n\n{}",
                listed_as(&errors)
            )
        }
        (false, _) => format!(
            "What was found supports no answer, and this failed or was refused:\n\n{}",
            listed_as(&errors)
        ),
    };
    Ok(json!({
        "text": text,
        "answer": is_supported.then_some(cleaned),
        "supported": is_supported,
        "denied": denied,
        "citations": sources,
        "invented": invented,
        "redaction_flags": flags(args)?,
        "errors": errors,
    }))
}

/// Merges the findings of several guards into one list. Findings of the same policy, action and kind become one entry,
/// with the sum of their counts.
fn flags(args: &Map<String, Value>) -> Result<Vec<Value>, String> {
    let lists = optional(args, "redaction_flags", Value::as_array, "a list of lists")?;
    let lists = lists.into_iter().flatten().filter_map(Value::as_array);
    let mut merged: Vec<Value> = Vec::new();
    for flag in lists.flatten() {
        let is_same = |other: &&mut Value| {
            let same = |name: &&str| other.get(*name) == flag.get(*name);
            ["policy", "action", "kind"].iter().all(same)
        };
        match merged.iter_mut().find(is_same) {
            None => merged.push(flag.clone()),
            Some(first) => {
                let count = |flag: &Value| flag["count"].as_u64().unwrap_or_default();
                let sum = count(first).saturating_add(count(flag));
                if let Some(first) = first.as_object_mut() {
                    first.insert("count".to_owned(), json!(sum));
                }
            }
        }
    }
    Ok(merged)
}

/// Returns the texts of a list. Items that are not texts are omitted.
fn texts<'a>(args: &'a Map<String, Value>, name: &str) -> Result<Vec<&'a str>, String> {
    let list = optional(args, name, Value::as_array, "a list of texts")?;
    Ok(list
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect())
}

fn listed_as(errors: &[&str]) -> String {
    let lines = errors.iter().map(|error| format!("- {error}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the marks in a text, such as `[123]`.
fn marks(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split('[').skip(1);
    parts.filter_map(|part| {
        let (inner, _) = part.split_once(']')?;
        let is_id = |c: char| c.is_ascii_alphanumeric() || "-_:".contains(c);
        let fits = !inner.is_empty() && inner.len() <= LONGEST && inner.chars().all(is_id);
        fits.then(|| inner.to_owned())
    })
}

/// Returns whether an id is a number, as ids of chunks are. Other words in brackets, such as `[ERROR]` or the marks of
/// masking, are not citations.
fn is_number(id: &str) -> bool {
    id.bytes().all(|b| b.is_ascii_digit())
}

/// Reads an id from a number or a short text.
pub(super) fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => {
            let text = text.trim().trim_start_matches('[').trim_end_matches(']');
            (!text.is_empty() && text.len() <= LONGEST).then(|| text.to_owned())
        }
        _ => None,
    }
}

fn shown(one: &Value) -> Value {
    let text = one["text"].as_str().unwrap_or_default();
    let text = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    json!({"id": one["id"], "collection": one["collection"], "key": one["key"], "text": text})
}

fn with_sources(answer: &str, sources: &[Value], invented: &[String], errors: &[&str]) -> String {
    let mut text = format!("{answer}\n\nSources:\n");
    for source in sources {
        let id = source["id"].as_str().unwrap_or_default();
        let first = source["text"].as_str().and_then(|text| text.lines().next());
        let place = match (source["collection"].as_str(), source["key"].as_str()) {
            (Some(collection), Some(key)) => format!("{collection} {key}: "),
            _ => String::new(),
        };
        text.push_str(&format!("- [{id}] {place}{}\n", first.unwrap_or_default()));
    }
    if !invented.is_empty() {
        text.push_str("\nThe model also cited what does not exist; read the answer with care.\n");
    }
    if !errors.is_empty() {
        text.push_str(&format!(
            "\nThis failed or was refused:\n{}\n",
            listed_as(errors)
        ));
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(value: Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    fn evidence_of(ids: &[&str]) -> Value {
        let one = |id: &&str| json!({"id": id, "collection": "hosts", "key": "H-1", "text": format!("text {id}\nmore")});
        ids.iter().map(one).collect()
    }

    #[test]
    fn items_of_several_lists_are_kept_once() {
        let lists = json!([[{"chunk_id": 1}, {"chunk_id": 2}], null, [{"chunk_id": 1}, {"x": 1}, {"chunk_id": null}, {"chunk_id": "sql"}]]);
        let kept = dedupe(&args(json!({"lists": lists, "by": "chunk_id"})));
        assert_eq!(
            kept,
            Ok(json!([{"chunk_id": 1}, {"chunk_id": 2}, {"chunk_id": "sql"}]))
        );
        let kept = dedupe(&args(json!({"lists": lists, "by": "chunk_id", "limit": 1})));
        assert_eq!(kept, Ok(json!([{"chunk_id": 1}])));
        assert!(dedupe(&args(json!({"lists": [1], "by": "x"}))).is_err());
    }

    #[test]
    fn an_answer_is_given_with_what_supports_it() {
        let cited = cite(&args(json!({
            "answer": "It is in r07 [7], [ERROR] at [MASKED_IPV4].", "citations": [7, "[8]"], "evidence": evidence_of(&["7", "8", "9"]),
            "redaction_flags": [[{"policy": "a", "kind": "ipv4", "count": 3}], null, [{"policy": "b", "kind": "ipv4", "count": 1}, {"policy": "a", "kind": "ipv4", "count": 1}]],
        })))
        .expect("cited");
        assert_eq!(
            (&cited["supported"], &cited["invented"]),
            (&json!(true), &json!([]))
        );
        assert_eq!(cited["citations"].as_array().map(Vec::len), Some(2));
        let text = cited["text"].as_str().expect("text");
        assert!(
            text.starts_with(
                "It is in r07 [7], [ERROR] at [MASKED_IPV4].\n\nSources:\n- [7] hosts H-1: text 7\n"
            ),
            "{text}"
        );
        assert_eq!(
            cited["redaction_flags"],
            json!([{"policy": "a", "kind": "ipv4", "count": 4}, {"policy": "b", "kind": "ipv4", "count": 1}])
        );
    }

    #[test]
    fn an_invented_citation_is_removed_and_reported() {
        let all = json!({"answer": "Yes [7], see [99].", "citations": ["7", "99"], "evidence": evidence_of(&["7"])});
        let cited = cite(&args(all)).expect("cited");
        assert_eq!(
            (&cited["supported"], &cited["invented"]),
            (&json!(true), &json!(["99"]))
        );
        let text = cited["text"].as_str().expect("text");
        assert!(
            text.starts_with("Yes [7], see.") && text.contains("does not exist"),
            "{text}"
        );
    }

    #[test]
    fn an_answer_that_nothing_supports_is_not_given() {
        for (answer, citations, denied) in [
            (json!("Surely [99]."), json!(["99"]), false),
            (json!("Surely."), json!([]), false),
            (json!(null), json!(["7"]), false),
            (json!("It is 7 [7]."), json!(["7"]), true),
        ] {
            let all = json!({"answer": answer, "citations": citations, "evidence": evidence_of(&["7"]), "denied": denied});
            let cited = cite(&args(all)).expect("cited");
            assert_eq!(
                (&cited["supported"], &cited["answer"]),
                (&json!(false), &Value::Null)
            );
            let text = cited["text"].as_str().expect("text");
            assert_eq!(text.contains("withheld"), denied, "{text}");
            assert!(!text.contains("Surely"), "{text}");
        }
    }

    #[test]
    fn errors_are_reported_with_and_without_an_answer() {
        let refused = "SQL: the statement was refused: only SELECT is allowed";
        for (answer, evidence, expected) in [
            (json!(null), evidence_of(&[]), "There is no answer, because"),
            (
                json!(""),
                evidence_of(&["7"]),
                "What was found supports no answer, and",
            ),
            (
                json!("Yes [7]."),
                evidence_of(&["7"]),
                "Yes [7].\n\nSources:",
            ),
        ] {
            let all = json!({"answer": answer, "citations": [], "evidence": evidence, "errors": [null, refused]});
            let cited = cite(&args(all)).expect("cited");
            let text = cited["text"].as_str().expect("text");
            assert!(
                text.starts_with(expected) && text.ends_with(&format!("\n- {refused}")),
                "{text}"
            );
            assert!(!text.contains("I don't know"), "{text}");
            assert_eq!(cited["errors"], json!([refused]));
        }
    }
}
