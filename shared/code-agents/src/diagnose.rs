//! Agent that recognises known failures of Kubernetes without a model.
//!
//! It reads one part of the cluster at a time. Each result decides what it reads next. It concludes with its
//! findings.

use serde_json::{Value, json};
use tarsy_agent_api::{Case, CodeAgent, Event, Step};
use tarsy_diagnose::{Cluster, Reading, Source, report, wanted};

/// Maximum number of tool calls of one diagnosis.
const MOST_CALLS: usize = 16;
/// Number of lines that are read from the end of a log.
const LOG_LINES: u32 = 200;

/// Agent `diagnose`. It makes no model calls, and up to 16 read-only tool calls.
///
/// It uses the first of the agent's servers that has the tools `events_list` and `pods_list`, as
/// `kubernetes-mcp-server` names them.
#[derive(Clone, Copy, Debug)]
pub struct Diagnose;

impl CodeAgent for Diagnose {
    fn name(&self) -> &'static str {
        "diagnose"
    }

    fn next(&self, case: &Case<'_>) -> Step {
        let Some(server) = server(case) else {
            return Step::Fail(
                "left out: none of the agent's MCP servers has the tools `events_list` and `pods_list` of Kubernetes".to_owned(),
            );
        };
        let about = json!({"alert": case.alert, "task": case.task});
        let mut cluster = Cluster::default();
        let (mut made, mut errors) = (Vec::new(), Vec::new());
        for event in case.events {
            let Some((reading, tool, arguments)) = following(case, server, &cluster, &about, &made)
            else {
                break;
            };
            made.push(reading);
            match event {
                Event::ToolResult {
                    result: Ok(text), ..
                } => cluster.add(Source {
                    tool,
                    arguments,
                    text: text.clone(),
                }),
                Event::ToolResult {
                    result: Err(why), ..
                } => errors.push(why.as_str()),
                _ => {}
            }
        }
        let is_enough = case.must_conclude || made.len() >= MOST_CALLS;
        let next = following(case, server, &cluster, &about, &made).filter(|_| !is_enough);
        match next {
            Some((_, tool, arguments)) => Step::Call {
                tool: format!("{server}.{tool}"),
                arguments,
            },
            None if errors.len() == made.len() => Step::Fail(format!(
                "left out: the cluster could not be read ({})",
                errors.first().unwrap_or(&"no call was made")
            )),
            None => Step::Conclude(report(&cluster.diagnose(&about))),
        }
    }
}

/// Returns the first server that has the tools `events_list` and `pods_list`.
fn server<'a>(case: &Case<'a>) -> Option<&'a str> {
    let mut servers = case.tools.iter().map(|tool| tool.server);
    servers.find(|server| has(case, server, "events_list") && has(case, server, "pods_list"))
}

fn has(case: &Case<'_>, server: &str, name: &str) -> bool {
    let mut tools = case.tools.iter();
    tools.any(|tool| tool.server == server && tool.name == name)
}

/// Returns the first wanted reading that was not made yet, with its tool and arguments.
fn following(
    case: &Case<'_>,
    server: &str,
    cluster: &Cluster,
    about: &Value,
    made: &[Reading],
) -> Option<(Reading, String, Value)> {
    let (namespace, readings) = wanted(cluster, about);
    let mut open = readings
        .into_iter()
        .filter(|reading| !made.contains(reading));
    open.find_map(|reading| {
        let (tool, arguments) = call(&reading, namespace.as_deref());
        has(case, server, tool).then(|| (reading, tool.to_owned(), arguments))
    })
}

/// Converts a reading to a call of `kubernetes-mcp-server`.
fn call(reading: &Reading, namespace: Option<&str>) -> (&'static str, Value) {
    let of = |kind| json!({"apiVersion": api_version(kind), "kind": kind});
    let (tool, mut arguments) = match reading {
        Reading::Events => ("events_list", json!({})),
        Reading::List("Pod") if namespace.is_none() => ("pods_list", json!({})),
        Reading::List("Pod") => ("pods_list_in_namespace", json!({})),
        Reading::List(kind) => ("resources_list", of(kind)),
        Reading::Get("Pod", _) => ("pods_get", json!({})),
        Reading::Get(kind, _) => ("resources_get", of(kind)),
        Reading::Log { pod, previous } => (
            "pods_log",
            json!({"name": pod, "previous": previous, "tail": LOG_LINES}),
        ),
    };
    if let Reading::Get(_, name) = reading {
        arguments["name"] = name.as_str().into();
    }
    let is_of_cluster = matches!(
        reading,
        Reading::List("Node" | "PersistentVolume" | "StorageClass") | Reading::Get("Namespace", _)
    );
    if let Some(namespace) = namespace.filter(|_| !is_of_cluster) {
        arguments["namespace"] = namespace.into();
    }
    (tool, arguments)
}

