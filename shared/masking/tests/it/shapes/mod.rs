//! Texts that are generated at run time: notations by names by values, each also with a value that is not a secret.

mod formats;
mod operators;
mod structure;
mod tables;

use super::corpus::Random;
use tarsy_masking::Masker;

/// Notations. `@` is the name, and `%` the value.
const NOTATIONS: &[(&str, &str)] = &[
    ("json", "{\"region\":\"eu\",\"@\":\"%\"}"),
    ("json pretty", "{\n  \"@\": \"%\",\n  \"n\": 1\n}"),
    ("json in json", "{\"msg\":\"{\\\"@\\\":\\\"%\\\"}\"}"),
    (
        "json line in a log",
        "2026-01-02T03:04:05Z INFO started {\"@\":\"%\"}",
    ),
    ("yaml", "app:\n  @: %\n  port: 80\n"),
    ("yaml quoted", "app:\n  @: '%'\n"),
    ("yaml flow", "app: {@: %, port: 80}\n"),
    ("yaml block", "@: |-\n  %\nport: 80\n"),
    ("toml", "[app]\n@ = \"%\"\nport = 80\n"),
    ("ini", "[app]\n@ = %\n; end\n"),
    ("env", "PORT=80\n@=%\n"),
    ("export", "export @=\"%\""),
    ("xml attribute", "<app @=\"%\" port=\"80\"/>"),
    ("xml element", "<app><@>%</@></app>"),
    ("hcl", "variable \"@\" {\n  default = \"%\"\n}"),
    ("shell flag", "./run --@ % --verbose"),
    ("shell flag with equals", "./run --@=% --verbose"),
    ("log", "time=3 level=info @=% region=eu"),
    ("markdown", "Set @ to `%`, see below.\n\n    @: %\n"),
    ("python", "@ = \"%\"\nprint(1)\n"),
    ("javascript", "const config = { @: '%' };"),
    ("typescript", "const @: string = \"%\";"),
    ("go", "const @ = \"%\"\n"),
    ("rust", "let @ = \"%\".to_owned();"),
    ("java", "private static final String @ = \"%\";"),
    ("csharp", "var @ = \"%\";"),
    ("ruby", "config.@ = '%'"),
    ("php", "define('@', '%');"),
    ("kotlin", "val @ = \"%\""),
    ("header", "curl -H \"X-@: %\" https://host.example/v1"),
    ("query", "GET https://host.example/v1?page=2&@=% HTTP/1.1"),
    ("kubernetes", "env:\n- name: @\n  value: \"%\"\n"),
    (
        "kubernetes, value first",
        "env:\n- value: \"%\"\n  name: @\n",
    ),
    ("docker", "docker run -e @=% image"),
    ("connection string", "Server=x;@=%;Encrypt=true"),
    ("table", "Key         Value\n---         -----\n@     %\n"),
];

/// Syllables for names of vendors that are on no list.
const SYLLABLES: &[&str] = &[
    "zor", "kly", "bim", "fex", "quo", "vel", "nto", "pli", "mox", "tam", "gri", "sko", "wen",
    "jor",
];
const SECRET_NAMES: &[&str] = &[
    "$_api_key",
    "$Token",
    "$_secret",
    "$_password",
    "$_auth_token",
    "$ApiKey",
];
const HARMLESS_NAMES: &[&str] = &[
    "$_trace_id",
    "$_uid",
    "$_commit",
    "$_volume_id",
    "$_checksum",
    "$_digest",
];
const SECRETS: &[&str] = &[
    "h32", "h40", "h64", "n24", "n32", "n40", "a20", "a32", "a40", "w44", "a64",
];

fn vendor(random: &mut Random) -> String {
    let mut part = || SYLLABLES[random.below(SYLLABLES.len())];
    [part(), part(), part()].concat()
}

fn named(names: &[&str], random: &mut Random) -> String {
    let name = names[random.below(names.len())];
    name.replace('$', &vendor(random))
}

fn text(notation: &str, name: &str, value: &str) -> String {
    notation.replace('@', name).replace('%', value)
}

/// Returns an id as used by clouds, clusters and traces.
fn id(random: &mut Random) -> String {
    let mut hex = |n: usize| random.text(&format!("h{n}"));
    match hex(1).as_bytes()[0] % 5 {
        0 => format!("{}-{}-{}-{}-{}", hex(8), hex(4), hex(4), hex(4), hex(12)),
        1 => format!("vol-{}", hex(17)),
        2 => hex(32),
        3 => format!("00-{}-{}-01", hex(32), hex(16)),
        _ => hex(40),
    }
}

