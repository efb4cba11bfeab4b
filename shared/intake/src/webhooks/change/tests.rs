mod any_payload;
mod names_and_texts;

use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use tarsy_config::{AlertMasker, Config, Environment, Source, WebhookConfig};
use tarsy_model::Change;

use super::*;

/// A time after the events of the payloads, and within the tolerance for clocks.
const NOW_US: i64 = 1_795_000_000_000_000;
const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// Creates a source of this format, with more keys.
fn source(format: &str, more: &str) -> (WebhookConfig, AlertMasker) {
    let text = format!("webhooks: {{s: {{type: change, format: {format}{more}}}}}");
    let source = Source::Text {
        name: "test".to_owned(),
        text,
    };
    let config =
        Config::load(&source, &Environment::from_pairs([("OPENAI_API_KEY", "x")])).unwrap();
    let masker = AlertMasker::from_config(&config);
    (config.webhook("s").unwrap().clone(), masker)
}

fn judged(source: &(WebhookConfig, AlertMasker), headers: &HeaderMap, body: &str) -> Vec<Verdict> {
    verdicts(&judge(source), headers, body).unwrap()
}

fn judge((source, masker): &(WebhookConfig, AlertMasker)) -> Judge<'_> {
    Judge {
        source,
        change: source.change.as_ref().unwrap(),
        masker,
        now_us: NOW_US,
    }
}

