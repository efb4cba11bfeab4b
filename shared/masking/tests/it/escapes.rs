//! Needless escapes of encoders and invisible characters do not hide a secret.

use serde_json::{Value, json};
use tarsy_masking::Masker;

use crate::corpus::{Random, Sample, is_gone, negatives, positives, sre, vendor_samples, wild};

/// How an encoder writes a character that it escapes; `None`: unchanged.
type Escaper = fn(char) -> Option<String>;

fn unicode(character: char) -> String {
    let mut units = [0; 2];
    let units = character.encode_utf16(&mut units).iter();
    units.map(|unit| format!("\\u{unit:04x}")).collect()
}

fn escaped(character: char, is_escaped: bool) -> Option<String> {
    is_escaped.then(|| unicode(character))
}

/// The escapers of PHP (with and without its `JSON_HEX_*`), Go, Python, Ruby on Rails and .NET.
const ESCAPERS: [(&str, Escaper); 6] = [
    ("php", |c| match c {
        '/' => Some("\\/".to_owned()),
        _ => escaped(c, !c.is_ascii()),
    }),
    ("php in hexadecimal", |c| match c {
        '/' => Some("\\/".to_owned()),
        _ => escaped(c, !c.is_ascii() || "<>&'".contains(c)),
    }),
    ("go", |c| escaped(c, "<>&\u{2028}\u{2029}".contains(c))),
    ("python", |c| escaped(c, !c.is_ascii())),
    ("rails", |c| match c {
        '=' => Some("\\u003D".to_owned()),
        _ => escaped(c, "<>&".contains(c)),
    }),
    ("dotnet", |c| {
        escaped(c, !c.is_ascii() || "<>&'+`=".contains(c))
    }),
];

fn escape(text: &str, escaper: Escaper) -> String {
    let written = |c: char| escaper(c).unwrap_or_else(|| c.to_string());
    text.chars().map(written).collect()
}

fn corpus() -> Vec<String> {
    let samples = positives().into_iter().chain(vendor_samples());
    let samples = samples.chain(wild().0).chain(sre().0);
    let clean = negatives().into_iter().chain(wild().1).chain(sre().1);
    samples
        .map(|sample: Sample| sample.text)
        .chain(clean)
        .collect()
}

/// Whether an escape would follow a backslash and so belong to another escape.
fn is_ambiguous(text: &str, escaper: Escaper) -> bool {
    let after = text
        .match_indices('\\')
        .filter_map(|(at, _)| text[at + 1..].chars().next());
    after.into_iter().any(|c| escaper(c).is_some())
}

#[test]
fn a_text_is_masked_alike_for_every_escaping() {
    for group in ["security", "all"] {
        let masker = Masker::group(group).unwrap();
        for text in corpus() {
            let masked = masker.mask(&text).text;
            for (name, escaper) in ESCAPERS {
                if is_ambiguous(&text, escaper) {
                    continue;
                }
                let written = escape(&text, escaper);
                let found = masker.try_mask(&written).unwrap().text;
                assert_eq!(found, escape(&masked, escaper), "{name}: {text}");
            }
        }
    }
}

/// Returns a document with escaped strings: `"` and `\` as usual, others as this encoder does it.
fn document(text: &str, escaper: Escaper) -> String {
    let plain = json!({"log": text, text: {"deep": [text, 5]}}).to_string();
    let mut written = String::new();
    let mut is_escape = false;
    for character in plain.chars() {
        let own = if is_escape { None } else { escaper(character) };
        is_escape = character == '\\' && !is_escape;
        written.push_str(&own.unwrap_or_else(|| character.to_string()));
    }
    written
}

