//! Live progress of one session: stages, thoughts and tool calls.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use tarsy_model::shown_call;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::client::Client;
use crate::interaction_line;
use crate::live_answer::{LiveAnswer, Piece};
use crate::output::{bold, dim, harmless, members, millis, shortened, status, text};
use crate::printing::out_bytes;

const EVERY: Duration = Duration::from_millis(250);

/// Polls a session until it ends, and returns its last state. Prints progress if `prints_progress` is true.
pub(crate) async fn session(
    client: &Client,
    session_id: &str,
    prints_progress: bool,
) -> Result<Value> {
    let (session, _) = with_answer(client, session_id, prints_progress, None).await?;
    Ok(session)
}

/// Like [`session`], but also prints the conclusion while it is written. Returns the part of it that was printed.
pub(crate) async fn with_answer(
    client: &Client,
    session_id: &str,
    prints_progress: bool,
    mut pieces: Option<UnboundedReceiver<Piece>>,
) -> Result<(Value, LiveAnswer)> {
    let path = format!("/api/v1/history/sessions/{session_id}");
    let mut narrator = Narrator::new(prints_progress);
    let mut failures = 0;
    loop {
        match client.get(&path).await {
            Ok(session) => {
                failures = 0;
                narrator.print_session(&session);
                if matches!(
                    text(&session, "status"),
                    "completed" | "failed" | "cancelled"
                ) {
                    narrator.finish();
                    return Ok((session, narrator.answer));
                }
            }
            // Continue during a restart of the API.
            Err(error) if failures < 120 => {
                failures += 1;
                narrator.waiting(&format!("no response from the API; retrying ({error})"));
            }
            Err(error) => return Err(error),
        }
        let next_poll = tokio::time::sleep(EVERY);
        tokio::pin!(next_poll);
        loop {
            tokio::select! {
                () = &mut next_poll => break,
                Some(piece) = next_piece(&mut pieces) => narrator.print_piece(&piece),
            }
        }
    }
}

/// Returns the next piece. Never returns if the socket is closed.
async fn next_piece(pieces: &mut Option<UnboundedReceiver<Piece>>) -> Option<Piece> {
    let piece = match pieces {
        Some(pieces) => pieces.recv().await,
        None => std::future::pending().await,
    };
    if piece.is_none() {
        *pieces = None;
    }
    piece
}

/// Returns the name of a stage, with its branch if it has branches.
pub(crate) fn named(stage: &Value) -> String {
    let name = harmless(text(stage, "stage_name"));
    match branch(stage) {
        None => name.to_string(),
        Some(branch) => format!("{name}/{}", harmless(branch)),
    }
}

/// Returns the name of the branch, if the stage has branches.
fn branch(stage: &Value) -> Option<&str> {
    stage.get("branch_name").and_then(Value::as_str)
}

struct Narrator {
    printed: HashSet<String>,
    spinner: ProgressBar,
    prints_progress: bool,
    answer: LiveAnswer,
}

impl Narrator {
    fn new(prints_progress: bool) -> Self {
        let spinner = if prints_progress {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        let style = ProgressStyle::with_template("{spinner:.cyan} {msg} {elapsed:.dim}");
        spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        spinner.enable_steady_tick(Duration::from_millis(100));
        Self {
            printed: HashSet::new(),
            spinner,
            prints_progress,
            answer: LiveAnswer::default(),
        }
    }

    fn waiting(&self, what: &str) {
        self.spinner.set_message(shortened(what, 100));
    }

    /// Prints the text that a piece adds to the conclusion.
    fn print_piece(&mut self, piece: &Piece) {
        let is_first = !self.answer.has_printed();
        let more = self.answer.take(piece);
        if more.is_empty() {
            return;
        }
        // The spinner would draw over the line.
        self.spinner.finish_and_clear();
        self.spinner
            .set_draw_target(indicatif::ProgressDrawTarget::hidden());
        if is_first {
            println!();
        }
        out_bytes(harmless(&more).as_bytes());
    }

    /// The printed text was not a conclusion. Prints the rest of it and ends the line, so that other lines can follow.
    fn end_thought(&mut self, text: &str) {
        let rest = self.answer.rest(text.trim()).unwrap_or_default();
        println!("{}", harmless(rest));
        self.answer = LiveAnswer::default();
        self.spinner
            .set_draw_target(indicatif::ProgressDrawTarget::stderr());
    }

    fn once(&mut self, key: String, line: impl FnOnce() -> String) {
        // While a conclusion is printed, other lines would appear in the middle of it.
        if self.printed.insert(key) && self.prints_progress && !self.answer.has_printed() {
            let line = line();
            // The spinner prints only to a terminal. Otherwise print directly.
            if self.spinner.is_hidden() {
                println!("{line}")
            } else {
                self.spinner.println(line)
            }
        }
    }

    fn print_session(&mut self, session: &Value) {
        let mut waiting_for = "waiting for a chain worker".to_owned();
        for stage in session
            .get("stages")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            waiting_for = self.print_stage(stage).unwrap_or(waiting_for);
        }
        for wait in members(session, "waits").filter(|wait| text(wait, "status") == "open") {
            waiting_for = self.print_wait(wait);
        }
        self.waiting(&waiting_for);
    }

