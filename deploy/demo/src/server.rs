//! MCP server that answers tool calls from the recording.

use rmcp::model::Tool;
use serde_json::{Map, Value};
use tarsy_mcp_server::ToolServer;

use crate::cluster::Cluster;
use crate::tools;

const DEFAULT_TAIL: u64 = 100;

/// The server's side of the protocol.
pub(crate) struct DemoServer {
    cluster: Cluster,
}

impl DemoServer {
    pub(crate) const fn new(cluster: Cluster) -> Self {
        Self { cluster }
    }

    fn answer(&self, tool: &str, arguments: &Map<String, Value>) -> Option<Result<String, String>> {
        let get = |key: &str| arguments.get(key).and_then(Value::as_str);
        let namespace = get("namespace");
        let wanted = |key: &str| get(key).ok_or_else(|| format!("argument `{key}` is missing"));
        Some(match tool {
            "namespaces_list" => Ok(self.cluster.list("v1", "Namespace", None)),
            "resources_get" => self.get(arguments),
            "resources_list" => wanted("apiVersion")
                .and_then(|version| Ok(self.cluster.list(version, wanted("kind")?, namespace))),
            "events_list" => Ok(self.cluster.events(namespace)),
            "pods_list" => Ok(self.cluster.list("v1", "Pod", namespace)),
            "pods_log" => {
                let tail = arguments
                    .get("tail")
                    .and_then(Value::as_u64)
                    .unwrap_or(DEFAULT_TAIL);
                let tail = usize::try_from(tail).unwrap_or(usize::MAX);
                wanted("namespace").and_then(|space| self.cluster.log(space, wanted("name")?, tail))
            }
            // The recording does not change, so the answer to a call is always the same.
            "resources_delete" => self.get(arguments).map(|_| {
                let (kind, name) = (
                    get("kind").unwrap_or_default(),
                    get("name").unwrap_or_default(),
                );
                format!("{kind} \"{name}\" deleted (recorded cluster: nothing real was changed)")
            }),
            _ => return None,
        })
    }

    fn get(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        let get = |key: &str| arguments.get(key).and_then(Value::as_str);
        let (Some(version), Some(kind), Some(name)) = (get("apiVersion"), get("kind"), get("name"))
        else {
            return Err("apiVersion, kind and name are needed".to_owned());
        };
        self.cluster.get(version, kind, get("namespace"), name)
    }
}

impl ToolServer for DemoServer {
    const NAME: &'static str = "tarsy-demo-mcp";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        Ok(tools::all())
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        self.answer(tool, &arguments).transpose()
    }
}
