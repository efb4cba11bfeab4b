//! Wrapped tokens, and lines that only follow text similar to the beginning of a token.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tarsy_masking::Masker;

use crate::corpus::Random;

/// A token format: its prefix, the alphabet and the least length of the rest, and whether that length is exact.
struct Format {
    prefix: &'static str,
    alphabet: char,
    least: usize,
    is_exact: bool,
}

fn formats() -> Vec<Format> {
    let mut formats = Vec::new();
    let mut is_hash = false;
    for line in include_str!("../../src/data/formats.txt").lines() {
        if let Some(section) = line.strip_prefix('[') {
            is_hash = section.starts_with("password_hash");
        }
        let mut words = line.split_whitespace();
        let (Some(class), Some(length)) = (words.next(), words.next()) else {
            continue;
        };
        let exact = length.strip_prefix('=');
        let Ok(least) = exact.unwrap_or(length).parse() else {
            continue;
        };
        let alphabet = match class.split('+').next().unwrap() {
            "hex" => 'h',
            "base32" => 'u',
            "base36" => 'n',
            "digit" => 'd',
            _ => 'a',
        };
        if !is_hash && alphabet != 'd' {
            formats.extend(
                words
                    .filter(|word| !word.contains('`'))
                    .map(|prefix| Format {
                        prefix,
                        alphabet,
                        least,
                        is_exact: exact.is_some(),
                    }),
            );
        }
    }
    assert!(formats.len() > 200, "{}", formats.len());
    formats
}

const BREAKS: [&str; 6] = ["\n", "\r\n", "\n    ", "\n\t", "\\n", "\\\n"];

#[test]
fn a_token_that_continues_in_the_next_line_is_masked_with_all_its_parts() {
    let (masker, mut random) = (Masker::group("security").unwrap(), Random::new(61));
    let (mut all, mut missed) = (0, Vec::new());
    for format in formats() {
        for _ in 0..6 {
            let body = random.text(&format!("{}{}", format.alphabet, format.least));
            let at = 1 + random.below(format.least - 1);
            let (first, second) = body.split_at(at);
            let gap = BREAKS[random.below(BREAKS.len())];
            let text = format!(
                "the token is {}{first}{gap}{second}\nkeep this line\n",
                format.prefix
            );
            let masked = masker.mask(&text).text;
            all += 1;
            let shown = |part: &str| part.len() >= 6 && masked.contains(part);
            if shown(first) || shown(second) {
                missed.push(format!("{text:?}: {masked:?}"));
            }
            assert!(masked.ends_with("keep this line\n"), "{masked}");
            assert_eq!(masker.mask(&masked).text, masked);
        }
    }
    // A part that has no digit by chance is taken for words. Most tokens are longer than these.
    assert!(
        missed.len() * 33 < all,
        "{} of {all}: {missed:#?}",
        missed.len()
    );
}

#[test]
fn a_long_token_that_a_terminal_folds_is_masked_whole() {
    let (masker, mut random) = (Masker::group("security").unwrap(), Random::new(67));
    let (mut all, mut missed) = (0, Vec::new());
    for format in formats().into_iter().filter(|format| !format.is_exact) {
        let body = random.text(&format!(
            "{}{}",
            format.alphabet,
            format.least.max(90) + 110
        ));
        let line = format!("export SERVICE_TOKEN={}{body}", format.prefix);
        let folded: Vec<&str> = line
            .as_bytes()
            .chunks(80)
            .map(|part| std::str::from_utf8(part).unwrap())
            .collect();
        let text = folded.join("\n") + "\nkeep this line\n";
        let masked = masker.mask(&text).text;
        all += 1;
        if folded[1..]
            .iter()
            .any(|part| part.len() >= 8 && masked.contains(part))
        {
            missed.push(format!("{text}{masked}"));
        }
        assert!(masked.ends_with("keep this line\n"), "{masked}");
    }
    assert!(
        missed.len() * 50 < all,
        "{} of {all}: {missed:#?}",
        missed.len()
    );
}

#[test]
fn a_folded_web_token_is_masked_whole() {
    let (masker, mut random) = (Masker::group("security").unwrap(), Random::new(71));
    let (mut all, mut missed) = (0, 0);
    for width in [32, 40, 57, 64, 76, 80, 100, 132] {
        for gap in BREAKS {
            let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256","typ":"JWT","kid":"a1"}"#);
            let name = random.text("a24");
            let payload =
                format!(r#"{{"sub":"{name}","iss":"https://login.example.com","scope":"read"}}"#);
            let payload = URL_SAFE_NO_PAD.encode(payload);
            let signature = random.text("w342");
            let token = format!("{header}.{payload}.{signature}");
            let folded: Vec<&str> = token
                .as_bytes()
                .chunks(width)
                .map(|part| std::str::from_utf8(part).unwrap())
                .collect();
            let text = format!(
                "Authorization: Bearer {}\nkeep this line\n",
                folded.join(gap)
            );
            let masked = masker.mask(&text).text;
            all += 1;
            let mut parts = folded.iter().filter(|part| part.len() >= 10);
            missed += usize::from(parts.any(|part| masked.contains(*part)));
            assert!(masked.ends_with("keep this line\n"), "{masked}");
        }
    }
    // A last part without a digit, for example, is taken for a word.
    assert!(missed * 20 < all, "{missed} of {all}");
}

#[test]
fn what_follows_a_prefix_or_a_token_on_the_next_line_stays() {
    let (masker, mut random) = (Masker::group("security").unwrap(), Random::new(73));
    let lines = [
        "kubectl get pods -n shop",
        "the next line says 4 things",
        "- name: web",
        "retry_count: 5",
        "shop-api-7d9f8b6c5-x2x9z 1/1 Running",
        "2026-01-02T03:04:05Z INFO started",
        "/var/lib/kubelet/pods/3f1c/volumes",
        "func NewClient(ctx context.Context)",
        "REGION=eu-central-1",
        "ingress-nginx-controller-admission",
        "v1.28.3",
        "",
    ];
    for format in formats() {
        for line in lines {
            for start in ["", "x", "abc"] {
                let text = format!("see {}{start}\n{line}\n", format.prefix);
                let masked = masker.mask(&text).text;
                assert!(
                    masked.ends_with(&format!("\n{line}\n")),
                    "{text:?}: {masked:?}"
                );
            }
            let body = random.text(&format!("{}{}", format.alphabet, format.least.max(60)));
            let body = if format.is_exact {
                &body[..format.least]
            } else {
                &body
            };
            let text = format!(
                "2026-01-02 the deployment used {}{body}\n{line}\n",
                format.prefix
            );
            let masked = masker.mask(&text).text;
            assert!(
                masked.ends_with(&format!("\n{line}\n")),
                "{text:?}: {masked:?}"
            );
        }
    }
}
