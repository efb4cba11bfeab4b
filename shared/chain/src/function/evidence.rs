//! Selects the chunks that an answer may rely on, within a budget.

use serde_json::{Map, Value, json};

use super::citing::id_of;
use super::{list, optional};

/// Default budget, in bytes.
const DEFAULT_BYTES: u64 = 24_000;
/// Smallest useful part of a text, in bytes. If there is less room, the item is omitted.
const LEAST: usize = 400;
/// Space reserved for the mark of a cut, in bytes.
const MARK: usize = 80;
/// How far a cut may move to reach the end of a line or word, in bytes.
const NEAR: usize = 200;

/// `evidence(items, bytes)`: returns chunks with their ids as texts.
///
/// If they exceed the budget, each gets an equal share, and the unused share of short texts goes to the others. A text
/// longer than its share keeps its beginning and its end, with a mark between them.
pub(super) fn evidence(args: &Map<String, Value>) -> Result<Value, String> {
    let items = list(args, "items")?;
    let bytes = optional(args, "bytes", Value::as_u64, "a whole number")?.unwrap_or(DEFAULT_BYTES);
    let budget = usize::try_from(bytes).unwrap_or(usize::MAX);
    let (mut kept, mut least, mut left_out) = (Vec::new(), 0, 0);
    for item in items {
        let text = item.get("text").and_then(Value::as_str);
        let Some((id, text)) = item.get("chunk_id").and_then(id_of).zip(text) else {
            continue;
        };
        let needed = text.len().min(LEAST);
        if least + needed > budget {
            left_out += 1;
            continue;
        }
        least += needed;
        kept.push((id, text, item));
    }
    let share = share(kept.iter().map(|(_, text, _)| text.len()).collect(), budget);
    let is_cut = |(_, text, _): &&(String, &str, &Value)| text.len() > share;
    let cut_ids: Vec<&String> = kept.iter().filter(is_cut).map(|(id, ..)| id).collect();
    let shown = |(id, text, item): &(String, &str, &Value)| {
        let field = |name: &str| item.get(name).cloned().unwrap_or_default();
        json!({"id": id, "collection": field("collection"), "key": field("key"), "text": cut(text, share)})
    };
    let items: Vec<Value> = kept.iter().map(shown).collect();
    Ok(json!({"items": items, "left_out": left_out, "cut": cut_ids}))
}

/// Returns the maximum length for each text so that all fit within the budget.
fn share(mut lengths: Vec<usize>, budget: usize) -> usize {
    lengths.sort_unstable();
    let mut left = budget;
    for (shorter, length) in lengths.iter().enumerate() {
        let share = left / (lengths.len() - shorter);
        if *length > share {
            return share;
        }
        left -= length;
    }
    usize::MAX
}

/// Returns the beginning and end of a text that is longer than `most` bytes. Does not cut a line or a word if one ends
/// nearby: half an address, or a value without its name, would pass the policies that check it next.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let half = most.saturating_sub(MARK) / 2;
    let head = text.floor_char_boundary(half);
    let near = text.get(text.floor_char_boundary(head.saturating_sub(NEAR))..head);
    let near = near.unwrap_or_default();
    let end = near.rfind('\n').or_else(|| near.rfind("\\n"));
    let end = end.or_else(|| near.rfind(is_edge)).unwrap_or(near.len());
    let head = head - near.len() + end;
    let tail = text.ceil_char_boundary(text.len() - half);
    let near = text.get(tail..text.ceil_char_boundary((tail + NEAR).min(text.len())));
    let near = near.unwrap_or_default();
    let start = near.find('\n').or_else(|| near.find("\\n"));
    let start = start.or_else(|| near.find(is_edge)).unwrap_or(0);
    let tail = tail + start;
    let (before, after) = (text.get(..head), text.get(tail..));
    format!(
        "{}\n[.. {} of {} bytes left out ..]\n{}",
        before.unwrap_or_default(),
        tail - head,
        text.len(),
        after.unwrap_or_default().trim_start_matches('\n'),
    )
}

/// Returns whether words of texts and of JSON end before this character.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || ",;|\"\\{}".contains(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(items: Value, bytes: usize) -> Value {
        let args = json!({"items": items, "bytes": bytes});
        evidence(args.as_object().expect("an object")).expect("evidence")
    }

    fn texts(packed: &Value) -> Vec<&str> {
        let items = packed["items"].as_array().expect("items");
        items
            .iter()
            .filter_map(|one| one["text"].as_str())
            .collect()
    }

    #[test]
    fn evidence_keeps_its_budget() {
        let items = json!([{"chunk_id": 7, "text": "1234", "key": "a"}, {"chunk_id": 8, "text": "12345678"}, {"chunk_id": 9, "text": "12"}, {"text": "no id"}]);
        let packed = packed(items, 6);
        assert_eq!(texts(&packed), ["1234", "12"]);
        assert_eq!(
            (&packed["left_out"], &packed["cut"]),
            (&json!(1), &json!([]))
        );
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end_and_short_ones_all() {
        let lines: String = (0..3_000)
            .map(|n| format!("disk-{n} 10.20.30.{}\n", n % 250))
            .collect();
        let items = json!([{"chunk_id": "live", "text": lines}, {"chunk_id": 7, "text": "short"}]);
        let packed = packed(items, 24_000);
        assert_eq!(
            (&packed["left_out"], &packed["cut"]),
            (&json!(0), &json!(["live"]))
        );
        let [long, "short"] = texts(&packed)[..] else {
            panic!("{packed}");
        };
        assert!(
            long.starts_with("disk-0 10.20.30.0\n") && long.ends_with("disk-2999 10.20.30.249\n")
        );
        assert!(long.len() > 20_000, "{}", long.len());
        let mark = format!("of {} bytes left out ..]", lines.len());
        assert_eq!(long.matches(&mark).count(), 1);
        // All lines are complete, even where the text was cut.
        assert!(
            long.lines()
                .all(|line| lines.contains(&format!("{line}\n")) || line.contains(&mark))
        );
    }

    proptest! {
        #[test]
        fn what_is_kept_fits_and_nothing_is_cut_without_need(lengths in prop::collection::vec(0_usize..3_000, 0..20), bytes in 0_usize..20_000) {
            let items: Vec<Value> = lengths.iter().enumerate().map(|(n, length)| json!({"chunk_id": n, "text": "é, ".repeat(*length)})).collect();
            let packed = packed(json!(items), bytes);
            let kept = texts(&packed);
            let used: usize = kept.iter().map(|text| text.len()).sum();
            prop_assert!(used <= bytes, "{} of {}", used, bytes);
            let all: usize = lengths.iter().map(|length| length * "é, ".len()).sum();
            let is_whole = packed["cut"] == json!([]) && packed["left_out"] == 0;
            prop_assert_eq!(is_whole, all <= bytes);
        }
    }
}