#[test]
fn a_document_and_one_within_another_is_masked_alike_for_every_escaping() {
    let masker = Masker::group("security").unwrap();
    let parsed = |text: &str| -> Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    for text in corpus() {
        let masked = masker.mask(&document(&text, |_| None)).text.into_owned();
        let nested = masker
            .mask(&document(&document(&text, |_| None), |_| None))
            .text
            .into_owned();
        for (name, escaper) in ESCAPERS {
            let found = masker
                .try_mask(&document(&text, escaper))
                .unwrap()
                .text
                .into_owned();
            assert_eq!(parsed(&found), parsed(&masked), "{name}: {text}");
            let twice = document(&document(&text, escaper), |_| None);
            let found = masker.try_mask(&twice).unwrap().text.into_owned();
            let inner = |text: &str| parsed(parsed(text)["log"].as_str().unwrap());
            if serde_json::from_str::<Value>(parsed(&nested)["log"].as_str().unwrap()).is_ok() {
                assert_eq!(inner(&found), inner(&nested), "{name} twice: {text}");
            }
        }
    }
}

#[test]
fn escaped_keys_and_values_are_read() {
    let masker = Masker::group("security").unwrap();
    for text in [
        r#"{"dsn":"https:\/\/admin:hunter#2x@db.example.com\/"}"#,
        r#"{"xml":"\u003cpassword\u003ehunter#2x\u003c/password\u003e"}"#,
        r#"{"env":"DB_PASS\u003dhunter#2x"}"#,
        r#"{"env":"DB_PASS\u003Dhunter#2x\u000aHOME\u003d/root"}"#,
        r#"{"p\u0061ssword":"hunter#2x"}"#,
        r#"{"\u0070\u0061\u0073\u0073\u0077\u006f\u0072\u0064":"hunter#2x"}"#,
        r#"{"log":"{\u0022password\u0022:\u0022hunter#2x\u0022}"}"#,
        r#"{"log":"{\"env\":\"DB_PASS\\u003dhunter#2x\"}"}"#,
        r#"{"log":"{\"url\":\"https:\\\/\\\/admin:hunter#2x@db\\\/\"}"}"#,
        r#"10.0.0.1 "POST /login" "{\x22password\x22:\x22hunter#2x\x22}""#,
        r#"body={\x22password\x22: \x22hunter#2x\x22}"#,
        r#"'DB_PASS\u{3d}hunter#2x'"#,
        r#"password\U0000003dhunter#2x"#,
    ] {
        let masked = masker.mask(text).text;
        assert!(is_gone("hunter#2x", &masked), "{masked}");
        assert!(masked.contains("[MASKED_"), "{masked}");
        assert_eq!(masker.mask(&masked).text, masked, "twice");
    }
    let value = json!({"pass\u{200b}word": "hunter#2x", "se\u{ad}cret": "hunter#2x"});
    let (masked, _) = masker.mask_json(&value);
    assert!(is_gone("hunter#2x", &masked.to_string()), "{masked}");
}

/// Invisible characters: class Cf, and other joiners, fillers and selectors.
const INVISIBLE: [char; 14] = [
    '\u{200b}',
    '\u{200c}',
    '\u{200d}',
    '\u{feff}',
    '\u{ad}',
    '\u{202e}',
    '\u{2066}',
    '\u{2060}',
    '\u{61c}',
    '\u{180e}',
    '\u{34f}',
    '\u{fe0f}',
    '\u{e0041}',
    '\u{1d173}',
];

#[test]
fn invisible_characters_change_nothing() {
    let masker = Masker::group("security").unwrap();
    let mut random = Random::new(3);
    for text in corpus() {
        let masked = masker.mask(&text).text;
        let mut spread = String::new();
        for character in text.chars() {
            if random.below(4) == 0 {
                spread.push(INVISIBLE[random.below(INVISIBLE.len())]);
            }
            spread.push(character);
        }
        let found = masker.try_mask(&spread).unwrap().text.into_owned();
        let drawn = |text: &str| text.replace(INVISIBLE, "");
        assert_eq!(drawn(&found), drawn(&masked), "{spread:?}");
        assert_eq!(masker.mask(&found).text, found, "twice");
    }
}
