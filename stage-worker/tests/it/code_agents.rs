//! Tests an agent in code, run by a worker process: its steps are recorded and masked like those of others.

use serde_json::json;
use tarsy_model::RecordedInteraction;
use tarsy_testing::fake_llm::Behaviour;

use crate::bench::Bench;

const SECRET: &str = "hunter2-hunter2";

#[tokio::test]
async fn an_agent_in_code_is_recorded_and_masked_like_any_other() {
    let config = crate::bench::CONFIG.replace(
        "Watcher: {mcp_servers: [demo], iteration_strategy: regular}",
        "Watcher: {mcp_servers: [demo], code: namespace-overview, custom_instructions: Be brief.}",
    );
    let bench = Bench::configured(&config, |_| {
        Behaviour::text(format!("A pod is stuck; its password={SECRET}"))
    })
    .await;
    let alert = json!({"namespace": "shop", "note": format!("password={SECRET}")});
    let ended = bench.run(alert, "Look at the finalizers.").await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    let output = &ended.row["stage_output"];
    assert_eq!(
        output["result"],
        "A pod is stuck; its password=[MASKED_PASSWORD]"
    );
    assert_eq!(
        (
            &output["strategy"],
            &output["iterations"],
            &output["tool_calls"]
        ),
        (&json!("code"), &json!(1), &json!(2))
    );

    let steps = ended.records.iter().map(|record| match record {
        RecordedInteraction::Llm(llm) => llm.intent.step_description.clone(),
        RecordedInteraction::Mcp(call) => call.intent.step_description.clone(),
    });
    // The server has none of the agent's tools. Each call is refused, and the agent continues.
    assert_eq!(
        steps.collect::<Vec<_>>(),
        [
            "demo: list tools",
            "events_list",
            "pods_list_in_namespace",
            "Question 1: ask model"
        ]
    );
    let requests = bench.llm.requests();
    let request = requests.last().expect("a question");
    let prompt = &request.messages[1].text;
    assert!(
        prompt.contains("is not one of your tools")
            && prompt.contains("finalizers")
            && prompt.contains("Be brief."),
        "{prompt}"
    );
    assert!(!format!("{request:?}").contains(SECRET) && !ended.row.to_string().contains(SECRET));
}
