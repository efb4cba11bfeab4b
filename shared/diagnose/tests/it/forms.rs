//! The same cluster in each form that tools return.

use serde_json::{Value, json};
use tarsy_diagnose::{Source, diagnose};

const TABLE: &str = "NAMESPACE   NAME                  READY   STATUS             RESTARTS   AGE\nshop        cart-7d4b9c6f5-x2x7k  0/1     ImagePullBackOff   0          5m\n";

const YAML: &str = "apiVersion: v1
kind: Pod
metadata:
  name: cart-7d4b9c6f5-x2x7k
  namespace: shop
  ownerReferences:
  - apiVersion: apps/v1
    kind: ReplicaSet
    name: cart-7d4b9c6f5
spec:
  containers:
  - image: shop/cart:9
    name: cart
status:
  containerStatuses:
  - name: cart
    ready: false
    restartCount: 0
    state:
      waiting:
        message: 'Back-off pulling image \"shop/cart:9\": manifest unknown'
        reason: ImagePullBackOff
  phase: Pending
";

const DESCRIBED: &str = "Name:             cart-7d4b9c6f5-x2x7k
Namespace:        shop
Node:             n1/10.0.0.1
Labels:           app=cart
                  pod-template-hash=7d4b9c6f5
Status:           Pending
Controlled By:  ReplicaSet/cart-7d4b9c6f5
Containers:
  cart:
    Image:          shop/cart:9
    State:          Waiting
      Reason:       ImagePullBackOff
    Ready:          False
    Restart Count:  0
Conditions:
  Type              Status
  Ready             False
QoS Class:                   BestEffort
Events:
  Type     Reason     Age                  From               Message
  ----     ------     ----                 ----               -------
  Warning  Failed     5m (x4 over 6m)      kubelet            Failed to pull image \"shop/cart:9\": manifest unknown
";

fn first(tool: &str, arguments: Value, text: &str) -> (String, String) {
    let source = Source {
        tool: tool.to_owned(),
        arguments,
        text: text.to_owned(),
    };
    let findings = diagnose(vec![source], &json!({"namespace": "shop"}));
    let first = findings.first();
    first.map_or_else(Default::default, |first| {
        (first.object.to_string(), first.cause.as_str().to_owned())
    })
}

#[test]
fn every_form_shows_the_same() {
    let expected = (
        "Deployment shop/cart".to_owned(),
        "image_not_found".to_owned(),
    );
    let get = json!({"name": "cart-7d4b9c6f5-x2x7k", "namespace": "shop"});
    assert_eq!(first("pods_list", json!({}), TABLE), expected);
    assert_eq!(first("pods_get", get.clone(), YAML), expected);
    assert_eq!(
        first(
            "kubectl_describe",
            json!({"kind": "pod", "name": "cart-7d4b9c6f5-x2x7k"}),
            DESCRIBED
        ),
        expected
    );
    assert_eq!(
        first(
            "kubectl_describe",
            json!({"kind": "pod"}),
            &format!("stdout:\n{DESCRIBED}\nstderr:\n")
        ),
        expected
    );
    let json = json!({"kind": "PodList", "items": [{
        "metadata": {"name": "cart-7d4b9c6f5-x2x7k", "namespace": "shop"},
        "status": {"phase": "Pending", "containerStatuses": [{"name": "cart", "ready": false, "restartCount": 0,
            "state": {"waiting": {"reason": "ErrImagePull", "message": "manifest unknown"}}}]},
    }]});
    assert_eq!(
        first("resources_list", json!({"kind": "Pod"}), &json.to_string()),
        expected
    );
    let flat = json!({"pods": [{"name": "cart-7d4b9c6f5-x2x7k", "namespace": "shop", "phase": "Pending", "containers": [
        {"name": "cart", "ready": false, "state": {"waiting": true, "reason": "ImagePullBackOff", "message": "not found"}},
    ]}]});
    assert_eq!(first("list_pods", json!({}), &flat.to_string()), expected);
    // YAML that was cut off.
    assert_eq!(first("pods_get", get, &YAML[..YAML.len() - 10]), expected);
}

