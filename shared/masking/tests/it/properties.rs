//! Properties of every text: masking settles, pieces do not matter, structure stays, nothing panics.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]

use proptest::prelude::*;
use serde_json::{Value, json};
use tarsy_masking::Masker;

use crate::corpus::{Random, negatives, positives, vendor_samples};

fn masker() -> Masker {
    Masker::group("all").unwrap()
}

/// Returns samples joined as tools join them.
fn mixture(seed: u64, count: usize) -> String {
    let mut random = Random::new(seed);
    let positives = positives();
    let vendors = vendor_samples();
    let negatives = negatives();
    let glue = ["\n", " ", "", ", ", "\n\n", "; ", "\"", "\\n", "'"];
    (0..count)
        .map(|_| {
            let text = match random.below(3) {
                0 => positives[random.below(positives.len())].text.clone(),
                1 => vendors[random.below(vendors.len())].text.clone(),
                _ => negatives[random.below(negatives.len())].clone(),
            };
            text + glue[random.below(glue.len())]
        })
        .collect()
}

#[test]
fn masking_the_samples_twice_changes_nothing() {
    let masker = masker();
    for sample in positives().into_iter().chain(vendor_samples()) {
        let once = masker
            .try_mask(&sample.text)
            .unwrap_or_else(|e| panic!("{e}: {}", sample.text));
        assert_eq!(masker.mask(&once.text).text, once.text);
    }
}

#[test]
fn the_words_of_a_replacement_name_no_values() {
    let masker = masker();
    // Each round took the word after the last replacement for the value of its `PASSWORD`.
    let text = "login failed password=hunter2x user=bob scope: openid profile email";
    let masked = masker.try_mask(text).unwrap().text;
    assert_eq!(
        masked,
        "login failed password=[MASKED_PASSWORD] user=bob scope: openid profile email"
    );
    let withheld_before = mixture(1_516_292_545_455_758_162, 8);
    let once = masker.try_mask(&withheld_before).unwrap().text.into_owned();
    assert_eq!(masker.mask(&once).text, once);
}

#[test]
fn a_user_brought_near_by_a_replacement_makes_pass_a_password_at_once() {
    let masker = masker();
    let token = "aaa0a0000a0aaaa00a0a0aa0a00a0000";
    for text in [
        format!(
            r#"[{{"user":"bob","note":"fifteen letters","api_key":"{token}"}},{{"pw":"hunter2"}}]"#
        ),
        format!(
            "user: bob\nnote: twenty-five letters here.\napi_key: {token}\npw:\n  - |-\n    some \"quoted\" hunter2\n    lines\n"
        ),
    ] {
        let masked = masker.mask(&text).text;
        assert!(
            masked.contains("bob") && !masked.contains(token),
            "{masked}"
        );
        assert!(!masked.contains("hunter2"), "{masked}");
    }
}

#[test]
fn passwords_that_bring_each_other_near_a_user_are_masked_and_the_rest_is_not_withheld() {
    // Only the name near a user makes it a secret. It separates the next one from the user.
    let long = "hunter-".repeat(11) + "hunter";
    for count in 1..9 {
        let lines = format!("- pw: {long}\n").repeat(count);
        let list: Vec<Value> = (0..count).map(|_| json!({ "pw": long })).collect();
        for text in [
            format!("- user: b\n{lines}- name: x\n"),
            format!("user=b\n{}name=x\n", format!("pw={long}\n").repeat(count)),
            json!([{"user": "b"}, list, {"name": "x"}]).to_string(),
        ] {
            let once = masker()
                .try_mask(&text)
                .map(|masked| masked.text.into_owned());
            let once = once.unwrap_or_else(|error| panic!("{count}: {error}: {text}"));
            assert!(!once.contains(&format!("b\n- pw: {long}")), "{once}");
            assert_eq!(masker().mask(&once).text, once, "{count}");
        }
    }
}

#[test]
fn only_a_replacement_passes_for_one() {
    let masker = masker();
    for text in [
        "[MASKED_X password=hunter2x ]",
        "[MASKED_ password=hunter2x]",
        "[masked_ghp_0123456789abcdefghijABCDEFGHIJ012345]",
        "[MASKED_ghp_0123456789abcdefghijABCDEFGHIJ012345]",
        "apiVersion: v1\nkind: Secret\ndata:\n  a: [MASKED_X] hunter2x\n",
    ] {
        let masked = masker.mask(text).text;
        assert!(
            !masked.contains("hunter2x") && !masked.contains("ghp_"),
            "{masked}"
        );
    }
    for text in ["[MASKED_PASSWORD]", tarsy_masking::WITHHELD] {
        assert_eq!(masker.mask(text).text, text);
    }
}

