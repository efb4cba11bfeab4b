use serde_json::{Value, json};

use super::*;

/// A certificate of the project's own, and what its key, thrown away since, signed.
const CERTIFICATE: &[u8] = include_bytes!("certificate.pem");
const BY_SHA1: &str = "yTkJNpQ0qkZrbi85Pwlt1ylyd78r6XXXDenFmFnWCFoxGiYeYTWN/hOvs0Bk1E4Lv0gworhenk49s9b76ArdkjACEe08lRqd98JrbXtJI1s9JgkKMRdwiEDJwhf9NsCz8mwE9LuXKxL4rWQhmc6FdEwPJr0E15JHrKR1B8nCxHPFi9pWTrrfKyjsgIWCruvU6/Gteksapn8tgXZuRR5P1C1CjJZfVevVAsdwo/9A5pl6mvGNtwnX9QeyNkDWbNR71O7wMexqWmA5Tl6T0KftsCbeMmizb5Rj2Em1gQhbi9zxVzyJxn576UdmlQJyzR95UkLnt1KcKc0tJcNEUxAM2A==";
const BY_SHA256: &str = "HojGGRNTfmDIKwbZPGxCH7bfAFz6Gt6dXppMoe4d7PtNZsb5dvplQ8NPj3PuEw3FLBoYht8Hd/g672MXmKIYOXW0tZmA/j0M3STiyykZKA3VFErUvvCXgK6Kw+Ltqiy1pn6w+sjeQJZ2iSIV57kpe8D/sISfCdM0mb/Z5wqwnREIIcO2Tnp06tNqt/c5cawKsA0Utapm3buKe/s9urg0yZILnquP9HPPC8xuu/aQ5VFrLSu1M4NSmJJj/IaZctdYIJT1zFIr3CqsLeY833SpghY0vS6UCXOk3S993Z0HO10JT4O7pLjoSHdfYunSfCOLssyFseakBhU5h2rFG+9Wrw==";

fn envelope(version: &str, signature: &str) -> Value {
    json!({
        "Type": "Notification", "MessageId": "m-1", "TopicArn": "arn:aws:sns:eu-west-1:1:t", "Subject": "hello",
        "Message": "it is ä test", "Timestamp": "2026-11-20T10:00:00.000Z", "SignatureVersion": version,
        "Signature": signature, "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/a.pem",
        "UnsubscribeURL": "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
    })
}

fn is_signed(envelope: Value) -> bool {
    let envelope: Envelope = serde_json::from_value(envelope).unwrap();
    envelope.is_signed_by(&public_key(CERTIFICATE).unwrap())
}

#[test]
fn both_versions_of_signatures_are_understood() {
    assert!(is_signed(envelope("1", BY_SHA1)));
    assert!(is_signed(envelope("2", BY_SHA256)));
    assert!(!is_signed(envelope("2", BY_SHA1)));
    assert!(!is_signed(envelope("3", BY_SHA256)));
}

#[test]
fn a_changed_message_is_not_signed() {
    for member in [
        "Message",
        "MessageId",
        "TopicArn",
        "Timestamp",
        "Subject",
        "Type",
    ] {
        let mut changed = envelope("2", BY_SHA256);
        changed[member] = json!("SubscriptionConfirmation");
        assert!(!is_signed(changed), "{member}");
    }
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
