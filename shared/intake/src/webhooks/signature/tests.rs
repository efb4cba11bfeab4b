use http::HeaderName;
use tarsy_config::{Config, Environment, Source};

use crate::webhooks::signature::*;

fn source(kind: &str, secrets: &[&str], more: &str) -> WebhookConfig {
    let names: Vec<String> = (0..secrets.len())
        .map(|index| format!("SECRET_{index}"))
        .collect();
    let text = format!(
        "webhooks: {{{kind}: {{secrets_env: [{}], alert_type: {{default: kubernetes}}{more}}}}}",
        names.join(", ")
    );
    let variables = names
        .iter()
        .map(String::as_str)
        .zip(secrets.iter().copied());
    let env = Environment::from_pairs(variables.chain([("OPENAI_API_KEY", "x")]));
    let config = Config::load(
        &Source::Text {
            name: "test".to_owned(),
            text,
        },
        &env,
    )
    .unwrap();
    config.webhook(kind).unwrap().clone()
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| (name.parse::<HeaderName>().unwrap(), value.parse().unwrap()))
        .collect()
}

const BODY: &[u8] = br#"{"a": 1}"#;
/// Returns the HMAC-SHA256 of the body with the secret `new`, in hex.
fn mac(secret: &str, text: &[u8]) -> String {
    let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), text);
    mac.as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn the_known_answer_of_standard_webhooks() {
    // Values of the specification's reference implementation.
    let source = source(
        "standard-webhooks",
        &["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "",
    );
    let sent = [
        ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
        ("webhook-timestamp", "1614265330"),
        (
            "webhook-signature",
            "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1a,xyz",
        ),
    ];
    let body = br#"{"test": 2432232314}"#;
    let at = |seconds: i64| {
        verify(
            &source,
            &headers(&sent),
            body,
            (1_614_265_330 + seconds) * 1_000_000,
        )
    };
    for seconds in [0, 300, -300] {
        assert!(at(seconds).is_ok());
    }
    for seconds in [301, -301] {
        assert!(matches!(at(seconds), Err(Error::SignatureNotValid(_))));
    }
    assert!(
        verify(
            &source,
            &headers(&sent),
            br#"{"test":2432232314}"#,
            1_614_265_330_000_000
        )
        .is_err(),
        "re-serialised"
    );
    let mut other_id = sent;
    other_id[0].1 = "msg_another";
    assert!(verify(&source, &headers(&other_id), body, 1_614_265_330_000_000).is_err());
}

#[test]
fn either_of_two_secrets_will_do_while_one_is_replaced() {
    for (kind, header) in [
        ("pagerduty", "x-pagerduty-signature"),
        ("sentry", "sentry-hook-signature"),
        ("grafana", GRAFANA),
    ] {
        let prefix = if kind == "pagerduty" { "v1=" } else { "" };
        let source = source(kind, &["old", "new"], "");
        let check = |sent: &str| verify(&source, &headers(&[(header, sent)]), BODY, 0);
        let (old, new) = (mac("old", BODY), mac("new", BODY));
        assert!(check(&format!("{prefix}{old}")).is_ok(), "{kind}");
        assert!(check(&format!("{prefix}{new}")).is_ok(), "{kind}");
        let upper = new.to_uppercase();
        let (foreign, reserialised) = (mac("foreign", BODY), mac("new", br#"{"a":1}"#));
        for bad in ["", "x", &new[..62], &upper, &foreign, &reserialised] {
            assert!(check(&format!("{prefix}{bad}")).is_err(), "{kind} {bad}");
        }
        assert!(
            verify(&source, &HeaderMap::new(), BODY, 0).is_err(),
            "{kind} missing"
        );
    }
}

#[test]
fn pagerduty_lists_several_signatures() {
    let source = source("pagerduty", &["new"], "");
    let sent = format!("v1={}, v1={}", mac("old", BODY), mac("new", BODY));
    assert!(
        verify(
            &source,
            &headers(&[("x-pagerduty-signature", &sent)]),
            BODY,
            0
        )
        .is_ok()
    );
}

#[test]
fn a_signed_time_is_part_of_the_signature_and_must_be_recent() {
    let more = ", signature_header: X-Sig, timestamp_header: X-Time";
    let source = source("grafana", &["s"], more);
    let signed = mac("s", b"1000:{\"a\": 1}");
    let check = |time: &str, now: i64| {
        verify(
            &source,
            &headers(&[("x-sig", &signed), ("x-time", time)]),
            BODY,
            now * 1_000_000,
        )
    };
    assert!(check("1000", 1_300).is_ok());
    assert!(check("1000", 1_301).is_err());
    assert!(check("1001", 1_000).is_err());
    assert!(verify(&source, &headers(&[("x-sig", &signed)]), BODY, 0).is_err());
}

#[test]
fn senders_that_sign_nothing_show_the_secret() {
    let source = source("datadog", &["a", "b:c"], "");
    let check = |sent: &str| verify(&source, &headers(&[("authorization", sent)]), BODY, 0);
    let basic = |pair: &str| format!("Basic {}", BASE64.encode(pair));
    assert!(
        check("Bearer a").is_ok()
            && check("bearer b:c").is_ok()
            && check(&basic("datadog:b:c")).is_ok()
    );
    for bad in [
        "",
        "Bearer",
        "Bearer aa",
        "Bearer ",
        "Digest a",
        "Basic a",
        &basic("a"),
        &basic("a:"),
    ] {
        assert!(check(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_source_whose_secret_is_not_set_accepts_no_request() {
    let mut source = source("sentry", &["s"], "");
    source.secrets.clear();
    let sent = mac("", BODY);
    assert!(
        verify(
            &source,
            &headers(&[("sentry-hook-signature", &sent)]),
            BODY,
            0
        )
        .is_err()
    );
}

#[test]
fn the_known_answer_of_slack() {
    // Values of Slack's page "Verifying requests from Slack".
    let secret = Secret::new("8f742231b10e8888abcd99yyyzzz85a5");
    let body = b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V\
&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=\
&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN\
&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    let signed = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    let check = |time: &str, signed: &str, body: &[u8], now: i64| {
        let sent = headers(&[
            ("x-slack-request-timestamp", time),
            ("x-slack-signature", signed),
        ]);
        verify_slack(&secret, &sent, body, now * 1_000_000).is_ok()
    };
    let (time, now) = ("1531420618", 1_531_420_618);
    assert!(check(time, signed, body, now));
    assert!(check(time, signed, body, now + 300) && !check(time, signed, body, now + 301));
    assert!(!check(time, signed, body, now - 301));
    assert!(!check(time, signed, b"token=other", now));
    assert!(!check("1531420619", signed, body, now));
    assert!(!check(time, &signed.replace("v0=", ""), body, now));
    assert!(!check(time, "v0=", body, now) && !check(time, "v0=zz", body, now));
    assert!(verify_slack(&secret, &headers(&[]), body, now).is_err());
}
