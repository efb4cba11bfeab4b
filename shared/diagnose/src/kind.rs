//! Kinds of Kubernetes objects, and the words that name them.

/// Each kind with the words that name it in calls and tables, in lower case and singular.
const KINDS: [(&str, &[&str]); 27] = [
    ("Pod", &["pod", "po"]),
    ("Event", &["event", "ev"]),
    ("Deployment", &["deployment", "deploy"]),
    ("ReplicaSet", &["replicaset", "rs"]),
    ("StatefulSet", &["statefulset", "sts"]),
    ("DaemonSet", &["daemonset", "ds"]),
    ("Job", &["job"]),
    ("CronJob", &["cronjob", "cj"]),
    ("Service", &["service", "svc"]),
    ("Endpoints", &["endpoint", "ep"]),
    ("Ingress", &["ingress", "ingresse", "ing"]),
    ("Node", &["node", "no"]),
    ("Namespace", &["namespace", "n"]),
    ("PersistentVolumeClaim", &["persistentvolumeclaim", "pvc"]),
    ("PersistentVolume", &["persistentvolume", "pv"]),
    ("StorageClass", &["storageclass", "storageclasse", "sc"]),
    ("ConfigMap", &["configmap", "cm"]),
    ("Secret", &["secret"]),
    ("ServiceAccount", &["serviceaccount", "sa"]),
    ("ResourceQuota", &["resourcequota", "quota"]),
    ("LimitRange", &["limitrange", "limit"]),
    (
        "NetworkPolicy",
        &["networkpolicy", "networkpolicie", "netpol"],
    ),
    (
        "HorizontalPodAutoscaler",
        &["horizontalpodautoscaler", "hpa"],
    ),
    ("EndpointSlice", &["endpointslice"]),
    ("PodDisruptionBudget", &["poddisruptionbudget", "pdb"]),
    (
        "ValidatingWebhookConfiguration",
        &["validatingwebhookconfiguration"],
    ),
    (
        "MutatingWebhookConfiguration",
        &["mutatingwebhookconfiguration"],
    ),
];

/// The kind that a word names: `Deployment` for `deploy`, `deployments` and `deployments.apps`.
pub(crate) fn canonical(word: &str) -> Option<&'static str> {
    let lower = word.to_ascii_lowercase();
    let plain = lower.split('.').next().unwrap_or_default();
    let singular = plain.strip_suffix('s').unwrap_or(plain);
    let named = |kind: &(&'static str, &[&str])| {
        kind.1
            .iter()
            .any(|known| *known == plain || *known == singular)
            .then_some(kind.0)
    };
    KINDS.iter().find_map(named)
}

/// Kinds that belong to no namespace.
pub(crate) fn is_of_cluster(kind: &str) -> bool {
    matches!(
        kind,
        "Node" | "Namespace" | "PersistentVolume" | "StorageClass"
    ) || kind.ends_with("WebhookConfiguration")
}

/// Kinds that own pods.
pub(crate) fn is_workload(kind: &str) -> bool {
    matches!(
        kind,
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "CronJob"
    )
}
