//! Kinds of Kubernetes objects and their spellings.

/// Each kind with the words that stand for it.
const KINDS: &str = include_str!("kinds.txt");

/// Returns the kind that a word stands for: `Deployment` for `deploy`, `deployments` and `deployments.apps`.
pub(crate) fn canonical(word: &str) -> Option<&'static str> {
    let lower = word.to_ascii_lowercase();
    let plain = lower.split('.').next().unwrap_or_default();
    let singular = plain.strip_suffix('s').unwrap_or(plain);
    let mut kinds = KINDS.lines().filter_map(|line| line.split_once(": "));
    let is_named = |words: &str| {
        words
            .split(' ')
            .any(|known| known == plain || known == singular)
    };
    let (kind, _) = kinds.find(|(_, words)| is_named(words))?;
    Some(kind)
}

/// Whether objects of a kind belong to no namespace.
pub(crate) fn is_of_cluster(kind: &str) -> bool {
    matches!(
        kind,
        "Node" | "Namespace" | "PersistentVolume" | "StorageClass"
    ) || kind.ends_with("WebhookConfiguration")
}

/// Whether objects of a kind own pods.
pub(crate) fn is_workload(kind: &str) -> bool {
    matches!(
        kind,
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "CronJob"
    )
}
