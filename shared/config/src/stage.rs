//! Stages of chains.

mod branches;
mod kind;

pub(crate) use branches::{Replicas, SUCCESSES, source_key};
pub(crate) use kind::{KINDS, wait_length};

use std::collections::BTreeSet;

use tarsy_chain::{Join, StageDefinition, Template};
use tarsy_model::Pool;

use crate::fields::Fields;
use crate::settings::SCHEDULE_TIMEOUTS;

/// How the needs of a stage are joined.
pub(crate) const JOINS: [(&str, Join); 2] = [("all", Join::All), ("any", Join::Any)];

/// Reads one stage. `names` are those of the stages before it.
pub(crate) fn read(fields: &Fields<'_>, names: &mut BTreeSet<String>) -> Option<StageDefinition> {
    let name = fields.required_text(
        "name",
        "it names the stage on screens and its result in later stages",
    );
    let agents = branches::agents(fields);
    let kind = kind::read(fields, &agents);
    let branches = branches::read(fields, agents);
    let pool = pool(fields);
    let schedule_timeout_ms = schedule_timeout(fields);
    let needs = fields.texts_or_empty("needs");
    let needs = needs.iter().map(|name| name.value().to_owned()).collect();
    let needs = fields.has("needs").then_some(needs);
    let when = fields.string("when");
    let join = fields.meaning("join", &JOINS).unwrap_or(Join::All);
    fields.finish();
    if let Some(name) = &name
        && !names.insert(name.value().to_owned())
    {
        fields.problem(
            "name",
            format!("duplicate stage `{}`", name.shown()),
            "stage names must be unique in a chain: later stages look results up by name",
        );
    }
    Some(StageDefinition {
        kind: kind?,
        name: name?.value().to_owned(),
        needs,
        when,
        join,
        branches,
        pool,
        schedule_timeout_ms,
        timeout_ms: None,
    })
}

fn pool(fields: &Fields<'_>) -> Pool {
    let Some(text) = fields.text("pool") else {
        return Pool::default();
    };
    let pool = Pool::from(text.value());
    if pool.is_template() {
        check_template(fields, pool.as_str());
    } else if !Pool::is_name(pool.as_str()) {
        fields.problem(
            "pool",
            format!("invalid pool name `{}`", text.shown()),
            "use a-z, 0-9, `-` and `_`, at most 63 characters, e.g. `default`",
        );
    }
    pool
}

/// Checks the template of a pool. It can't read stages, because the pool is resolved when the alert is accepted.
fn check_template(fields: &Fields<'_>, template: &str) {
    let hint = "e.g. `{{ alert.data.cluster }}`";
    match Template::parse(template) {
        Err(error) => fields.problem("pool", format!("invalid template of a pool: {error}"), hint),
        Ok(template) if template.stages().next().is_some() => {
            let message = "a pool can't be made of the output of a stage".to_owned();
            fields.problem("pool", message, hint);
        }
        Ok(_) => {}
    }
}

/// Reads how long a stage may wait while no worker can run it.
fn schedule_timeout(fields: &Fields<'_>) -> Option<u64> {
    const KEY: &str = "schedule_timeout";
    let timeout = fields.duration(KEY)?;
    let (shortest, longest) = SCHEDULE_TIMEOUTS;
    if timeout < shortest || timeout > longest {
        fields.problem(
            KEY,
            format!("`{KEY}` ({timeout:?}) is not between {shortest:?} and {longest:?}"),
            "it is how long the stage may wait while no worker can run it, e.g. `15m`",
        );
    }
    u64::try_from(timeout.as_millis()).ok()
}
