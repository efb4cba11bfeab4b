//! Actions on all sessions that match a filter.

use std::time::SystemTime;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches};
use serde_json::{Map, Value, json};
use tarsy_model::{FieldKind, SessionField};

use crate::client::Client;
use crate::confirmation::Confirmation;
use crate::output::number;

/// Session filter options, generated from [`SessionField`].
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionFilterArgs {
    filter: Map<String, Value>,
}

/// Group of all options of [`SessionFilterArgs`].
pub(crate) const FILTER_GROUP: &str = "matching";

fn options() -> impl Iterator<Item = (SessionField, &'static str)> {
    let fields = SessionField::ALL.into_iter();
    fields.filter_map(|field| Some((field, field.option()?)))
}

fn argument(field: SessionField, option: &'static str) -> Arg {
    let mut argument = Arg::new(field.name()).long(option).help(field.help());
    if field.takes_several() {
        argument = argument.action(ArgAction::Append).help(format!(
            "{}; repeat it to match any of several values",
            field.help()
        ));
    }
    match field.kind() {
        FieldKind::Words(words) | FieldKind::Word(words) => {
            argument.value_parser(PossibleValuesParser::new(words))
        }
        FieldKind::YesOrNo => argument.value_parser(PossibleValuesParser::new(["true", "false"])),
        FieldKind::Time => argument
            .value_name("TIME")
            .help(format!("{}, or an age, e.g. `1h`", field.help()))
            .value_parser(time),
        FieldKind::Comparison => argument.value_name("COMPARISON"),
        FieldKind::Text | FieldKind::Micros | FieldKind::Search => argument.value_name("TEXT"),
    }
}

/// Parses a time, or an age, which is subtracted from the current time.
fn time(text: &str) -> Result<String, String> {
    let Ok(span) = humantime::parse_duration(text) else {
        return Ok(text.to_owned());
    };
    let at = SystemTime::now().checked_sub(span);
    let at = at.ok_or_else(|| "is out of range".to_owned())?;
    Ok(humantime::format_rfc3339_micros(at).to_string())
}

impl clap::Args for SessionFilterArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = options().fold(command, |command, (field, option)| {
            command.arg(argument(field, option))
        });
        let names = options().map(|(field, _)| field.name());
        command.group(ArgGroup::new(FILTER_GROUP).args(names).multiple(true))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for SessionFilterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut filter = Map::new();
        for (field, _) in options() {
            let name = field.name();
            let Some(values) = matches.get_many::<String>(name) else {
                continue;
            };
            let values: Vec<&String> = values.collect();
            let value = match &values[..] {
                values if field.takes_several() => json!(values),
                [.., last] => json!(last),
                [] => continue,
            };
            filter.insert(name.to_owned(), value);
        }
        Ok(Self { filter })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl SessionFilterArgs {
    /// Returns the query parameters of the session list.
    pub(crate) fn query(&self) -> Vec<(String, String)> {
        let mut query = Vec::new();
        for (name, value) in &self.filter {
            match value {
                Value::Array(values) => query.extend(
                    values
                        .iter()
                        .filter_map(|value| Some((name.clone(), value.as_str()?.to_owned()))),
                ),
                value => query.extend(value.as_str().map(|value| (name.clone(), value.to_owned()))),
            }
        }
        query
    }

    /// Returns the filter for a request body.
    pub(crate) const fn filter(&self) -> &Map<String, Value> {
        &self.filter
    }
}

/// Action on all sessions that match a filter.
pub(crate) struct BulkAction<'a> {
    /// Path of the API below `/api/v1/admin/`.
    pub(crate) path: &'a str,
    /// Verb of the confirmation, e.g. `cancel`.
    pub(crate) verb: &'a str,
    pub(crate) matching: &'a SessionFilterArgs,
    pub(crate) reason: &'a str,
    pub(crate) dry_run: bool,
    pub(crate) confirmation: Confirmation,
}

impl BulkAction<'_> {
    /// Counts the sessions, asks for confirmation, and repeats the action until none is left. Returns the last response
    /// with the total.
    pub(crate) async fn run(&self, client: &Client) -> Result<Value> {
        if self.matching.filter().is_empty() {
            bail!(
                "give a session id or a filter (--status, --alert-type, --search, ..; see --help)"
            );
        }
        let mut counted = self.ask(client, true).await?;
        let matched = number(&counted, "matched");
        if self.dry_run || matched == 0 {
            return Ok(counted);
        }
        let plus = match counted.get("matched_is_exact") {
            Some(Value::Bool(false)) => " or more",
            _ => "",
        };
        let question = format!("{} {matched}{plus} sessions", self.verb);
        if !self.confirmation.confirm(&question)? {
            bail!("aborted");
        }
        let mut affected = 0;
        loop {
            let answer = self.ask(client, false).await?;
            let now = number(&answer, "affected");
            affected += now;
            if affected == now {
                counted = answer.clone();
            }
            // Sessions that can't be acted on still match, so continue only while the last call affected some.
            if now == 0 || number(&answer, "matched") <= now {
                break;
            }
        }
        if let Value::Object(members) = &mut counted {
            members.insert("affected".to_owned(), json!(affected));
            members.insert("matched".to_owned(), json!(matched));
        }
        Ok(counted)
    }

    async fn ask(&self, client: &Client, dry_run: bool) -> Result<Value> {
        let body =
            json!({ "filter": self.matching.filter(), "reason": self.reason, "dry_run": dry_run });
        client.act(self.path, &body).await
    }
}

/// Prints the result of [`BulkAction::run`].
pub(crate) fn print_result(answer: &Value, done: &str) {
    let ids = answer.get("session_ids").and_then(Value::as_array);
    for id in ids.into_iter().flatten().filter_map(Value::as_str) {
        println!("{id}");
    }
    match answer.get("dry_run") {
        Some(Value::Bool(true)) => {
            println!("{} sessions match (dry run)", number(answer, "matched"))
        }
        _ => println!(
            "{} of {} sessions {done}",
            number(answer, "affected"),
            number(answer, "matched")
        ),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};
    use serde_json::{Value, json};

    use super::SessionFilterArgs;

    fn read(arguments: &[&str]) -> SessionFilterArgs {
        let command =
            SessionFilterArgs::augment_args(clap::Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments).unwrap();
        SessionFilterArgs::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn conditions_bear_the_names_of_the_api() {
        let matching = read(&[
            "--status=failed",
            "--status=completed",
            "--since=2026-11-20T08:00:00Z",
            "--agent=KubernetesAgent",
            "--acknowledged=false",
        ]);
        let filter = json!({
            "status": ["failed", "completed"], "start_date": "2026-11-20T08:00:00Z",
            "agent": ["KubernetesAgent"], "acknowledged": "false",
        });
        assert_eq!(Value::Object(matching.filter().clone()), filter);
        assert!(
            matching
                .query()
                .contains(&("status".into(), "completed".into()))
        );
        assert!(read(&[]).filter().is_empty());
    }

    #[test]
    fn a_time_can_be_so_long_ago() {
        let since = |given: &str| {
            let filter = read(&["--since", given]).filter().clone();
            filter["start_date"].as_str().unwrap().to_owned()
        };
        let (hour, day) = (since("1h"), since("1d"));
        assert!(hour.ends_with('Z') && day < hour, "{day} {hour}");
    }
}
