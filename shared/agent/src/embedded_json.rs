//! Finds JSON in the text of a tool, with words around it or cut at its end.

use std::ops::Range;

use serde_json::{Deserializer, Value};

/// Most positions in a text at which JSON is tried.
const MOST_PLACES: usize = 8;

/// Returns the object or array that makes up at least half of a text, and its range. Truncated JSON is closed after
/// its last complete object or array.
pub(crate) fn find(text: &str) -> Option<(Value, Range<usize>)> {
    let starts = starts(text);
    let whole = starts.iter().find_map(|start| {
        let mut values = Deserializer::from_str(&text[*start..]).into_iter::<Value>();
        let value = values.next()?.ok()?;
        let end = start + values.byte_offset();
        ((end - start) * 2 >= text.len()).then_some((value, *start..end))
    });
    whole.or_else(|| {
        // The note after the cut contains brackets too, so leave it out.
        let cut = text.rsplit_once("\n[output cut");
        let text = cut.map_or(text, |(text, _)| text);
        let start = *starts.first()?;
        let (closed, length) = closed(&text[start..])?;
        let value = serde_json::from_str(&closed).ok()?;
        (length * 2 >= text.len()).then_some((value, start..start + length))
    })
}

/// Returns where JSON may begin: at the first bracket, or at the beginning of a line.
fn starts(text: &str) -> Vec<usize> {
    let first = text.find(['{', '[']);
    let mut at = 0;
    let lines = text.split_inclusive('\n').filter_map(|line| {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let begins = line.trim_start().starts_with(['{', '[']);
        begins.then_some(start)
    });
    let mut starts: Vec<usize> = first.into_iter().chain(lines).take(MOST_PLACES).collect();
    starts.dedup();
    starts
}

/// Returns truncated JSON up to its last closing bracket, with the brackets that are still open there closed. Also
/// returns the length of the text that was kept.
fn closed(text: &str) -> Option<(String, usize)> {
    let mut open = Vec::new();
    let mut newest = None;
    let (mut in_text, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' => open.push('}'),
            b'[' => open.push(']'),
            b'}' | b']' => {
                open.pop()?;
                newest = Some((at + 1, open.len()));
            }
            _ => {}
        }
    }
    let (end, depth) = newest?;
    // Brackets opened after that position are cut off.
    open.truncate(depth);
    let mut closed = text[..end].to_owned();
    closed.extend(open.iter().rev());
    Some((closed, end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_with_words_around_it() {
        let value = json!({"items": [{"name": "a"}, {"name": "b ] } \" c"}]});
        for text in [
            value.to_string(),
            format!("{value:#}"),
            format!("Result:\n```json\n{value}\n```"),
            format!("[INFO] done\n{value}\n"),
            format!("found: {value}"),
        ] {
            let (found, place) = find(&text).unwrap_or_else(|| panic!("none in {text}"));
            assert_eq!(found, value, "{text}");
            assert!(text[place].starts_with('{'));
        }
        for none in [
            "",
            "plain",
            "[INFO] a line\n[INFO] a line",
            "{\"a\": 1",
            "see {} there",
        ] {
            assert_eq!(find(none), None, "{none}");
        }
    }

    #[test]
    fn cut_json_keeps_what_is_whole() {
        let text = json!({"data": [{"values": [[1, "2"], [3, "4"]]}]}).to_string();
        let cut = format!(
            "{}\n[output cut: the tool sent 9999 bytes]",
            &text[..text.len() - 8]
        );
        let (found, _) = find(&cut).expect("JSON");
        assert_eq!(found, json!({"data": [{"values": [[1, "2"]]}]}));
    }

    proptest! {
        #[test]
        fn any_text_has_json_or_not(text in "[ {}\\[\\]a\",:\\\\\u{20ac}\n]{0,60}") {
            if let Some((_, place)) = find(&text) {
                prop_assert!(text.get(place).is_some());
            }
        }
    }
}
