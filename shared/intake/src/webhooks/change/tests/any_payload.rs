//! Arbitrary JSON payloads, which no real sender sends.

use http::HeaderMap;
use proptest::prelude::*;
use serde_json::Value;
use tarsy_model::is_hidden;

use super::{NOW_US, source, verdicts};
use crate::webhooks::Verdict;

fn any_json() -> impl Strategy<Value = Value> {
    let name = || {
        prop::sample::select(vec![
            "title",
            "id",
            "time",
            "ref",
            "after",
            "before",
            "repository",
            "full_name",
            "deployment",
            "release",
            "app",
            "metadata",
            "name",
            "status",
            "operationState",
            "phase",
            "involvedObject",
            "kind",
            "object_kind",
            "project",
            "commits",
            "data",
            "specversion",
            "source",
            "type",
            "link",
            "a.b",
            "",
        ])
    };
    let text = prop_oneof![
        ".{0,30}",
        Just("push".to_owned()),
        Just("deployment".to_owned()),
        Just("refs/heads/main".to_owned()),
        Just("Failed".to_owned()),
        Just("https://example.com/\u{202e}x".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(name().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Holds for any payload. The same payload gives the same change, texts are bounded lines
    /// without hidden characters, and links are http or https.
    #[test]
    fn any_payload_is_judged_alike_and_stored_as_visible_lines(payload in any_json()) {
        for format in ["github", "gitlab", "argo-cd", "flux", "cloudevents", "generic"] {
            let source = source(format, "");
            let body = payload.to_string();
            let judge = || verdicts(&super::judge(&source), &HeaderMap::new(), &body);
            let Ok(judged) = judge() else { continue };
            let again = judge().unwrap();
            for (new, same) in Verdict::changes(&judged).iter().zip(Verdict::changes(&again)) {
                prop_assert_eq!(new.key, same.key);
                let change = &new.change;
                let texts = [Some(&change.title), Some(&change.external_id), Some(&change.kind), change.service.as_ref(),
                             change.namespace.as_ref(), change.cluster.as_ref(), change.author.as_ref(), change.revision.as_ref()];
                for text in texts.into_iter().flatten() {
                    prop_assert!(text.chars().count() <= 400 && !text.contains(is_hidden), "{:?}", text);
                }
                let link = change.link.as_deref().unwrap_or("https://");
                prop_assert!(link.starts_with("https://") || link.starts_with("http://"), "{}", link);
                prop_assert!(change.happened_at_us.0 > 0 && change.happened_at_us.0 <= NOW_US + 3_600_000_000);
            }
        }
    }
}
