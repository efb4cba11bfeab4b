use serde_json::{Value, json};
use tarsy_config::{Config, Environment, Source};

use crate::webhooks::sns::*;

/// A certificate of this project. The signatures below were made with its key, which was deleted,
/// by version 1 (SHA-1) and version 2 (SHA-256).
const CERTIFICATE_URL: &str =
    "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem";
/// Half an hour after the envelopes' `Timestamp`, in Unix microseconds.
const NOW: i64 = 1_795_170_600_000_000;
const CERTIFICATE: &[u8] = include_bytes!("certificate.pem");
const NOTIFICATION: [&str; 2] = [
    "WsJYwfOBYXPkjTB52i7magZf4N6Fzx1W6kU0k0Nkjyh19pCUBnLFxUN5BWJOODh3hQDePnpEFcHxufGcttgQopDKA9BfAj6pMwCObZnv4qFBVedV4RVnvlZMvGrjESkUJJG5sRro371QGFjeh65yRhsgJGh2fhkIwCMPT9zAgdR8iwyTpX7NDn9JJedOh9F8mbUt9aDnhdVktFn23fFNUs/PwF0IEBV+dc8XZbQkEwmWGrC8BepFTR6Cwi9yL3yMlF6VjTKqa9LFS6UBYFygI7x9/BbrbtfoActL6eXshDH9DOqXZpoOGnmcOimDtp9k27ui1xjzUBH9r5KMaB+hjg==",
    "lCJeC8gIOEseCdZPiXSTr2u2yqLPOigaePjomyh9wZ42zxGAwg7KKsquqyRXOA8OB/xeih1Ii6I27l7fKtySKkoJ1xNxRuTDBQV6Y7oi222FNJAr4SpCjxyTKUQTbVo3N2kJjiTPsPanJ2jdFvR7XI9ZooAiajzg0vRE7l12nlWHCK5RZW9TXBld0nm0MUhEQJTeVFYAu11NEQEcpmEBf5Ragk1Zibgb6eeDMXKZVDl4+UAo4ELNzMFoFNXE73lUG0HYwiKSMCtM4PBI6Hs3otvoCzPbL5LPi47TWjxR2JzGIvWkKtvg/HJsz9Lkqvcjdpi/G5tWn/2WENgB2gklxA==",
];
const WITHOUT_SUBJECT: [&str; 2] = [
    "fwA310LUOEqFwDGunTKe+memm4vLCEgRv5XWhgkVn2VIiwT1BAPWOsdSLDCRpZkQVct0e0ck03wltt0q74y0fZmw3nKg+3SpjC9hwB98uRIeqGND8hNViJ7/03PBL+6djoVY0tASJfQumdu1XZ6lh4bB4mJM8ohk9Kl0c4W3rkml5AdutdC7lWx4uWw9bkikWISrlQx0u0zpXRPE3dIK1Rze323iw2JIJ+bb56XZY1kFiq/efvRTgyxcaePVbUfGL01d49WTuQz96fhAf9GkaEALcziu0K4P8Enbd9zizw0b+8gF7FgSDKBvUaW2C1OBFPnvCOoG3MZuVy0keFkvvQ==",
    "COcHdIcPofHYqrt/tcYxo8UmtVMEAFqzH8BKNGjLCKU6dUFJ1Q3h96bWrdv6BV0bBUOOghBZGmStKb3DhPLS6fdPzxtQj4lFibSvtwgc7LIIkqdlrWJKKBbe1D+uWw8wG+QVuI+RigOQdG4Ekm/rLfDN6i+4ArbbhXf8Gmc9vy+w5/LyodfvBdNZEldUmYd1gUwjUzJNlFpZbEDQDMgw944FiBf6pjjwglBXH/KOajhE/XvDFBvyNs9xTGjzvyeoInTc7SjxCCneuKvwxYbxK0Cipy0kC7lrW9boARqql6bkWQfzoOJxdE//kB+xkYhcFRI770Da9TLU+3Yn8CxB+g==",
];
const SUBSCRIPTION: [&str; 2] = [
    "dMsPYsFlkpekZ9rLdLM1Sre5P7O74pb8rmT26N722K94X2TW5KT3vUtsnff7Oixkzryhdold4SD9Ui+1YrlTzooeUb8xAQRl1zuA0KEzQUUDdgHfOzeTjgmGyYB4OdfSmA0N8ayZaGDfvTO7C5grwuGfmLF+gazevB17LK8DZQ8bY/6TcweCBpCS3TTXHocvS/63R5zDurTi8p3r50WoP5pg1r9x+wpziKdBzmSwtN1+3Z4qPNYF1s486R8GyHIlUOMdRLn4eKBtsDIUilB0euebmpt2tbOGbjvmRbVjIupWIvFZMwY58I3ZMu71wR8EyFy3qZIj/qpb/m74W8+P2A==",
    "AKA8fBfGSl75C7hkKHBKxMMPW+GKOpyIjL3ADV7z8Grg4CyC9Z0uQRrTHAwHQCCgO4Z9DH6U6wXoSPCM+jBTmK1t1nJF2hlDblgOL87iKZ62coKkrZndRCZnwvkbLqd0bTLMdboin+5ZHypawQY58Do19HxlGa6Ln4ODD4FgrAx1KKgtp/zh7EsW1hYDrBGclCaOl30CTf5EDGxZcP0DsRAHB0DeepYwR1OMTaknBW9+b43pRfGeVmE0gyC0pW/kxEwv5eYx08SojfqUnTh2uw5UWcrk3YyjPtSDSjZAmKe2pjTJ8HgVq7VGYEd4NmuwrXlCjxS5S7KAbcazdUszag==",
];
const SUBSCRIPTION_ELSEWHERE: [&str; 2] = [
    "eyZbF2EWoQnZmAd5FvGCEpt6wgV3UU6mvOmk80F1j6Xp39e9wE3o3lN01/1jTwww3a6uWaWFGZfruGr07hBAcyc/5fCXFl42uiqIVrPnluGxz0wTWqcI8ovtE44vEArLQN2WWiAm6Dt6tQg7kJ8ImG5/BAiTSerUkQshWkQYX15Qxb23+0KvPaji5EgQaAzvme/HBwE8ob2OKon3R34cDyGshCoaooT9NWugqxPUqCCKvbxm3f3U5vlvi5MBaiCDhP8jdUukESKeKdlkVN4JEzKoBtmo0VNX/fXOE7L0n0mXYOEAr58o3hrPNiZbMuk48bGq3XgrS2O2XeGYkhL9FA==",
    "N+wjRtUxWcsoVrTtCPN/owArpNvdTVQqhbmw/pY4ID8bycVp2uam17yrCouZ+WgH4x9hBxCeViKjxfpW1SLddyh4HSDd1Qc8OLDG/vJWBgzv/ETev/PNeI8/l26L6L/2Z+LuSnL6SXBu5w2jt2pQNiXQFDSTubjUfQpv+frzX+Kgg2LPW/v+fClOinuKtaXdR3jzg69RpT0E2/DXiFtatShTITk1sVjutY5WZXbYgbbVUAJrtlRHeJYiZLyQR2RUjG/pyoH8s+N0+lFWuA6jYER6AiR+zUB+EqdBuvFr05xVe2p27mP3KV2NEg8ZMgY74yM5nptJLCaGQjuq1yOyIA==",
];
const END: [&str; 2] = [
    "f8Va7KIydOeoAYweZ1y+LhPqoAbY8zN9kYR1mTngMdZbtEBSHFPKT5Su5XoKKjJBC4s1a2jW5W5g/f9YmcJE1uQKE6VImAz5Sk7QQa5MtezZ+O5vk9RhBfpQCNjT73z9m4X9E2/OyV6cxb1I1Ufz60wTsrqEF1J2sPLYdXNalYIxVeiWfDq9csetjYEXzJnctzs4iEykiFC2LbBHdHxoAXSG8xMZ+DJ0Q9QY+b6yhxLb4V97qSNUX6W+pSab1rxRavmPzRtQUUTvV+ccdnIxcp5edHHtChM6GDfVrp4HZWviP54+b196GdLjvhoS2/kDVU4IDk8sCnGXPVTHrx8nkg==",
    "COeetIySQoRgJFa+OVYvjIe+yQF58FjkiZhu3JSutF8TsRJMs+Zll3QLyfPOViZY0l8BcmVRxhzHvBEHsgQS7+ZP4wgvB3jYmMUatqVeBaOVjaRtU24VG/a23k0zY6JqffqFpdIcE/fCHouccxu5NetzcxhIKEH1keFAE3u3v4VsSB0Q6jS5FAumtD0be/rSBHPKbQtiCc11p6Z8BrTugXusHhD7ev17Br6vpzMiSU5a58KhJab31Yl20NVNgdSr2yt6zipcCqNvLr6IDaJriz3PtYEwVmZkQJ6GchYpiDALYykJwP9c8XZ9voJ5u7wOoYBx5LrGPGmuNhchWYTvtA==",
];