#[test]
fn samples_in_json_strings_leave_valid_json() {
    let masker = masker();
    for sample in positives() {
        let text = json!({"log": sample.text, "list": [{"deep": sample.text}], "n": 5}).to_string();
        let masked = masker.mask(&text).text.into_owned();
        let value: Value =
            serde_json::from_str(&masked).unwrap_or_else(|e| panic!("{e}: {text}\n{masked}"));
        assert_eq!(value["n"], 5);
    }
}

#[test]
fn a_quote_that_is_never_closed_keeps_the_backslash_of_the_next() {
    let text =
        json!({"items": ["token = 'oBo37Rb4B4Bi4sJeSgK7EdO0''env[\"NAME\"] = 1"]}).to_string();
    let masked = masker().mask(&text).text.into_owned();
    assert_eq!(masked, r#"{"items":["token = '[MASKED_TOKEN]\"] = 1"]}"#);
}

#[test]
fn an_assignment_above_a_list_is_no_key() {
    let text = "shop token = '0a21e44d20cd99c25b0655d15b54e062' \"items\":\n- name: x\n- name: y\n";
    let masked = masker().mask(text).text.into_owned();
    assert_eq!(
        masked,
        "shop token = '[MASKED_TOKEN]' \"items\":\n- name: x\n- name: y\n"
    );
}

#[test]
fn yaml_values_stay_yaml() {
    let masker = masker();
    for value in [
        "hunter2x",
        "'hunter2x'",
        "\"hunter2x\"",
        "12345678",
        "|\n    hunter2x\n    more9",
        ">-\n    hunter2x",
    ] {
        for text in [
            format!("db:\n  password: {value}\n  port: 5432\n"),
            format!("- name: x\n  api_secret_password: {value}\n"),
        ] {
            let masked = masker.mask(&text).text.into_owned();
            assert!(
                !masked.contains("hunter2x") && !masked.contains("12345678"),
                "{masked}"
            );
            let parsed: Result<Value, _> = serde_saphyr::from_str(&masked);
            assert!(parsed.is_ok(), "{masked}");
            assert!(!parsed.unwrap().to_string().contains("[["), "{masked}");
        }
    }
}

#[test]
fn every_cut_gives_the_same() {
    let masker = masker();
    for seed in 0..4 {
        let text = mixture(seed, 6);
        let whole = masker.mask(&text);
        for cut in (0..=text.len()).step_by(3) {
            let mut stream = masker.stream();
            stream.push(&text.as_bytes()[..cut]);
            stream.push(&text.as_bytes()[cut..]);
            assert_eq!(stream.finish().text, whole.text);
        }
    }
}

proptest! {
    #[test]
    fn mixtures_settle(seed in any::<u64>(), count in 1_usize..12) {
        let text = mixture(seed, count);
        let masker = masker();
        let once = masker.try_mask(&text).unwrap().text.into_owned();
        prop_assert_eq!(&masker.mask(&once).text, &once);
    }

    #[test]
    fn any_text_settles(text in "([a-z]{0,4}(password|token|api_key|secret|key|: |=|\"|'|\\\\|\\{|\\}|\\[|\\]|\n|  |kind: Secret|data:|github|eyJ|://|@|[A-Za-z0-9+/]{0,24}|\\PC)){0,24}") {
        let masker = masker();
        let once = masker.try_mask(&text).unwrap().text.into_owned();
        prop_assert_eq!(&masker.mask(&once).text, &once);
    }

    #[test]
    fn json_stays_json(seed in any::<u64>()) {
        let masker = masker();
        let value = json!({"password": mixture(seed, 1), "items": [mixture(seed ^ 1, 2)], "kind": "Secret", "data": {"k": mixture(seed ^ 2, 1)}, "pin": seed});
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap(), json!({"inner": value.to_string()}).to_string()] {
            let masked = masker.mask(&text).text.into_owned();
            prop_assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{}\n{}", text, masked);
        }
        let (masked, _) = masker.mask_json(&value);
        prop_assert_eq!(masker.mask_json(&masked).0, masked);
    }

    #[test]
    fn identifiers_survive(bytes in any::<[u8; 32]>(), n in any::<u32>()) {
        let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        let uuid = format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32]);
        let text = format!(
            "uid: {uuid}\nimage: quay.io/app/api:v1.{n}@sha256:{hex}\ntrace_id={} span_id={}\ncommit {}\nrequest-id: {uuid}\n\"containerID\": \"containerd://{hex}\"\npod/api-{}-{}\n",
            &hex[..32], &hex[..16], &hex[..40], &hex[..10], &hex[10..15]
        );
        for group in ["security", "all"] {
            let masked = Masker::group(group).unwrap().mask_or_withhold(&text);
            prop_assert_eq!(&masked, &text);
        }
    }
}
