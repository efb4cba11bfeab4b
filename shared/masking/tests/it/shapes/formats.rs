//! Tokens that are identified by their form alone, each with texts that only look like them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::super::corpus::Random;
use tarsy_masking::Masker;

/// Contexts in which nothing identifies a token.
const PLACES: &[&str] = &[
    "%",
    "2026-01-02T03:04:05Z WARN refused %",
    "{\"msg\":\"%\"}",
    "note: %\n",
    "run --with % now",
];

fn masker() -> Masker {
    Masker::group("security").unwrap()
}

fn assert_masked(masker: &Masker, secret: &str, whole: &str) {
    for place in PLACES {
        let text = place.replace('%', whole);
        let masked = masker.mask(&text).text;
        assert!(!masked.contains(secret), "missed in `{text}`: `{masked}`");
    }
}

fn stays(masker: &Masker, text: &str) {
    for place in PLACES {
        let text = place.replace('%', text);
        assert_eq!(masker.mask(&text).text, text);
    }
}

#[test]
fn logins_are_masked_before_a_host_with_a_port() {
    let (masker, mut random) = (masker(), Random::new(31));
    for _ in 0..50 {
        let password = random.text("a12");
        let login = format!("svc-orders:{password}@kafka-1.prod:9092");
        assert_masked(&masker, &password, &login);
        assert_masked(
            &masker,
            &password,
            &format!("broker=app:{password}@10.0.0.7:5671"),
        );
    }
    for text in [
        "git@example.com:22/group/repo",
        "postmaster@mail.example:25",
        "registry.example/shop/web:1.27@sha256:9f86d081884c7d65",
        "10:20:30@node-1:8080",
        "app:8080@node-1:9090",
        "sip:1001@pbx.example:5060",
        "user:${PASSWORD}@host:9092",
        "user:<password>@host:9092",
        "npm:left-pad@1.3.0",
    ] {
        stays(&masker, text);
    }
}

#[test]
fn signed_keys_of_azure_are_masked_by_their_signature_and_length() {
    let (masker, mut random) = (masker(), Random::new(37));
    for (before, signature, rest) in [
        (42, "+ACR", "b6"),
        (33, "+AEh", "b7"),
        (33, "+ASb", "b7"),
        (33, "AzCa", "b7"),
        (42, "AzSe", "b6"),
        (44, "AzFu", "b8"),
    ] {
        let head = random.text(&format!("b{before}"));
        let key = format!("{head}{signature}{}", random.text(rest));
        assert_masked(&masker, &head, &key);
    }
    stays(&masker, "see docs/AzSearch and +ACRONYM of the AzFunction");
}

#[test]
fn an_id_is_masked_with_the_secret_after_its_dot() {
    let (masker, mut random) = (masker(), Random::new(41));
    for spec in ["a16", "a24", "a32"] {
        let secret = random.text(spec);
        assert_masked(
            &masker,
            &secret,
            &format!("{}.{secret}", random.text("h32")),
        );
    }
    let digest = random.text("h32");
    for text in [
        format!("main.{digest}.chunk"),
        format!("{digest}.bundleAnalysisReport"),
        format!("{digest}.{}", random.text("h16")),
    ] {
        stays(&masker, &text);
    }
}

#[test]
fn addresses_that_hold_a_key_lose_it() {
    let (masker, mut random) = (masker(), Random::new(43));
    let (hex, word) = (random.text("h32"), random.text("w32"));
    assert_masked(
        &masker,
        &hex,
        &format!("https://mainnet.infura.io/v3/{hex}"),
    );
    assert_masked(
        &masker,
        &word,
        &format!("https://eth-mainnet.alchemy.com/v2/{word}"),
    );
    stays(&masker, "https://mainnet.infura.io/v3/YOUR_PROJECT");
}

#[test]
fn letters_alone_are_masked_under_a_secrets_name_when_no_word_has_them() {
    let masker = masker();
    for text in [
        "ACME_TOKEN=hwgtpkqpkpwvfzvtr",
        "acme_api_key: bcdfghjklmnpqrstvw",
        "export HF_TOKEN=api_org_abcdefghjkmnpqrstuvwxyzqwrtplkmnbv",
    ] {
        let masked = masker.mask(text).text;
        assert!(masked.contains("[MASKED_"), "missed in `{text}`");
    }
    for text in [
        "ACME_TOKEN=applicationdefaults",
        "acme_api_key: serviceaccountname",
        "token = lookupAccessController",
    ] {
        assert_eq!(masker.mask(text).text, text);
    }
}

#[test]
fn a_version_is_masked_under_a_passwords_own_name_and_stays_under_a_packages() {
    let masker = masker();
    for text in ["password: 1.2.3\nuser: x\n", "DB_PASSWORD=\"1.2.3\""] {
        assert!(!masker.mask(text).text.contains("1.2.3"), "{text}");
    }
    for text in [
        "{\"dependencies\": {\"pgpass\": \"1.0.5\", \"generate-password\": \"^1.7.1\"}}",
        "password-hash = \"1.0.4\"\nother = \"2\"\n",
    ] {
        assert_eq!(masker.mask(text).text, text);
    }
}

#[test]
fn a_stage_is_no_tag() {
    let (masker, mut random) = (masker(), Random::new(47));
    let value = random.text("a44");
    for name in ["upstage_client", "staging_backend"] {
        let text = format!("{name} = Client(\"{value}\")");
        assert!(!masker.mask(&text).text.contains(&value), "{text}");
    }
    for name in ["image_tag", "tag", "etag"] {
        let text = format!("{name} = Client(\"{value}\")");
        assert_eq!(masker.mask(&text).text, text);
    }
}

#[test]
fn what_resembles_a_programs_argument_or_type_is_masked_where_it_is_none() {
    let masker = masker();
    for text in [
        "$(mysql --password=open_sesame_now)",
        "(DB_PASSWORD=open_sesame_now)",
        "user: bob,\npassword: HUNTER2024,\nport: 5",
    ] {
        let masked = masker.mask(text).text;
        assert!(masked.contains("[MASKED_"), "missed in `{text}`");
    }
}
