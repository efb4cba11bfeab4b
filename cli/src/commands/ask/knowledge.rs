//! `tarsy ask --knowledge`: asks the knowledge store.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::{Options, ask_and_follow};
use crate::client::Client;
use crate::field_filter;
use crate::output::{bold, dim, harmless, members, status, text};

/// Asks, and prints the answer with its citations. Fails if there is no answer that evidence supports.
pub(super) async fn run(client: &Client, options: &Options, question: &str) -> Result<ExitCode> {
    let mut body = json!({ "question": question });
    for (name, value) in [
        ("collection", &options.collection),
        ("conversation", &options.conversation),
    ] {
        if let Some(value) = value {
            body[name] = json!(value);
        }
    }
    if !options.filter.is_empty() {
        body["filters"] = json!(field_filter::by_field(&options.filter));
    }
    if options.debug {
        body["debug"] = json!(true);
    }
    // Output of the model is not printed before the guardrails have checked it.
    let session_id =
        ask_and_follow(client, options, "/api/v1/ask", body.to_string(), false).await?;
    let Some((session_id, _)) = session_id else {
        return Ok(ExitCode::SUCCESS);
    };
    let answer = client.get(&format!("/api/v1/ask/{session_id}")).await?;
    match options.json {
        true => println!("{answer}"),
        false => show(&answer),
    }
    Ok(match answer["supported"].as_bool() {
        Some(true) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn show(answer: &Value) {
    match answer["text"].as_str() {
        // The answer lists its sources itself.
        Some(shown) => println!("\n{}", harmless(shown)),
        None => println!(
            "\n{} {}",
            status(text(answer, "status")),
            harmless(text(answer, "error_message"))
        ),
    }
    for flag in members(answer, "redaction_flags") {
        let line = format!(
            "{} {}: {} {}",
            text(flag, "policy"),
            text(flag, "action"),
            flag["count"],
            text(flag, "kind")
        );
        println!("{}", dim(&harmless(&line)));
    }
    if !answer["trace"].is_null() {
        println!(
            "\n{}\n{}",
            bold("trace"),
            harmless(&format!("{:#}", answer["trace"]))
        );
    }
}