#[test]
fn events_are_read_in_each_form() {
    let expected = (
        "ResourceQuota shop/team".to_owned(),
        "quota_exceeded".to_owned(),
    );
    let message = "Error creating: pods \"cart-7d4b9c6f5-\" is forbidden: exceeded quota: team, requested: pods=1, used: pods=9, limited: pods=9";
    let yaml = format!(
        "# The following events (YAML format) were found:\n- InvolvedObject:\n    Kind: ReplicaSet\n    Name: cart-7d4b9c6f5\n    apiVersion: apps/v1\n  Message: '{message}'\n  Namespace: shop\n  Reason: FailedCreate\n  Timestamp: 2026-11-02 10:00:00 +0000 UTC\n  Type: Warning\n"
    );
    let table = format!(
        "LAST SEEN   TYPE      REASON         OBJECT                       MESSAGE\n2m          Warning   FailedCreate   replicaset/cart-7d4b9c6f5    {message}\n"
    );
    let line = format!("Warning FailedCreate replicaset/cart-7d4b9c6f5 {message}\n");
    for text in [yaml, table, line] {
        assert_eq!(
            first("events_list", json!({"namespace": "shop"}), &text),
            expected,
            "{text}"
        );
    }
}

#[test]
fn every_row_of_words_names_a_cause_and_its_words_are_found_in_logs() {
    let pod = "NAME                    READY   STATUS             RESTARTS   AGE\ncart-7d4b9c6f5-x2x7k    0/1     CrashLoopBackOff   9          25m\n";
    for row in include_str!("../../src/rules/log_words.txt")
        .lines()
        .filter(|row| !row.starts_with('#'))
    {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert!(tarsy_diagnose::Cause::parse(cells[0]).is_some(), "{row}");
        assert!(
            cells[2..]
                .iter()
                .all(|word| !word.is_empty() && *word == word.to_lowercase()),
            "{row}"
        );
        for word in &cells[2..] {
            let log = Source {
                tool: "pods_log".to_owned(),
                arguments: json!({"name": "cart-7d4b9c6f5-x2x7k", "namespace": "shop"}),
                text: format!("start\n{word}\n"),
            };
            let pods = Source {
                tool: "pods_list".to_owned(),
                arguments: json!({"namespace": "shop"}),
                text: pod.to_owned(),
            };
            let findings = diagnose(vec![pods, log], &json!({"namespace": "shop"}));
            assert!(
                findings
                    .iter()
                    .any(|finding| finding.evidence.iter().any(|line| line.text == *word)),
                "{word}: {findings:?}"
            );
        }
    }
}

#[test]
fn every_word_of_pulls_and_of_the_scheduler_leads_to_the_cause_of_its_row() {
    let tables = [
        (
            include_str!("../../src/rules/image_words.txt"),
            "Failed pod/cart-7d4b9c6f5-x2x7k Failed to pull image \"shop/cart:7\":",
        ),
        (
            include_str!("../../src/rules/scheduler_words.txt"),
            "FailedScheduling pod/cart-7d4b9c6f5-x2x7k 0/3 nodes are available: 3 node(s)",
        ),
    ];
    for (table, said) in tables {
        for row in table.lines().filter(|row| !row.starts_with('#')) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let cause = tarsy_diagnose::Cause::parse(cells[0]);
            assert!(cause.is_some() && cells.len() > 2, "{row}");
            for word in &cells[2..] {
                let events = Source {
                    tool: "events_list".to_owned(),
                    arguments: json!({"namespace": "shop"}),
                    text: format!("Warning {said} {word}\n"),
                };
                let findings = diagnose(vec![events], &json!({"namespace": "shop"}));
                let found = findings.first().map(|finding| finding.cause);
                assert_eq!(found, cause, "{word}");
            }
        }
    }
}
