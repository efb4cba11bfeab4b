//! `tarsy sessions`: lists, shows and watches sessions.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use crate::bulk::SessionFilterArgs;
use crate::client::Client;
use crate::output::{alert_name, dim, harmless, members, millis, shortened, status, text, time};
use crate::server::Server;
use crate::watch;
use crate::{follow, interaction_line};

const LARGEST_PAGE: usize = 100;

/// Filter of the list.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    one: Option<One>,
    #[command(flatten)]
    matching: SessionFilterArgs,
    /// Maximum number of sessions
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum One {
    /// Show a session with its stages and analysis
    Show {
        /// Session id
        session_id: String,
    },
    /// Follow one session until it ends, or watch all sessions
    Watch {
        /// Session id; omit it to watch all sessions until Ctrl-C
        session_id: Option<String>,
    },
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    match &options.one {
        None => list(&client, options).await?,
        Some(One::Show { session_id }) => {
            let session = client
                .get(&format!("/api/v1/history/sessions/{session_id}"))
                .await?;
            if options.json {
                println!("{session}");
            } else {
                show(&session);
            }
        }
        Some(One::Watch { session_id: None }) => watch::all(&client, options.json).await?,
        Some(One::Watch {
            session_id: Some(session_id),
        }) => {
            let session = follow::session(&client, session_id, !options.json).await?;
            if options.json {
                println!("{session}");
            } else {
                super::submit::conclude(&session);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client, options: &Options) -> Result<()> {
    let filter = options.matching.query();
    let answer = found(client, &filter, options.limit.max(1)).await?;
    if options.json {
        println!("{answer}");
        return Ok(());
    }
    if members(&answer, "sessions").next().is_none() {
        println!(
            "no sessions{}",
            if filter.is_empty() { " yet" } else { " match" }
        );
        return Ok(());
    }
    println!(
        "{}",
        dim(&format!(
            "{:<36}  {:<20}  {:<11}  {:<16}  {:<10}  {:<10}  {:<28}  {:<11}  target",
            "session", "started", "status", "verdict", "label", "severity", "alert", "took"
        ))
    );
    for session in members(&answer, "sessions") {
        let took = session.get("duration_ms").and_then(Value::as_i64);
        let word = text(session, "status");
        let verdict = match crate::verdict::from_session(session) {
            Some(verdict) => {
                let blanks = 16_usize.saturating_sub(verdict.as_str().len());
                crate::verdict::word(verdict) + &" ".repeat(blanks)
            }
            None => format!("{:<16}", "-"),
        };
        let label = session.get("label").and_then(Value::as_str);
        println!(
            "{:<36}  {:<20}  {}  {}  {:<10}  {:<10}  {:<28}  {:<11}  {}",
            text(session, "session_id"),
            time(session, "started_at_us").unwrap_or_default(),
            status(word) + &" ".repeat(11_usize.saturating_sub(word.len())),
            verdict,
            harmless(&shortened(label.unwrap_or("-"), 10)),
            harmless(&shortened(text(session, "severity"), 10)),
            harmless(&shortened(alert_name(session), 28)),
            took.map_or_else(|| "-".to_owned(), millis),
            harmless(&shortened(text(session, "target"), 60)) + &incident(session),
        );
    }
    Ok(())
}

/// Returns `, incident ID (13 sessions)` for a session that belongs to an incident.
fn incident(session: &Value) -> String {
    let of = session.get("incident");
    let id = of.and_then(|of| of.get("incident_id")?.as_str());
    let members = of.and_then(|of| of.get("members")?.as_i64());
    match (id, members) {
        (Some(id), Some(members)) => {
            dim(&format!(", incident {} ({members} sessions)", harmless(id)))
        }
        _ => String::new(),
    }
}

/// Reads the first `limit` matching sessions, page by page. A search that timed out is resumed where it stopped.
async fn found(client: &Client, filter: &[(String, String)], limit: usize) -> Result<Value> {
    let ask = async |left: usize, cursor: Option<&str>| {
        let left = left.min(LARGEST_PAGE).to_string();
        let filter = filter.iter();
        let mut query: Vec<_> = filter.map(|(n, v)| (n.as_str(), v.as_str())).collect();
        query.push(("page_size", left.as_str()));
        query.extend(cursor.map(|cursor| ("cursor", cursor)));
        client.get_with("/api/v1/history/sessions", &query).await
    };
    let mut answer = ask(limit, None).await?;
    while let Some((left, cursor)) = unfinished(&answer, limit) {
        let mut more = ask(left, Some(&cursor)).await?;
        let before = answer["sessions"].as_array_mut().map(std::mem::take);
        if let Some(sessions) = more["sessions"].as_array_mut() {
            sessions.splice(0..0, before.unwrap_or_default());
        }
        answer = more;
    }
    Ok(answer)
}

/// Returns the number of sessions still missing, and the cursor of the next page.
fn unfinished(answer: &Value, limit: usize) -> Option<(usize, String)> {
    let found = answer.get("sessions")?.as_array()?.len();
    let left = limit.checked_sub(found).filter(|left| *left > 0)?;
    let next = answer.get("pagination")?.get("next_cursor")?.as_str()?;
    Some((left, next.to_owned()))
}

fn show(session: &Value) {
    println!("session   {}", text(session, "session_id"));
    println!(
        "alert     {} ({})",
        harmless(text(session, "alert_type")),
        harmless(text(session, "severity"))
    );
    println!("chain     {}", text(session, "chain_id"));
    if session["incident"]["removed_at_us"].is_i64() {
        println!(
            "incident  taken out of {} by {}",
            text(&session["incident"], "incident_id"),
            harmless(text(&session["incident"], "removed_by")),
        );
    } else if let Some(members) = session["incident"]["members"].as_i64() {
        println!(
            "incident  {} ({members} sessions)",
            text(&session["incident"], "incident_id"),
        );
    }
    if session["care"]["right_cause"].is_string() {
        println!(
            "right     {}",
            harmless(text(&session["care"], "right_cause"))
        );
    }
    if session.get("task").is_some_and(Value::is_string) {
        println!("parent    {}", text(session, "parent_session_id"));
        println!("task      {}", harmless(text(session, "task")));
    }
    for stage in session
        .get("stages")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let took = stage
            .get("duration_ms")
            .and_then(Value::as_i64)
            .map(millis)
            .unwrap_or_default();
        let attempt = stage.get("attempt").and_then(Value::as_i64).unwrap_or(1);
        println!(
            "stage     {} ({}), attempt {attempt}: {} {}",
            follow::named(stage),
            text(stage, "agent"),
            status(text(stage, "status")),
            dim(&took)
        );
        for line in members(stage, "chronological_interactions").filter_map(interaction_line::line)
        {
            println!("{line}");
        }
    }
    for child in members(session, "children") {
        println!(
            "child     {} ({}): {}",
            text(child, "session_id"),
            harmless(text(child, "agent")),
            status(text(child, "status")),
        );
    }
    if let Some(cost) = crate::spending::line(session) {
        println!("cost      {cost}");
    }
    super::submit::conclude(session);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::unfinished;

    #[test]
    fn pages_follow_until_enough_was_found_or_nothing_is_left() {
        let answer = |found: usize, next: Option<&str>| json!({"sessions": vec![1; found], "pagination": {"next_cursor": next}});
        assert_eq!(
            unfinished(&answer(2, Some("1_a_on")), 5),
            Some((3, "1_a_on".to_owned()))
        );
        assert_eq!(unfinished(&answer(5, Some("1_a")), 5), None);
        assert_eq!(unfinished(&answer(2, None), 5), None);
        assert_eq!(unfinished(&json!({}), 5), None);
    }
}
