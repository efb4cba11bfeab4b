//! The tools of a case, served over MCP.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use tarsy_mcp_server::ToolServer;

use crate::case::Case;
use crate::replay::Replay;

/// Error for a call that no record answers. Scores count such calls.
pub(crate) const NO_DATA: &str = "no recorded data for these arguments";

/// Tool server that answers calls from the records of a case.
#[derive(Debug)]
pub struct ReplayServer(Case);

impl ReplayServer {
    /// Creates a server for this case.
    #[must_use]
    pub const fn new(case: Case) -> Self {
        Self(case)
    }
}

impl ToolServer for ReplayServer {
    const NAME: &'static str = "tarsy-replay";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        Ok(tools(&self.0))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        match self.0.replay(tool, &arguments) {
            Replay::Recorded(record) => match (&record.result, &record.error) {
                (Some(result), _) => Ok(Some(result.clone())),
                (None, error) => Err(error.clone().unwrap_or_default()),
            },
            Replay::Missing => Err(NO_DATA.to_owned()),
            Replay::UnknownTool => Ok(None),
        }
    }
}

/// Prefix of the name of the server that passes on the diagnosis of a case. Its results are facts that a session was
/// given, not calls of its agent.
pub const DIAGNOSIS_SERVER: &str = "diagnosis-";

/// Tool server whose only tool, `diagnose`, returns the findings of the rules for Kubernetes in the records of a
/// case.
#[derive(Debug)]
pub struct DiagnosisServer(String);

impl DiagnosisServer {
    /// Creates a server for this case.
    #[must_use]
    pub fn new(case: &Case) -> Self {
        Self(crate::diagnose(case).report)
    }
}

impl ToolServer for DiagnosisServer {
    const NAME: &'static str = "tarsy-diagnosis";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        let schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        Ok(vec![listed("diagnose", "findings of the rules", schema)])
    }

    async fn call(&self, tool: &str, _: Map<String, Value>) -> Result<Option<String>, String> {
        Ok((tool == "diagnose").then(|| self.0.clone()))
    }
}

/// Returns the tools of a case: those that it defines, then the others as they were called in records.
fn tools(case: &Case) -> Vec<Tool> {
    let mut called: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for record in &case.records {
        let properties = called.entry(&record.tool).or_default();
        for name in record.args.keys() {
            properties.insert(name.clone(), json!({"type": "string"}));
        }
    }
    let given = case.tools.iter().map(|tool| {
        let mut schema = tool.input_schema.clone();
        schema.entry("type").or_insert_with(|| json!("object"));
        listed(&tool.name, &tool.description, schema)
    });
    let known = |name: &str| case.tools.iter().any(|tool| tool.name == name);
    let others = called.into_iter().filter(|(name, _)| !known(name));
    let others = others.map(|(name, properties)| {
        let schema = json!({"type": "object", "properties": properties});
        let schema = schema.as_object().cloned().unwrap_or_default();
        listed(name, &name.replace('_', " "), schema)
    });
    given.chain(others).collect()
}

/// Creates a read-only tool.
fn listed(name: &str, description: &str, schema: Map<String, Value>) -> Tool {
    Tool::new(
        Cow::Owned(name.to_owned()),
        Cow::Owned(description.to_owned()),
        Arc::new(schema),
    )
    .with_annotations(ToolAnnotations::new().read_only(true))
}
