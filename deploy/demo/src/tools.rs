//! The tools and their schemas.

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

/// Returns all tools of the server.
pub(crate) fn all() -> Vec<Tool> {
    let api_version = (
        "apiVersion",
        text("apiVersion of the resource, e.g. v1, apps/v1, apiregistration.k8s.io/v1"),
    );
    let kind = (
        "kind",
        text("kind of the resource, e.g. Namespace, Pod, Deployment"),
    );
    let namespace = (
        "namespace",
        text("namespace; leave it out for cluster-scoped kinds or for all namespaces"),
    );
    let name = ("name", text("name of the resource"));
    let tail = (
        "tail",
        json!({"type": "integer", "minimum": 1, "maximum": 1000, "description": "number of lines from the end, default 100"}),
    );
    let pod = ("name", text("name of the pod"));
    let own_namespace = ("namespace", text("namespace of the pod"));
    let read = ToolAnnotations::new().read_only(true).open_world(true);
    let delete = ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .idempotent(true);
    vec![
        tool(
            "namespaces_list",
            "List all namespaces of the cluster",
            &[],
            &[],
            &read,
        ),
        tool(
            "resources_get",
            "Get one Kubernetes resource as YAML",
            &["apiVersion", "kind", "name"],
            &[
                api_version.clone(),
                kind.clone(),
                namespace.clone(),
                name.clone(),
            ],
            &read,
        ),
        tool(
            "resources_list",
            "List Kubernetes resources of one kind with status and finalizers",
            &["apiVersion", "kind"],
            &[api_version.clone(), kind.clone(), namespace.clone()],
            &read,
        ),
        tool(
            "events_list",
            "List events, oldest first",
            &[],
            std::slice::from_ref(&namespace),
            &read,
        ),
        tool(
            "pods_list",
            "List pods",
            &[],
            std::slice::from_ref(&namespace),
            &read,
        ),
        tool(
            "pods_log",
            "Get the log of a pod",
            &["namespace", "name"],
            &[own_namespace, pod, tail],
            &read,
        ),
        tool(
            "resources_delete",
            "Delete a Kubernetes resource",
            &["apiVersion", "kind", "name"],
            &[api_version, kind, namespace, name],
            &delete,
        ),
    ]
}

fn tool(
    name: &'static str,
    description: &'static str,
    required: &[&str],
    properties: &[(&str, Value)],
    annotations: &ToolAnnotations,
) -> Tool {
    let properties = properties.iter();
    let properties = properties.map(|(name, schema)| ((*name).to_owned(), schema.clone()));
    let properties = Value::Object(properties.collect());
    tarsy_mcp_server::tool(name, description, properties, required, annotations.clone())
}

fn text(description: &str) -> Value {
    json!({"type": "string", "minLength": 1, "description": description})
}
