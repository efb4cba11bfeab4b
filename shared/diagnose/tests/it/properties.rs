//! No input makes the engine panic, and the order of results does not change the first finding.

use proptest::prelude::*;
use serde_json::json;
use tarsy_diagnose::{Cluster, Source, diagnose, report, wanted};

use crate::cases::all;

fn tool() -> impl Strategy<Value = String> {
    let tools = [
        "pods_list",
        "pods_get",
        "pods_log",
        "events_list",
        "resources_list",
        "resources_get",
        "kubectl_describe",
        "nodes",
    ];
    prop::sample::select(tools.to_vec()).prop_map(str::to_owned)
}

fn source(text: impl Strategy<Value = String>) -> impl Strategy<Value = Source> {
    let kinds = [
        "Pod",
        "pods",
        "Node",
        "service",
        "PersistentVolumeClaim",
        "ResourceQuota",
        "NetworkPolicy",
        "?",
    ];
    (
        tool(),
        prop::sample::select(kinds.to_vec()),
        "[a-z]{0,3}",
        text,
    )
        .prop_map(|(tool, kind, name, text)| Source {
            tool,
            arguments: json!({"kind": kind, "name": name, "namespace": "a"}),
            text,
        })
}

fn read_all(sources: Vec<Source>) {
    let alert = json!({"namespace": "a", "text": "pod a in namespace a-1 is Terminating"});
    let mut cluster = Cluster::default();
    for source in sources {
        cluster.add(source);
        let _ = wanted(&cluster, &alert);
    }
    let _ = report(&cluster.diagnose(&alert));
}

proptest! {
    #[test]
    fn any_text_is_read(sources in prop::collection::vec(source("\\PC{0,300}"), 0..4)) {
        read_all(sources);
    }

    #[test]
    fn any_lines_of_kubernetes_are_read(lines in prop::collection::vec(prop::sample::select(vec![
        "NAME  READY  STATUS  RESTARTS  AGE", "NAMESPACE   LAST SEEN   TYPE   REASON   OBJECT   MESSAGE", "Name:  a", "Containers:", "  a:",
        "    State:  Waiting", "      Reason:  CrashLoopBackOff", "Events:", "  Warning  Failed  1m (x  a  b", "apiVersion: v1", "kind: Pod",
        "metadata:", "template: a", "  name: é", "  labels: {a: b}", "- a: b", "-", "- - - x", "status: |", "  ", "a  0/1  Pending  3  1m", "{\"kind\": \"Pod\"", "---",
        "spec:", "Ports:  a/b, 1/", "0/3 nodes are available: 1 {a, 2 }} é,,", "Liveness:  http-get http://", "exceeded quota:", "Taints:  é",
    ]), 0..40), cut in 0_usize..600) {
        let whole = lines.join("\n");
        let text: String = whole.chars().take(cut).collect();
        let sources = ["pods_list", "resources_get", "pods_log"].map(|tool| Source {
            tool: tool.to_owned(), arguments: json!({"namespace": "a", "name": "é"}), text: text.clone(),
        });
        read_all(sources.to_vec());
    }

    #[test]
    fn cut_results_are_read(which in 0_usize..200, cut in 0_usize..4_000) {
        let cases = all();
        let case = &cases[which % cases.len()];
        let mut sources = case.sources.clone();
        for source in &mut sources {
            source.text = source.text.chars().take(cut).collect();
        }
        read_all(sources);
    }

    #[test]
    fn the_order_of_results_does_not_change_what_is_found_first(which in 0_usize..200) {
        let cases = all();
        let case = &cases[which % cases.len()];
        let mut turned = case.sources.clone();
        turned.reverse();
        let first = |sources| diagnose(sources, &case.alert).first().map(|found| (found.object.clone(), found.cause));
        prop_assert_eq!(first(case.sources.clone()), first(turned), "{}", case.name);
    }
}
