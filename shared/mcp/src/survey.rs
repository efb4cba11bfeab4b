//! Lists an agent's tools for people, with those that it may not call.

use serde::Serialize;

use crate::agent_tools::{AgentTools, Granted};
use crate::catalog::{Catalog, Entry};
use crate::error::CallError;
use crate::tool::ToolInfo;

/// Whether an agent may call a tool, and if not, the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Admission {
    /// The tool is offered to the model and may be called.
    Allowed,
    /// The tool is not in the configured subset of the server's tools.
    OutsideSubset,
    /// The tool can change something, and the agent is not allowed to use such tools.
    Destructive,
}

/// A tool with its admission.
#[derive(Clone, Debug)]
pub struct SurveyedTool {
    /// The tool.
    pub tool: ToolInfo,
    /// Whether the agent may call it.
    pub admission: Admission,
    /// Whether configuration or the server's annotations state its effect. Otherwise the default effect applies.
    pub is_classified: bool,
}

/// One server of an agent.
#[derive(Debug)]
pub struct ServerSurvey {
    /// Server id.
    pub server: String,
    /// All tools in the server's order, or the reason why there is no list.
    pub tools: Result<Vec<SurveyedTool>, CallError>,
    /// Last output of the server on stderr, masked; only set if there is no list.
    pub stderr: Option<String>,
    /// Tools of the agent's subset that the server does not have.
    pub missing: Vec<String>,
}

impl AgentTools {
    /// Lists all tools of the agent's servers, including those that it may not call. Starts servers as needed. For
    /// people only; a model never sees the result.
    pub async fn survey(&self) -> Vec<ServerSurvey> {
        let surveys = self.granted.iter().map(|granted| async {
            let server = granted.connection.id().to_owned();
            match granted.connection.catalog().await {
                Ok(catalog) => ServerSurvey {
                    server,
                    missing: missing(granted, &catalog),
                    stderr: None,
                    tools: Ok(catalog
                        .entries()
                        .map(|entry| SurveyedTool {
                            tool: entry.info.clone(),
                            admission: self.admission(granted, entry),
                            is_classified: entry.is_classified,
                        })
                        .collect()),
                },
                Err(error) => ServerSurvey {
                    server,
                    missing: Vec::new(),
                    tools: Err(error),
                    stderr: granted.connection.status().stderr,
                },
            }
        });
        futures::future::join_all(surveys).await
    }

    /// Returns the admission of a tool. The checks have the same order as for a call.
    fn admission(&self, granted: &Granted, entry: &Entry) -> Admission {
        let subset = granted.tools.as_ref();
        if subset.is_some_and(|tools| !tools.contains(&entry.info.name)) {
            Admission::OutsideSubset
        } else if !self.may_act(granted, entry) {
            Admission::Destructive
        } else {
            Admission::Allowed
        }
    }
}

fn missing(granted: &Granted, catalog: &Catalog) -> Vec<String> {
    let named = granted.tools.iter().flatten();
    named
        .filter(|tool| catalog.get(tool).is_none())
        .cloned()
        .collect()
}