    /// Prints once what a stage waits for and who can act. Returns it.
    fn print_wait(&mut self, wait: &Value) -> String {
        let (id, question) = (text(wait, "wait_id"), harmless(text(wait, "question")));
        let how = match text(wait, "sort") {
            "approval" | "tool_call" | "spending" => {
                format!("\n     tarsy approvals approve {id}   (or deny, show)")
            }
            "signal" => format!(
                "\n     tarsy signal {} {}",
                text(wait, "session_id"),
                harmless(text(wait, "signal"))
            ),
            _ => String::new(),
        };
        let call = wait.get("call").filter(|call| call.is_object());
        let call = call.map_or_else(String::new, |call| {
            format!("\n{}", shown_call(call)).replace('\n', "\n     ")
        });
        self.once(format!("{id} asked"), || {
            format!("  {} {question}{call}{}", dim("⏸"), dim(&how))
        });
        question
    }

    /// Prints a stage's progress. Returns what it waits for, unless it has ended.
    fn print_stage(&mut self, stage: &Value) -> Option<String> {
        let id = text(stage, "execution_id").to_owned();
        let name = &named(stage);
        let agent = &harmless(text(stage, "agent"));
        let state = text(stage, "status");
        if state != "pending" {
            self.once(format!("{id} began"), || {
                let attempt = stage.get("attempt").and_then(Value::as_i64).unwrap_or(1);
                // With branches, attempts count the runs of all branches together.
                let again = if attempt > 1 && branch(stage).is_none() {
                    format!(", attempt {attempt}")
                } else {
                    String::new()
                };
                format!(
                    "\n{} {}",
                    bold(&format!("▶ {name}")),
                    dim(&format!("by {agent}{again}"))
                )
            });
        }
        let mut waits_for = format!("{name}: waiting for a stage worker");
        if state == "active" {
            waits_for = format!("{name}: working");
        }
        let interactions = stage
            .get("chronological_interactions")
            .and_then(Value::as_array);
        for interaction in interactions.into_iter().flatten() {
            if let Some(waiting) = self.print_interaction(interaction) {
                waits_for = format!("{name}: {waiting}");
            }
        }
        match state {
            "completed" | "failed" | "cancelled" => {
                self.once(format!("{id} ended"), || {
                    let took = stage
                        .get("duration_ms")
                        .and_then(Value::as_i64)
                        .unwrap_or(0);
                    let why = stage.get("error_message").and_then(Value::as_str);
                    let why = why
                        .map(|why| format!(": {}", harmless(why)))
                        .unwrap_or_default();
                    format!(
                        "  {} {name} {}{why}",
                        status(state),
                        dim(&format!("in {}", millis(took)))
                    )
                });
                None
            }
            _ => Some(waits_for),
        }
    }

    /// Prints an interaction if it has ended. Otherwise returns what is waited for.
    fn print_interaction(&mut self, interaction: &Value) -> Option<String> {
        let details = interaction.get("details")?;
        let id = text(interaction, "id").to_owned();
        let is_model = text(interaction, "type") == "llm";
        let done = details.get("success").is_some_and(|s| !s.is_null());
        if !done {
            return Some(if is_model {
                format!("asking {}", text(details, "model_name"))
            } else {
                format!(
                    "calling {}.{}",
                    text(details, "server_name"),
                    text(details, "tool_name")
                )
            });
        }
        if self.answer.interaction() == Some(id.as_str()) {
            // It is already printed.
            self.printed.insert(id);
            if members(details, "tool_calls").next().is_some() {
                self.end_thought(text(details, "response_text"));
            }
            return None;
        }
        self.once(id, || {
            interaction_line::line(interaction).unwrap_or_default()
        });
        None
    }

    fn finish(&self) {
        self.spinner.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stage_is_named_with_its_branch_if_it_has_branches() {
        let stage = |branch| json!({"stage_name": "logs", "branch_name": branch});
        assert_eq!(named(&stage(json!(null))), "logs");
        assert_eq!(named(&stage(json!("eu"))), "logs/eu");
    }
}