fn api_version(kind: &str) -> &'static str {
    match kind {
        "Deployment" => "apps/v1",
        "StorageClass" => "storage.k8s.io/v1",
        "NetworkPolicy" => "networking.k8s.io/v1",
        _ => "v1",
    }
}

#[cfg(test)]
mod tests {
    use tarsy_agent_api::Tool;

    use super::*;

    const TOOLS: [&str; 7] = [
        "events_list",
        "pods_list",
        "pods_list_in_namespace",
        "pods_get",
        "pods_log",
        "resources_list",
        "resources_get",
    ];

    fn next(tools: &[&str], events: &[Event], must_conclude: bool) -> Step {
        let schema = json!({});
        let tools = tools.iter().map(|name| Tool {
            server: "cluster",
            name,
            description: "",
            input_schema: &schema,
        });
        Diagnose.next(&Case {
            alert_type: "kubernetes",
            severity: "high",
            alert: &json!({"namespace": "shop", "pod": "cart-7d4b9c6f5-x2x7k"}),
            runbook: "",
            task: None,
            instructions: "",
            earlier: Vec::new(),
            tools: tools.collect(),
            events,
            must_conclude,
            quoting: &|_, text| text.to_owned(),
        })
    }

    /// Answers the agent's calls until it concludes or fails.
    fn walk(answer: impl Fn(&str, &Value) -> Result<String, String>) -> (Vec<String>, Step) {
        let (mut calls, mut events) = (Vec::new(), Vec::new());
        loop {
            match next(&TOOLS, &events, false) {
                Step::Call { tool, arguments } => {
                    let name = tool.strip_prefix("cluster.").unwrap();
                    let result = answer(name, &arguments);
                    calls.push(format!("{name} {arguments}"));
                    events.push(Event::ToolResult { tool, result });
                    assert!(calls.len() <= MOST_CALLS);
                }
                end => return (calls, end),
            }
        }
    }

    #[test]
    fn it_reads_what_its_findings_ask_for_and_concludes_with_them() {
        let (calls, end) = walk(|tool, arguments| {
            let text = match tool {
                "pods_list_in_namespace" => {
                    "NAMESPACE  APIVERSION  KIND  NAME                  READY  STATUS            RESTARTS  AGE\n\
                     shop       v1          Pod   cart-7d4b9c6f5-x2x7k  0/1    CrashLoopBackOff  7         20m\n"
                }
                "pods_log" => {
                    assert_eq!(arguments["previous"], true);
                    "connecting\nFATAL: password authentication failed for user \"cart\"\n"
                }
                _ => "",
            };
            Ok(text.to_owned())
        });
        assert!(calls[0].starts_with("events_list"), "{calls:?}");
        assert!(
            calls.iter().any(|call| call.contains("pods_get")),
            "{calls:?}"
        );
        assert!(
            !calls.iter().any(|call| call.contains("StorageClass")),
            "{calls:?}"
        );
        let Step::Conclude(text) = end else {
            panic!("{end:?}");
        };
        assert!(text.contains("Deployment shop/cart"), "{text}");
        assert!(text.contains("`wrong_credentials`"), "{text}");
        assert!(text.contains("pods_log"), "{text}");
    }

    #[test]
    fn a_cluster_that_cannot_be_read_and_a_missing_server_are_left_out_with_a_reason() {
        let (calls, end) = walk(|_, _| Err("connection refused".to_owned()));
        assert!(calls.len() >= 2);
        assert!(
            matches!(&end, Step::Fail(why) if why.contains("connection refused")),
            "{end:?}"
        );
        assert!(
            matches!(next(&["logs_query"], &[], false), Step::Fail(why) if why.contains("left out"))
        );
    }

    #[test]
    fn at_a_limit_it_concludes_with_what_it_has() {
        let events = [Event::ToolResult {
            tool: "cluster.events_list".to_owned(),
            result: Ok("Warning FailedCreate replicaset/cart-7d4b9c6f5 Error creating: exceeded quota: team, requested: pods=1, used: pods=9, limited: pods=9".to_owned()),
        }];
        let Step::Conclude(text) = next(&TOOLS, &events, true) else {
            panic!("no conclusion");
        };
        assert!(text.contains("`quota_exceeded`"), "{text}");
    }
}
