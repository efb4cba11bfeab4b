//! Renders a tool call for the person who approves it. The text shows everything that will run.

use std::fmt::Write as _;

use serde_json::Value;
use unicode_security::GeneralSecurityProfile as _;
use unicode_security::mixed_script::is_potential_mixed_script_confusable_char;

/// Longest run of blanks that is shown as it is. A longer one could push the rest out of sight.
const LONGEST_BLANK: usize = 20;

/// Renders a call that waits for approval: its tool, its effect, and its complete arguments as indented JSON. Cards,
/// dialogs, messages and the command line show this text and nothing else of the call.
///
/// `call` is the stored call: `server`, `tool`, `effect` and `arguments`. Characters that a reader could not see, or
/// could mistake for others, are escaped by [`visible`].
#[must_use]
pub fn shown_call(call: &Value) -> String {
    let text = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
    let arguments = call.get("arguments").filter(|value| !value.is_null());
    let arguments = arguments.map_or_else(|| "{}".to_owned(), |value| format!("{value:#}"));
    let (server, tool, effect) = (text("server"), text("tool"), text("effect"));
    let effect = effect.replace('_', " ");
    visible(&format!("{server}.{tool} ({effect})\n{arguments}"))
}

/// Makes hidden characters of a text visible. Invisible characters, those that change the direction of writing, and
/// letters that look like others are written as `\u{202e}`. More than 20 blanks are written as `⟨2600 blanks⟩`. Line
/// breaks and the indentation after them stay.
///
/// In JSON the notation is unambiguous, because JSON doubles a backslash that is part of a string.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_indentation = true;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            ' ' => rest.find(|c| c != ' ').unwrap_or(rest.len()),
            _ if first.is_alphanumeric() => {
                let ends = |c: char| !c.is_alphanumeric();
                rest.find(ends).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (part, after) = rest.split_at(end);
        match first {
            ' ' if !is_indentation && part.len() > LONGEST_BLANK => {
                // Writing to a String can't fail.
                let _ = write!(shown, "⟨{} blanks⟩", part.len());
            }
            ' ' => shown.push_str(part),
            _ if first.is_alphanumeric() => push_word(&mut shown, part),
            '\n' => shown.push('\n'),
            _ if is_hidden(first) => push_escaped(&mut shown, first),
            _ => shown.push(first),
        }
        is_indentation = first == '\n';
        rest = after;
    }
    shown
}

/// Appends a word, with look-alike letters escaped.
fn push_word(shown: &mut String, word: &str) {
    if word.is_ascii() {
        return shown.push_str(word);
    }
    // Latin letters with diacritics are not escaped: readers can distinguish them from plain ones.
    let is_latin = |c: char| matches!(c, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    let is_double = |c: char| !is_latin(c) && is_potential_mixed_script_confusable_char(c);
    // In a word of another script such letters are genuine, unless the word consists of nothing else.
    let is_mixed = word.contains(|c: char| c.is_ascii_alphanumeric());
    let are_all_doubles = word.chars().all(is_double);
    for c in word.chars() {
        let is_deceptive = is_double(c) && (is_mixed || are_all_doubles);
        if is_hidden(c) || is_deceptive || !c.identifier_allowed() {
            push_escaped(shown, c);
        } else {
            shown.push(c);
        }
    }
}

fn push_escaped(shown: &mut String, c: char) {
    // Writing to a String can't fail.
    let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
}

/// Whether a character is invisible, is a blank other than the ordinary one, or changes the direction of writing. These
/// are control characters, those of `Default_Ignorable_Code_Point` (Unicode, DerivedCoreProperties.txt), format
/// characters, blanks beyond ASCII, and private-use characters, which each font draws differently.
#[must_use]
pub const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{a0}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{115f}'..='\u{1160}'
            | '\u{1680}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3000}'
            | '\u{3164}'
            | '\u{e000}'..='\u{f8ff}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{10ffff}'
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(arguments: Value) -> String {
        shown_call(&json!({
            "server": "hosts", "tool": "run_command", "effect": "destructive", "arguments": arguments,
        }))
    }

    #[test]
    fn blanks_push_nothing_out_of_sight() {
        let command = format!("ls /tmp{}; rm -rf /", " ".repeat(2_600));
        assert_eq!(
            shown(json!({ "command": command })),
            "hosts.run_command (destructive)\n{\n  \"command\": \"ls /tmp⟨2600 blanks⟩; rm -rf /\"\n}"
        );
        assert!(shown(json!({"a": format!("x{}y", " ".repeat(20))})).contains(&" ".repeat(20)));
        let deep = (0..30).fold(json!("x"), |inner, _| json!({ "a": inner }));
        assert!(!shown(deep).contains("blanks"), "indentation is none");
    }

    #[test]
    fn what_can_not_be_seen_is_written_out() {
        for (hidden, escaped) in [
            ("\u{202e}", r"\u{202e}"),
            ("\u{200b}", r"\u{200b}"),
            ("\u{e0072}\u{e006d}", r"\u{e0072}\u{e006d}"),
            ("\u{3164}", r"\u{3164}"),
            ("\u{a0}", r"\u{a0}"),
            ("\u{2028}", r"\u{2028}"),
        ] {
            let text = shown(json!({"a": format!("x{hidden}y")}));
            assert!(text.contains(&format!("x{escaped}y")), "{text}");
            assert!(!text.contains(hidden), "{text}");
        }
        // Text that the model wrote out differs from text that it hid.
        assert!(shown(json!({"a": r"\u{202e}"})).contains(r"\\u{202e}"));
        assert!(shown(json!({"a": "b\nc\u{1b}[0m"})).contains(r"b\nc\u001b[0m"));
        // The same applies to the name of a tool and of an argument.
        let call = json!({"server": "s", "tool": "t\u{200d}u", "arguments": {"n\u{2066}": 1}});
        let text = shown_call(&call);
        assert!(
            text.contains(r"t\u{200d}u") && text.contains(r"n\u{2066}"),
            "{text}"
        );
    }

    #[test]
    fn confusable_letters_are_written_out() {
        for (word, escaped) in [
            ("p\u{430}yments", r"p\u{430}yments"),
            ("\u{430}\u{440}\u{440}", r"\u{430}\u{440}\u{440}"),
            ("\u{ff52}\u{ff4d}", r"\u{ff52}\u{ff4d}"),
            ("\u{1d42b}m", r"\u{1d42b}m"),
        ] {
            assert_eq!(visible(word), escaped);
        }
        for word in [
            "größe",
            "платежи",
            "namespace",
            "日本語",
            "naïve",
            "δοκιμή",
            "x → y ✓",
        ] {
            assert_eq!(visible(word), word);
        }
    }
}
