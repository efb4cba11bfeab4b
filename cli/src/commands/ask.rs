//! `tarsy ask`: asks a question about an ended session, or the knowledge store, and waits for the answer.

mod knowledge;

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::client::Client;
use crate::field_filter::{self, FieldFilter};
use crate::follow;
use crate::live_answer::{LiveAnswer, pieces_of};
use crate::output::{bold, dim, harmless, members, status, text};
use crate::server::Server;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Ended session to ask about; pass a question's session to continue its conversation
    #[arg(required_unless_present = "knowledge")]
    session: Option<String>,
    /// Question
    #[arg(required_unless_present = "knowledge")]
    question: Option<String>,
    /// Ask the knowledge store instead; the answer cites its records
    #[arg(long, value_name = "QUESTION", conflicts_with_all = ["session", "question"])]
    knowledge: Option<String>,
    /// Search only this collection
    #[arg(long, requires = "knowledge")]
    collection: Option<String>,
    /// Filter FIELD=VALUE; repeat a field to match any of its values
    #[arg(long, value_name = "FIELD=VALUE", requires = "knowledge", value_parser = field_filter::parse)]
    filter: Vec<FieldFilter>,
    /// Session of the conversation that the question continues
    #[arg(long, value_name = "SESSION", requires = "knowledge")]
    conversation: Option<String>,
    /// Print how the answer was found: stages, lookups, and results with scores
    #[arg(long, requires = "knowledge")]
    debug: bool,
    /// Do not wait for the answer
    #[arg(long)]
    no_wait: bool,
    /// Print the answer as JSON: the turn of the conversation, or the answer of the knowledge store
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    if let Some(question) = &options.knowledge {
        return knowledge::run(&client, options, question).await;
    }
    let session = options.session.as_deref().unwrap_or_default();
    let path = format!("/api/v1/sessions/{session}/messages");
    let body = json!({"text": options.question}).to_string();
    let Some((session_id, live)) =
        ask_and_follow(&client, options, &path, body, !options.json).await?
    else {
        return Ok(ExitCode::SUCCESS);
    };
    let session_id = session_id.as_str();
    let conversation = client.get(&path).await?;
    let turn = members(&conversation, "turns").find(|turn| text(turn, "session_id") == session_id);
    let turn = turn.context("the conversation has no such turn any more")?;
    match options.json {
        true => println!("{turn}"),
        false => show(turn, &live),
    }
    Ok(match text(turn, "status") {
        "completed" => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Posts a question and follows its session to the end. Returns `None` if the caller does not wait for the answer.
async fn ask_and_follow(
    client: &Client,
    options: &Options,
    path: &str,
    body: String,
    shows_steps: bool,
) -> Result<Option<(String, LiveAnswer)>> {
    let accepted = client.post(path, body).await?;
    let session_id = text(&accepted, "session_id");
    if options.no_wait {
        match options.json {
            true => println!("{accepted}"),
            false => println!("{}: session {session_id}", text(&accepted, "status")),
        }
        return Ok(None);
    }
    if !options.json {
        println!("{} {session_id}", bold("session"));
    }
    let pieces = shows_steps.then(|| pieces_of(client, session_id));
    let (_, live) = follow::with_answer(client, session_id, shows_steps, pieces).await?;
    Ok(Some((session_id.to_owned(), live)))
}

/// Prints the answer, or the part of it that is not printed yet.
fn show(turn: &Value, live: &LiveAnswer) {
    match turn.get("answer").and_then(Value::as_str) {
        Some(answer) if live.has_printed() => match live.rest(answer) {
            Some(rest) => println!("{}", harmless(rest)),
            None => println!("\n\n{}", harmless(answer)),
        },
        Some(answer) => println!("\n{}", harmless(answer)),
        None => println!(
            "\n{} {}",
            status(text(turn, "status")),
            harmless(text(turn, "error_message"))
        ),
    }
    println!("\n{}", dim(&spent(turn)));
}

/// Returns e.g. `$0.0123, 1200 tokens in, 80 out, 2 tool calls`. Without a price, the cost is unknown.
fn spent(turn: &Value) -> String {
    let number = |name: &str| turn.get(name).and_then(Value::as_i64).unwrap_or(0);
    let cost = turn.get("cost_usd").and_then(Value::as_f64);
    let cost = cost.map_or_else(|| "cost unknown".to_owned(), |cost| format!("${cost:.4}"));
    format!(
        "{cost}, {} tokens in, {} out, {} tool calls",
        number("input_tokens"),
        number("output_tokens"),
        number("tool_calls")
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::spent;

    #[test]
    fn a_cost_is_shown_only_where_it_is_known() {
        let turn = json!({"cost_usd": 0.01234, "input_tokens": 1200, "output_tokens": 80, "tool_calls": 2});
        let expected = "$0.0123, 1200 tokens in, 80 out, 2 tool calls";
        assert_eq!(spent(&turn), expected);
        assert!(spent(&json!({"cost_usd": null})).starts_with("cost unknown, 0 tokens"));
    }
}
