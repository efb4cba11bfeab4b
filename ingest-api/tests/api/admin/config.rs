//! Display of the configuration.

use serde_json::json;
use tarsy_config::Source;

use super::scenes::ADMIN;
use crate::server::Server;

#[tokio::test]
async fn the_configuration_is_shown_without_a_secret_of_it() {
    let yaml = r#"
mcp_servers:
  wiki:
    server_type: docs
    connection_params:
      url: https://user:hunter2@wiki.example/mcp?key=hunter2
      bearer_token: ${WIKI_TOKEN}
      headers: {x-key: hunter2}
  forge:
    server_type: forge
    connection_params:
      command: forge-mcp
      args: [--token, hunter2, --api-key=hunter2, -e, FORGE_TOKEN=hunter2, "https://u:hunter2@forge.example", --port, "8080"]
      env: {FORGE_SECRET: hunter2}
webhooks:
  pager: {type: pagerduty, secrets_env: [PAGER_SECRET], alert_type: {default: kubernetes}}
notifications:
  team: {url: "https://hooks.example/hunter2", format: slack}
"#;
    let source = Source::Text {
        name: "test".to_owned(),
        text: yaml.to_owned(),
    };
    let variables = [
        ("OPENAI_API_KEY", "hunter2"),
        ("WIKI_TOKEN", "hunter2"),
        ("PAGER_SECRET", "hunter2hunter2hunter2hunter2"),
    ];
    let server = Server::configured_with(source, &variables).await;
    let shown = server.get(&format!("{ADMIN}/config")).await.body;
    assert!(!shown.to_string().contains("hunter2"), "{shown:#}");
    let mut servers = shown["mcp_servers"].as_array().unwrap().iter();
    let forge = servers.find(|s| s["server_id"] == "forge").unwrap();
    assert_eq!(
        forge["connection"]["args"],
        json!([
            "--token",
            "[secret]",
            "--api-key=[secret]",
            "-e",
            "FORGE_TOKEN=[secret]",
            "https://[secret]@forge.example",
            "--port",
            "8080"
        ])
    );
    let names = |part: &str, name: &str| {
        let parts = shown[part].as_array().unwrap().iter();
        parts
            .map(|p| p[name].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(names("mcp_servers", "server_id").contains(&"wiki".to_owned()));
    assert!(names("agents", "name").contains(&"KubernetesAgent".to_owned()));
    assert!(names("llm_providers", "name").contains(&"openai".to_owned()));
    assert_eq!(
        names("webhook_sources", "source"),
        ["alertmanager", "pager"]
    );
    assert!(!shown["chains"].as_array().unwrap().is_empty());
    assert_eq!(shown["settings"]["history_enabled"], json!(true));
    assert_eq!(shown["settings"]["retention"]["history"], json!("7776000s"));
}