#[test]
fn secrets_of_unlisted_vendors_are_masked_in_every_notation() {
    let (masker, mut random) = (Masker::group("security").unwrap(), Random::new(3));
    let (mut total, mut gone) = (0, 0);
    for (notation, template) in NOTATIONS {
        for spec in SECRETS {
            for _ in 0..3 {
                let (name, value) = (named(SECRET_NAMES, &mut random), random.text(spec));
                let text = text(template, &name, &value);
                let masked = masker.mask(&text).text;
                total += 1;
                if masked.contains(&value) {
                    println!("{notation}: missed in `{text}`");
                } else {
                    gone += 1;
                }
            }
        }
    }
    println!("{gone} of {total} gone");
    assert!(gone * 100 >= total * 97);
}

#[test]
fn passphrases_are_masked_whole_where_a_value_ends_for_certain() {
    let (masker, mut random) = (Masker::group("security").unwrap(), Random::new(5));
    for (notation, template) in NOTATIONS {
        // In the other notations, a blank ends the value.
        let open = [
            "shell",
            "log",
            "docker",
            "header",
            "query",
            "markdown",
            "kubernetes, v",
        ];
        let quoted = ["php", "connection", "rust"];
        if open.iter().chain(&quoted).any(|n| notation.starts_with(n)) {
            continue;
        }
        for phrase in [
            "summer 2024",
            "open sesame now",
            "correct horse battery staple",
            "blue Whale 7!",
        ] {
            let name = format!("{}_password", vendor(&mut random));
            let text = text(template, &name, phrase);
            let masked = masker.mask(&text).text;
            let left = phrase.split(' ').any(|word| masked.contains(word));
            assert!(!left, "{notation}: `{masked}`");
        }
    }
}

#[test]
fn ids_stay_in_every_notation() {
    let (masker, mut random) = (Masker::group("security").unwrap(), Random::new(9));
    for (notation, template) in NOTATIONS {
        for _ in 0..40 {
            let text = text(
                template,
                &named(HARMLESS_NAMES, &mut random),
                &id(&mut random),
            );
            assert_eq!(masker.mask(&text).text, text, "{notation}");
        }
    }
}

#[test]
fn a_flag_may_have_its_value_on_the_next_line() {
    let masker = Masker::group("security").unwrap();
    for text in [
        "app --db-password \\\n   dragon7Kx2mQ \\\n  --port 80",
        "args:\n  - --db-password\n  - dragon7Kx2mQ\n",
    ] {
        assert!(!masker.mask(text).text.contains("dragon"), "{text}");
    }
}

#[test]
fn a_secret_that_was_found_is_masked_everywhere() {
    let (masker, mut random) = (Masker::group("security").unwrap(), Random::new(17));
    for spec in SECRETS {
        let value = random.text(spec);
        let text =
            format!("api_key = \"{value}\"\nretrying with {value}, then {value}x and x{value}\n");
        let masked = masker.mask(&text).text;
        assert!(
            masked.contains(&format!("then {value}x and x{value}\n")),
            "{masked}"
        );
        assert_eq!(masked.matches(&value).count(), 2, "{masked}");
    }
}

/// More names, and tokens that are more than one random word.
const FURTHER_NAMES: &[&str] = &[
    "$_KEY",
    "$.api.key",
    "$-token",
    "$ClientSecret",
    "$_access_key",
    "$_license_key",
    "$_webhook_secret",
    "$_signing_key",
    "$_ACCESS_TOKEN",
];
const FURTHER_SECRETS: &[&str] = &[
    "#h16",
    "#a16",
    "#w22",
    "#a22",
    "sk_|#a24",
    "pk_live_|#n26",
    "key-|#n32",
    "#n8|.|#n32",
    "#a12|:|#a32",
    "#h8|-|#h4|-4|#h3|-8|#h3|-|#h12",
    "#w86|==",
    "v1.|#w40",
    "#u32",
    "#n25|_|#n12",
];

#[test]
fn tokens_of_further_shapes_are_masked_in_every_notation() {
    let (masker, mut random) = (Masker::group("security").unwrap(), Random::new(61));
    let (mut total, mut gone) = (0, 0);
    for spec in FURTHER_SECRETS {
        for name in FURTHER_NAMES {
            let mut missed = Vec::new();
            for (notation, template) in NOTATIONS {
                let name = name.replace('$', &vendor(&mut random));
                let value = random.parts(spec);
                let masked = masker
                    .mask(&text(template, &name, &value))
                    .text
                    .into_owned();
                total += 1;
                if masked.contains(&value) {
                    missed.push(*notation);
                } else {
                    gone += 1;
                }
            }
            if !missed.is_empty() {
                println!(
                    "{spec} under {name}: missed in {} of {}: {missed:?}",
                    missed.len(),
                    NOTATIONS.len()
                );
            }
        }
    }
    println!("{gone} of {total} gone");
    assert!(gone * 100 >= total * 93);
}
