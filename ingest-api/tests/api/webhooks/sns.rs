//! Amazon SNS, which anyone may claim to be.

use serde_json::json;
use tarsy_config::{Environment, Source};

use super::{send, server};

#[tokio::test]
async fn sns_is_asked_only_at_its_own_addresses() {
    let server = server().await;
    let envelope = |topic: &str, certificate: &str| {
        json!({"Type": "SubscriptionConfirmation", "MessageId": "m", "TopicArn": topic, "Message": "m", "Token": "t",
               "Timestamp": "2026-11-20T10:00:00.000Z", "SignatureVersion": "1", "Signature": "AAAA",
               "SubscribeURL": "http://169.254.169.254/", "SigningCertURL": certificate})
        .to_string()
    };
    let plain = [("content-type", "text/plain; charset=UTF-8".to_owned())];
    for (topic, certificate) in [
        (
            "arn:aws:sns:eu-west-1:2:other",
            "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-01.pem",
        ),
        (
            "arn:aws:sns:eu-west-1:1:t",
            "https://sns.eu-west-1.amazonaws.com/a.pem",
        ),
        ("arn:aws:sns:eu-west-1:1:t", "https://evil.example/a.pem"),
        ("arn:aws:sns:eu-west-1:1:t", "http://169.254.169.254/a.pem"),
    ] {
        let answer = send(&server, "sns", &plain, &envelope(topic, certificate)).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body["code"]),
            (401, &json!("signature_not_valid"))
        );
    }
}

#[test]
fn sns_without_topics_is_no_configuration() {
    let source = Source::Text {
        name: "test".to_owned(),
        text: "webhooks: {sns: {}}".to_owned(),
    };
    let refused =
        tarsy_config::Config::load(&source, &Environment::from_pairs([("OPENAI_API_KEY", "x")]))
            .unwrap_err();
    assert!(format!("{refused}").contains("topics") || format!("{refused:?}").contains("topics"));
}
