//! Causes of failures.

use serde::{Deserialize, Serialize};

macro_rules! causes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $tier:ident;)*) => {
        /// A cause of a failure. The words are stable: labels, conditions and tests may use them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Cause {
            $($(#[$doc])* $name,)*
        }

        impl Cause {
            /// Every cause.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the word of the cause, e.g. `quota_exceeded`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Returns the cause with this word; `None` for an unknown word.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|cause| cause.as_str() == word)
            }

            /// Returns how close the cause is to the origin: from 90, if no other cause explains it, down to 10 for a
            /// mere symptom.
            pub(crate) const fn tier(self) -> i32 {
                match self { $(Self::$name => $tier,)* }
            }
        }
    };
}

const ORIGIN: i32 = 90;
const LIKELY: i32 = 75;
const EFFECT: i32 = 50;
const SYMPTOM: i32 = 20;
const REST: i32 = 10;

causes! {
    /// The registry has no such image or tag.
    ImageNotFound = "image_not_found", ORIGIN;
    /// The registry refused the pull: credentials are missing or wrong.
    ImagePullDenied = "image_pull_denied", ORIGIN;
    /// The registry can't be reached.
    RegistryUnreachable = "registry_unreachable", ORIGIN;
    /// The name of the image is malformed.
    ImageNameInvalid = "image_name_invalid", ORIGIN;
    /// The kernel killed a container at its memory limit.
    OutOfMemory = "out_of_memory", ORIGIN;
    /// The command can't be executed, or the shell rejects it.
    BadCommand = "bad_command", ORIGIN;
    /// A setting that the application needs is not set.
    MissingEnvironment = "missing_environment", ORIGIN;
    /// A configuration file or value is rejected by the application.
    BadConfiguration = "bad_configuration", LIKELY;
    /// A container exits again and again.
    CrashLoop = "crash_loop", SYMPTOM;
    /// A liveness probe fails, so the container is restarted.
    LivenessProbe = "liveness_probe", LIKELY;
    /// A readiness probe fails, so the pod gets no traffic.
    ReadinessProbe = "readiness_probe", LIKELY;
    /// A startup probe fails, so the container is restarted.
    StartupProbe = "startup_probe", LIKELY;
    /// An operator marked the node as unschedulable.
    NodeCordoned = "node_cordoned", ORIGIN;
    /// The pod does not tolerate a taint.
    TaintNotTolerated = "taint_not_tolerated", ORIGIN;
    /// No node has the labels that the pod asks for.
    NodeAffinity = "node_affinity", ORIGIN;
    /// Affinity or anti-affinity to other pods excludes the nodes.
    PodAffinity = "pod_affinity", ORIGIN;
    /// A topology spread constraint excludes the nodes.
    TopologySpread = "topology_spread", ORIGIN;
    /// No node has enough CPU left.
    InsufficientCpu = "insufficient_cpu", ORIGIN;
    /// No node has enough memory left.
    InsufficientMemory = "insufficient_memory", ORIGIN;
    /// No node has enough of another resource, e.g. GPUs.
    InsufficientResource = "insufficient_resource", ORIGIN;
    /// A node runs the maximum number of pods.
    TooManyPods = "too_many_pods", ORIGIN;
    /// The host port is already taken on the node.
    HostPortTaken = "host_port_taken", ORIGIN;
    /// A `Secret`, `ConfigMap`, `ServiceAccount` or other object does not exist.
    MissingReference = "missing_reference", ORIGIN;
    /// A persistent volume claim does not get a volume.
    VolumeNotBound = "volume_not_bound", ORIGIN;
    /// A volume can't be attached or mounted.
    VolumeMount = "volume_mount", LIKELY;
    /// A quota of the namespace is exhausted.
    QuotaExceeded = "quota_exceeded", ORIGIN;
    /// A limit range or another admission rule rejects the pods.
    AdmissionDenied = "admission_denied", ORIGIN;
    /// An admission webhook can't be called.
    WebhookUnavailable = "webhook_unavailable", ORIGIN;
    /// No pod has the labels that a service selects.
    ServiceSelector = "service_selector", ORIGIN;
    /// A service sends to a port where no container listens.
    ServicePort = "service_port", ORIGIN;
    /// A service and its containers use different protocols.
    ServiceProtocol = "service_protocol", ORIGIN;
    /// A setting names a service or port that does not exist.
    WrongAddress = "wrong_address", ORIGIN;
    /// Credentials are rejected.
    WrongCredentials = "wrong_credentials", ORIGIN;
    /// The service account lacks a permission.
    PermissionDenied = "permission_denied", LIKELY;
    /// A host name can't be resolved.
    DnsFailure = "dns_failure", LIKELY;
    /// A network policy blocks the traffic.
    NetworkPolicy = "network_policy", ORIGIN;
    /// Packets are late or lost.
    NetworkDelay = "network_delay", LIKELY;
    /// Something that the application calls does not answer.
    DependencyUnreachable = "dependency_unreachable", EFFECT;
    /// A certificate has expired or is not trusted.
    Certificate = "certificate", ORIGIN;
    /// A disk is full or read-only.
    DiskFull = "disk_full", ORIGIN;
    /// A port is used by another process.
    PortInUse = "port_in_use", ORIGIN;
    /// A node is not ready.
    NodeNotReady = "node_not_ready", ORIGIN;
    /// A node lacks memory, disk or process ids.
    NodePressure = "node_pressure", ORIGIN;
    /// A finalizer, or resources that can't be listed, block a deletion.
    FinalizerStuck = "finalizer_stuck", ORIGIN;
    /// An autoscaler has no metrics.
    AutoscalerMetrics = "autoscaler_metrics", LIKELY;
    /// A job failed, or has failed pods and no successful one.
    JobFailed = "job_failed", SYMPTOM;
    /// Replicas are missing for an unknown reason.
    ReplicasUnavailable = "replicas_unavailable", REST;
}