/// Creates an envelope of this kind, with more members.
fn envelope(kind: &str, message: &str, more: Value) -> Value {
    let mut envelope = json!({
        "Type": kind, "MessageId": "m-1", "TopicArn": "arn:aws:sns:eu-west-1:1:t", "Message": message,
        "Timestamp": "2026-11-20T10:00:00.000Z", "SignatureVersion": "1", "Signature": "",
        "SigningCertURL": CERTIFICATE_URL,
    });
    let more = more.as_object().unwrap().clone();
    envelope.as_object_mut().unwrap().extend(more);
    envelope
}

fn notification() -> Value {
    let unsubscribe = "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe";
    let more = json!({"Subject": "hello", "UnsubscribeURL": unsubscribe});
    envelope("Notification", "it is ä test", more)
}

fn confirmation(kind: &str, message: &str, host: &str) -> Value {
    let url = format!("https://{host}/?Action=ConfirmSubscription&Token=t0k");
    envelope(kind, message, json!({"Token": "t0k", "SubscribeURL": url}))
}

fn subscription(host: &str) -> Value {
    confirmation("SubscriptionConfirmation", "You have chosen", host)
}

fn signed(mut envelope: Value, version: &str, signature: &str) -> Value {
    envelope["SignatureVersion"] = json!(version);
    envelope["Signature"] = json!(signature);
    envelope
}

