//! Where values of changes are found, and what becomes of their texts: CloudEvents, mappings, masking, names of the file.

use super::*;

#[test]
fn cloudevents_are_changes_in_every_mode() {
    let event = json!({
        "specversion": "1.0", "id": "A234-1", "source": "/ci/deployer", "type": "com.example.deployed", "subject": "cart",
        "time": "2026-11-01T10:00:00Z", "data": {"title": "Deployed cart 2.4.1", "version": "2.4.1", "user": "ada"},
    });
    let structured = only("cloudevents", "", &event);
    let expected = [
        "com.example.deployed",
        "Deployed cart 2.4.1",
        "cart",
        "ada",
        "2.4.1",
    ];
    assert_eq!(fields_of(&structured), expected);
    assert_eq!(structured.external_id, "/ci/deployer#A234-1");

    let mut headers = HeaderMap::new();
    for name in ["specversion", "id", "source", "type", "subject", "time"] {
        let value = HeaderValue::from_str(event[name].as_str().unwrap()).unwrap();
        headers.insert(
            http::HeaderName::try_from(format!("ce-{name}")).unwrap(),
            value,
        );
    }
    let body = event["data"].to_string();
    let binary = changes(&judged(&source("cloudevents", ""), &headers, &body));
    assert_eq!(fields_of(&binary[0]), expected);
    assert_eq!(binary[0].external_id, structured.external_id);

    let mut headers = HeaderMap::new();
    let batched = HeaderValue::from_static("application/cloudevents-batch+json");
    headers.insert("content-type", batched);
    let mut other = event.clone();
    other["id"] = json!("A234-2");
    other["data"] = json!(null);
    let body = json!([event, other]).to_string();
    let batch = changes(&judged(&source("cloudevents", ""), &headers, &body));
    assert_eq!(batch[1].title, "com.example.deployed: cart");
}

#[test]
fn a_mapping_defines_where_values_are_and_what_they_mean() {
    let fields = ", fields: {title: {labels: [build.what]}, service: {labels: [build.repo], values: {shop-frontend: frontend}}, \
        namespace: {default: shop}, id: {labels: [build.number]}, time: {labels: [build.at]}, link: {labels: [build.page]}, \
        kind: {default: build}}";
    let payload = |at: Value, page: &str| json!({"id": "outer", "build": {"what": "Build 7", "repo": "shop-frontend", "number": 7, "at": at, "page": page}});
    let change = only(
        "generic",
        fields,
        &payload(json!(1_793_000_000), "http://ci.example.com/7"),
    );
    assert_eq!(fields_of(&change), ["build", "Build 7", "frontend", "", ""]);
    assert_eq!(
        (&*change.external_id, change.namespace.as_deref()),
        ("7", Some("shop"))
    );
    assert_eq!(change.happened_at_us.0, 1_793_000_000_000_000);
    for (payload, part) in [
        (
            payload(json!("soon"), "http://ci.example.com/7"),
            "neither RFC 3339",
        ),
        (
            payload(json!(1), "javascript:alert(1)"),
            "not an http or https link",
        ),
        (json!({"build": {}}), "fields.title"),
    ] {
        let error = refusal("generic", fields, &payload);
        assert!(error.contains(part), "{error}");
    }
    // A mapping with only values translates what the format found.
    let change = only(
        "github",
        ", fields: {service: {values: {cart: checkout}}}",
        &push("refs/heads/main", "x"),
    );
    assert_eq!(change.service.as_deref(), Some("checkout"));
}

#[test]
fn secrets_are_masked_and_hidden_characters_are_shown() {
    let message = format!("Use {TOKEN} \u{202e}now\u{200b}");
    let change = only("github", "", &push("refs/heads/main", &message));
    assert!(!format!("{change:?}").contains(TOKEN), "{change:?}");
    assert!(change.title.starts_with("Use [MASKED_"), "{}", change.title);
    assert!(
        change.title.contains(r"\u{202e}now\u{200b}"),
        "{}",
        change.title
    );
    // Hashes of commits are not masked as secrets.
    assert_eq!(change.revision.as_deref(), Some(COMMIT));
    let future = only(
        "generic",
        "",
        &json!({"title": "x", "time": "2090-01-01T00:00:00Z"}),
    );
    assert_eq!(future.happened_at_us.0, NOW_US);
    let long = only(
        "generic",
        "",
        &json!({"title": "ä".repeat(9_000), "id": "i".repeat(400)}),
    );
    assert_eq!(long.title.chars().count(), 301);
    assert!(long.external_id.starts_with("sha256:"));
}

/// Members of a payload that are called like values of `senders.yaml` don't replace these.
#[test]
fn members_called_like_values_of_the_file_change_nothing() {
    let members = json!({
        "branches": ["refs/heads/side", "side"], "payload": {"ref": "refs/heads/main"}, "delivery": "other", "event": "push",
        "is_wanted": true, "is_deleted": true, "what": "tag", "name": "main", "main_branch": "side", "headline": "x",
        "line": "x", "count": 9, "time": "2020-01-01T00:00:00Z", "when": true, "id": "x", "title": "x", "kind": "x",
    });
    let with_members = |mut payload: Value| {
        let own = payload.as_object_mut().unwrap();
        own.extend(members.as_object().unwrap().clone());
        payload
    };
    let aside = push("refs/heads/side", "Try");
    assert!(is_ignored("github", &aside));
    assert!(is_ignored("github", &with_members(aside)));
    let main = push("refs/heads/main", "Raise the limit");
    let (plain, odd) = (
        only("github", "", &main),
        only("github", "", &with_members(main)),
    );
    assert_eq!(fields_of(&odd), fields_of(&plain));
    assert_eq!(odd.external_id, plain.external_id);
    assert_eq!(odd.happened_at_us, plain.happened_at_us);
}