fn only(format: &str, more: &str, payload: &Value) -> Change {
    let mut all = changes(&judged(
        &source(format, more),
        &HeaderMap::new(),
        &payload.to_string(),
    ));
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn changes(verdicts: &[Verdict]) -> Vec<Change> {
    let changes = Verdict::changes(verdicts).into_iter();
    changes.map(|new| new.change).collect()
}

/// Returns the error of the rejected change of a payload.
fn refusal(format: &str, more: &str, payload: &Value) -> String {
    let verdicts = judged(
        &source(format, more),
        &HeaderMap::new(),
        &payload.to_string(),
    );
    match &verdicts[0].action {
        Action::Reject(error) => format!("{error:?}"),
        other => panic!("{other:?}"),
    }
}

fn is_ignored(format: &str, payload: &Value) -> bool {
    let verdicts = judged(&source(format, ""), &HeaderMap::new(), &payload.to_string());
    matches!(verdicts[0].action, Action::Ignore)
}

/// Returns kind, title, service, author and revision of a change.
fn fields_of(change: &Change) -> [String; 5] {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    [
        change.kind.clone(),
        change.title.clone(),
        text(&change.service),
        text(&change.author),
        text(&change.revision),
    ]
}

const COMMIT: &str = "6113728f27ae82c7b1a177c8d03f9e96e0adf246";

/// Creates a payload with the members of `push` that docs.github.com lists.
fn push(reference: &str, message: &str) -> Value {
    json!({
        "ref": reference, "before": "c5b97d5ae6c19d5c5df71a34c7fbeeda2479ccbc", "after": COMMIT,
        "base_ref": null, "created": false, "deleted": false, "forced": false,
        "compare": "https://github.com/example/cart/compare/c5b97d5ae6c1...6113728f27ae",
        "commits": [{"id": "c", "message": "One"}, {"id": COMMIT, "message": message}],
        "head_commit": {"id": COMMIT, "message": message, "timestamp": "2026-11-01T10:00:00Z",
                        "url": "https://github.com/example/cart/commit/6113728f27ae", "author": {"name": "Ada", "username": "ada"}},
        "repository": {"id": 1, "name": "cart", "full_name": "example/cart", "default_branch": "main", "pushed_at": 1_793_000_000,
                       "html_url": "https://github.com/example/cart"},
        "pusher": {"name": "ada", "email": "ada@example.com"}, "sender": {"login": "ada"},
    })
}

#[test]
fn every_format_has_a_sender_whose_fields_exist() {
    let fields = [
        "id",
        "time",
        "kind",
        "title",
        "service",
        "namespace",
        "cluster",
        "author",
        "revision",
        "link",
    ];
    let senders = formats::fields(&SENDERS).unwrap();
    assert!(
        ChangeFormat::WORDS
            .iter()
            .all(|word| senders.contains_key(*word))
    );
    let unknown = senders
        .values()
        .flatten()
        .find(|name| !fields.contains(name));
    assert_eq!(unknown, None);
}

#[test]
fn a_push_to_the_default_branch_of_github_is_a_change() {
    let change = only(
        "github",
        "",
        &push("refs/heads/main", "Raise the pool size\n\nBecause."),
    );
    let title = "Raise the pool size (and 1 more commit)";
    assert_eq!(fields_of(&change), ["push", title, "cart", "ada", COMMIT]);
    assert_eq!(change.happened_at_us.0, 1_793_000_000_000_000);
    let link = "https://github.com/example/cart/compare/c5b97d5ae6c1...6113728f27ae";
    assert_eq!(change.link.as_deref(), Some(link));
    assert!(is_ignored("github", &push("refs/heads/feature", "Try")));
    let release = only(
        "github",
        ", branches: [release]",
        &push("refs/heads/release", "Cut"),
    );
    assert_eq!(release.title, "Cut (and 1 more commit)");
    let tag = only("github", "", &push("refs/tags/v2", "Cut"));
    assert_eq!(tag.title, "Tagged v2: Cut (and 1 more commit)");
    let mut deleted = push("refs/heads/main", "x");
    deleted["after"] = json!("0".repeat(40));
    deleted["commits"] = json!([]);
    deleted["head_commit"] = json!(null);
    let deleted = only("github", "", &deleted);
    assert_eq!(
        (&*deleted.title, deleted.revision),
        ("Deleted branch main", None)
    );
}

#[test]
fn deployments_and_releases_of_github_are_changes() {
    let deployment = json!({
        "id": 145_988_746, "sha": COMMIT, "ref": "v2.4.1", "task": "deploy", "environment": "production", "description": null,
        "creator": {"login": "ci"}, "created_at": "2026-11-01T10:00:00Z", "updated_at": "2026-11-01T10:00:00Z",
        "url": "https://api.github.com/repos/example/cart/deployments/145988746",
    });
    let repository = json!({"name": "cart", "full_name": "example/cart", "html_url": "https://github.com/example/cart"});
    let begun = json!({"action": "created", "deployment": deployment, "repository": repository, "workflow_run": null});
    let begun = only("github", "", &begun);
    assert_eq!(
        fields_of(&begun),
        [
            "deployment",
            "Deploying v2.4.1 to production",
            "cart",
            "ci",
            COMMIT
        ]
    );
    let status = |state: &str| {
        json!({
            "action": "created", "deployment": deployment, "repository": repository,
            "deployment_status": {"id": 7, "state": state, "created_at": "2026-11-01T10:03:00Z", "creator": {"login": "bot"},
                                  "target_url": "", "log_url": "https://github.com/example/cart/actions/runs/1"},
        })
    };
    let ended = only("github", "", &status("success"));
    assert_eq!(ended.title, "Deployed v2.4.1 to production");
    assert_eq!(
        ended.link.as_deref(),
        Some("https://github.com/example/cart/actions/runs/1")
    );
    assert_ne!(ended.external_id, begun.external_id);
    assert_eq!(
        only("github", "", &status("failure")).title,
        "Deployment of v2.4.1 to production failed"
    );
    assert!(is_ignored("github", &status("in_progress")));
    let release = |action: &str| {
        json!({
            "action": action, "repository": repository,
            "release": {"id": 11, "tag_name": "v2.4.1", "name": "Faster checkout", "published_at": "2026-11-01T09:00:00Z",
                        "html_url": "https://github.com/example/cart/releases/tag/v2.4.1", "author": {"login": "ada"}},
        })
    };
    let released = only("github", "", &release("published"));
    assert_eq!(
        fields_of(&released),
        [
            "release",
            "Released v2.4.1: Faster checkout",
            "cart",
            "ada",
            "v2.4.1"
        ]
    );
    assert!(is_ignored("github", &release("edited")));
    assert!(is_ignored(
        "github",
        &json!({"zen": "Keep it logically awesome.", "hook_id": 1})
    ));
}

#[test]
fn pushes_and_deployments_of_gitlab_are_changes() {
    let project = json!({"name": "Cart", "path_with_namespace": "shop/cart", "default_branch": "main",
                         "web_url": "https://gitlab.example.com/shop/cart"});
    let push = json!({
        "object_kind": "push", "event_name": "push", "before": "95790bf891e76fee5e1747ab589903a6a1f80f22", "after": COMMIT,
        "ref": "refs/heads/main", "checkout_sha": COMMIT, "user_name": "Ada", "user_username": "ada", "project": project,
        "commits": [{"id": "b6568db1bc1dcd7f8b4d5a946b0b91f9dacd7327", "title": "Older"},
                    {"id": COMMIT, "message": "Raise the limit\n", "title": "Raise the limit", "timestamp": "2026-11-01T10:00:00+02:00",
                     "url": "https://gitlab.example.com/shop/cart/-/commit/6113728f"}],
        "total_commits_count": 4,
    });
    let pushed = only("gitlab", "", &push);
    let title = "Raise the limit (and 3 more commits)";
    assert_eq!(fields_of(&pushed), ["push", title, "cart", "ada", COMMIT]);
    assert_eq!(
        pushed.happened_at_us.0, NOW_US,
        "no time of the push is told"
    );
    let deployment = |status: &str| {
        json!({
            "object_kind": "deployment", "status": status, "status_changed_at": "2026-11-01 21:50:00 +0200", "deployment_id": 15,
            "deployable_id": 796, "deployable_url": "https://gitlab.example.com/shop/cart/-/jobs/796", "environment": "production",
            "environment_tier": "production", "project": project, "short_sha": "279484c0", "ref": "main",
            "user": {"name": "Ada", "username": "ada"}, "commit_url": "https://gitlab.example.com/c", "commit_title": "Add a cache",
        })
    };
    let deployed = only("gitlab", "", &deployment("success"));
    assert_eq!(
        fields_of(&deployed),
        [
            "deployment",
            "Deployed main to production: Add a cache",
            "cart",
            "ada",
            "279484c0"
        ]
    );
    assert_eq!(deployed.happened_at_us.0, 1_793_562_600_000_000);
    assert!(is_ignored("gitlab", &deployment("running")));
    assert!(is_ignored(
        "gitlab",
        &json!({"object_kind": "merge_request"})
    ));
}

#[test]
fn the_end_of_a_sync_of_argo_cd_is_a_change() {
    let payload = |phase: &str| {
        json!({
            "context": {"argocdUrl": "https://argo.example.com/"},
            "app": {
                "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
                "metadata": {"name": "cart", "namespace": "argocd", "uid": "6e6ba4c6"},
                "spec": {"destination": {"namespace": "shop", "name": "eu-1"}, "project": "default",
                         "source": {"repoURL": "https://github.com/example/deploy", "path": "cart"}},
                "status": {
                    "health": {"status": "Healthy"}, "sync": {"status": "Synced", "revision": COMMIT},
                    "operationState": {
                        "phase": phase, "message": "one or more objects failed to apply\nlong", "startedAt": "2026-11-01T10:00:00Z",
                        "finishedAt": "2026-11-01T10:01:00Z", "syncResult": {"revision": COMMIT},
                        "operation": {"initiatedBy": {"username": "ada"}, "sync": {"revision": COMMIT}},
                    },
                },
            },
        })
    };
    let synced = only("argo-cd", "", &payload("Succeeded"));
    assert_eq!(
        fields_of(&synced),
        ["sync", "Synced cart to 6113728", "cart", "ada", COMMIT]
    );
    assert_eq!(
        (synced.namespace.as_deref(), synced.cluster.as_deref()),
        (Some("shop"), Some("eu-1"))
    );
    assert_eq!(
        synced.link.as_deref(),
        Some("https://argo.example.com/applications/argocd/cart")
    );
    let failed = only("argo-cd", "", &payload("Failed"));
    assert_eq!(
        failed.title,
        "Sync of cart failed: one or more objects failed to apply"
    );
    assert_ne!(failed.external_id, synced.external_id);
    assert!(is_ignored("argo-cd", &payload("Running")));
    let body = json!({"text": "cart was synced"}).to_string();
    let source = source("argo-cd", "");
    let error = verdicts(&judge(&source), &HeaderMap::new(), &body).unwrap_err();
    assert!(format!("{error:?}").contains("app.metadata.name"));
}

#[test]
fn an_event_of_flux_is_a_change_once_for_each_revision() {
    let event = |timestamp: &str, reason: &str, severity: &str| {
        json!({
            "involvedObject": {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "name": "cart",
                               "namespace": "shop", "uid": "7d0cdc51"},
            "severity": severity, "timestamp": timestamp, "reason": reason,
            "message": "Reconciliation finished in 1.2s, next run in 10m0s",
            "metadata": {"kustomize.toolkit.fluxcd.io/revision": "main@sha1:6113728f"},
            "reportingController": "kustomize-controller", "reportingInstance": "kustomize-controller-7",
        })
    };
    let change =
        |timestamp: &str, reason: &str| only("flux", "", &event(timestamp, reason, "info"));
    let first = change("2026-11-01T10:00:00Z", "ReconciliationSucceeded");
    let title = "Kustomization cart: Reconciliation finished in 1.2s, next run in 10m0s";
    let expected = [
        "reconciliation",
        title,
        "cart",
        "kustomize-controller",
        "main@sha1:6113728f",
    ];
    assert_eq!(fields_of(&first), expected);
    let again = change("2026-11-01T10:10:00Z", "ReconciliationSucceeded");
    assert_eq!(first.external_id, again.external_id);
    let drift = change("2026-11-01T10:10:00Z", "Progressing");
    assert_ne!(
        drift.external_id,
        change("2026-11-01T10:20:00Z", "Progressing").external_id
    );
    let failed = only(
        "flux",
        "",
        &event("2026-11-01T10:00:00Z", "HealthCheckFailed", "error"),
    );
    assert_eq!(failed.kind, "failed reconciliation");
}