/// Returns copies of the envelope, each with another signed member changed.
fn changed(envelope: &Value) -> impl Iterator<Item = (&str, Value)> {
    let signed = [
        "Message",
        "MessageId",
        "TopicArn",
        "Timestamp",
        "Subject",
        "Type",
        "Token",
        "SubscribeURL",
    ];
    signed.into_iter().filter_map(|member| {
        envelope.get(member)?;
        let mut changed = envelope.clone();
        changed[member] = json!("SomethingElse");
        Some((member, changed))
    })
}

fn is_signed(envelope: Value) -> bool {
    let envelope: Envelope = serde_json::from_value(envelope).unwrap();
    envelope.is_signed_by(&public_key(CERTIFICATE).unwrap())
}

/// Fake of SNS. Returns the certificate for every request, and records the requested addresses.
#[derive(Debug, Default)]
struct Played(Mutex<Vec<String>>);

#[async_trait]
impl Fetch for Played {
    async fn get(&self, url: Url) -> Result<Vec<u8>, Error> {
        self.0.lock().unwrap().push(url.to_string());
        Ok(CERTIFICATE.to_vec())
    }
}

fn played() -> (Arc<Played>, Sns) {
    let played = Arc::new(Played::default());
    let sns = Sns {
        keys: Arc::default(),
        fetching: Arc::new(Semaphore::new(1)),
        fetch: Arc::<Played>::clone(&played),
    };
    (played, sns)
}

fn source() -> WebhookConfig {
    let source = Source::Text {
        name: "test".to_owned(),
        text: "webhooks: {sns: {topics: ['arn:aws:sns:eu-west-1:1:t'], alert_type: {default: kubernetes}}}"
            .to_owned(),
    };
    let environment = Environment::from_pairs([("OPENAI_API_KEY", "x")]);
    let config = Config::load(&source, &environment).unwrap();
    config.webhooks["sns"].clone()
}

#[test]
fn every_kind_of_message_is_understood_in_both_versions() {
    let without_subject = envelope("Notification", "it is ä test", json!({}));
    let own = "sns.eu-west-1.amazonaws.com";
    for (envelope, [by_sha1, by_sha256]) in [
        (notification(), NOTIFICATION),
        (without_subject, WITHOUT_SUBJECT),
        (subscription(own), SUBSCRIPTION),
        (
            confirmation("UnsubscribeConfirmation", "You have ended", own),
            END,
        ),
    ] {
        let kind = &envelope["Type"];
        for (version, signature) in [("1", by_sha1), ("2", by_sha256)] {
            let good = signed(envelope.clone(), version, signature);
            assert!(is_signed(good.clone()), "{kind} {version}");
            for (member, changed) in changed(&good) {
                assert!(!is_signed(changed), "{kind} {version}: {member}");
            }
        }
        for (version, signature) in [
            ("2", by_sha1),
            ("1", by_sha256),
            ("3", by_sha256),
            ("1", ""),
        ] {
            let bad = signed(envelope.clone(), version, signature);
            assert!(!is_signed(bad), "{kind} {version}");
        }
    }
}

#[tokio::test]
async fn a_good_signature_opens_and_its_certificate_is_fetched_once() {
    let (played, sns) = played();
    for (version, signature) in [("1", NOTIFICATION[0]), ("2", NOTIFICATION[1])] {
        let body = signed(notification(), version, signature).to_string();
        let envelope = Envelope::open(&body, &source(), &sns, NOW).await.unwrap();
        assert_eq!(envelope.message, "it is ä test");
    }
    let body = signed(notification(), "2", SUBSCRIPTION[1]).to_string();
    let refused = Envelope::open(&body, &source(), &sns, NOW).await;
    assert!(matches!(refused, Err(Error::SignatureNotValid(_))));
    let requested = played.0.lock().unwrap();
    assert_eq!(*requested, [CERTIFICATE_URL]);
}

#[tokio::test]
async fn a_subscription_is_confirmed_at_sns_and_nowhere_else() {
    let (played, sns) = played();
    let own = "sns.eu-west-1.amazonaws.com";
    let body = signed(subscription(own), "2", SUBSCRIPTION[1]).to_string();
    let envelope = Envelope::open(&body, &source(), &sns, NOW).await.unwrap();
    envelope.confirm(&sns).await.unwrap();
    let requested = std::mem::take(&mut *played.0.lock().unwrap());
    assert_eq!(
        requested,
        [
            CERTIFICATE_URL,
            "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t0k",
        ]
    );

    // The message is correctly signed, but its address is not requested.
    let body = signed(subscription("evil.example"), "2", SUBSCRIPTION_ELSEWHERE[1]).to_string();
    let envelope = Envelope::open(&body, &source(), &sns, NOW).await.unwrap();
    let refused = envelope.confirm(&sns).await;
    assert!(matches!(refused, Err(Error::SignatureNotValid(_))));
    assert_eq!(*played.0.lock().unwrap(), [""; 0]);
}

#[test]
fn only_addresses_of_sns_are_asked() {
    for good in [
        "https://sns.eu-west-1.amazonaws.com/a.pem",
        "https://sns.cn-north-1.amazonaws.com.cn/?Action=ConfirmSubscription&Token=t",
    ] {
        assert!(sns_url(good).is_some(), "{good}");
    }
    for bad in [
        "http://sns.eu-west-1.amazonaws.com/a.pem",
        "https://sns.eu-west-1.amazonaws.com.evil.example/a.pem",
        "https://evil.example/sns.eu-west-1.amazonaws.com/a.pem",
        "https://sns.eu-west-1.amazonaws.com@evil.example/a.pem",
        "https://user:pw@sns.eu-west-1.amazonaws.com/",
        "https://sns.eu-west-1.amazonaws.com:8443/a.pem",
        "https://sns..amazonaws.com/a.pem",
        "https://sns.a.b.amazonaws.com/a.pem",
        "https://bucket.s3.amazonaws.com/a.pem",
        "https://169.254.169.254/",
        "",
    ] {
        assert!(sns_url(bad).is_none(), "{bad}");
    }
}

#[test]
fn only_a_certificate_of_sns_is_checked_with() {
    let own = "https://sns.eu-west-1.amazonaws.com";
    assert!(certificate_url(CERTIFICATE_URL).is_some());
    for path in [
        "/a.pem",
        "/SimpleNotificationService-.pem",
        "/SimpleNotificationService-01xy.pem",
        "/SimpleNotificationService-01.pem?x=1",
        "/SimpleNotificationService-01.pem?",
        "/SimpleNotificationService-01.pem/..",
        "/x/SimpleNotificationService-01.pem",
        "/SimpleNotificationService-01%2f.pem",
        "/?Action=GetTopicAttributes&x=/SimpleNotificationService-01.pem",
    ] {
        assert!(certificate_url(&format!("{own}{path}")).is_none(), "{path}");
    }
    let elsewhere = "https://evil.example/SimpleNotificationService-01.pem";
    assert!(certificate_url(elsewhere).is_none());
}

#[tokio::test]
async fn a_message_opens_for_an_hour() {
    const MINUTE: i64 = 60_000_000;
    let sent = NOW - 30 * MINUTE;
    let body = signed(notification(), "2", NOTIFICATION[1]).to_string();
    for (minutes, opens) in [(-6, false), (-4, true), (0, true), (64, true), (66, false)] {
        let (_, sns) = played();
        let opened = Envelope::open(&body, &source(), &sns, sent + minutes * MINUTE).await;
        assert_eq!(opened.is_ok(), opens, "after {minutes} min");
    }
}
