//! Stages of chains.

mod branches;
mod fields;
mod kind;

pub(crate) use branches::source_key;
pub(crate) use fields::StageFields;
pub(crate) use kind::wait_length;

use std::collections::BTreeSet;

use tarsy_chain::{Join, StageDefinition, Template};
use tarsy_model::Pool;

use crate::fields::{Fields, Text};
use crate::settings::SCHEDULE_TIMEOUTS;

/// Reads one stage. `names` are those of the stages before it.
pub(crate) fn read(fields: &Fields<'_>, names: &mut BTreeSet<String>) -> Option<StageDefinition> {
    let keys = StageFields::FIELDS;
    let name = fields.require(
        keys.name,
        "it names the stage on screens and its result in later stages",
    );
    let agents = branches::agents(fields);
    let kind = kind::read(fields, &agents);
    let branches = branches::read(fields, agents);
    let pool = pool(fields);
    let schedule_timeout_ms = schedule_timeout(fields);
    let needs = fields.get(keys.needs);
    let needs = needs.map(|names| names.into_iter().map(Text::into_string).collect());
    let when = fields.string(keys.when);
    let join = fields.get(keys.join).unwrap_or(Join::All);
    if let Some(name) = &name
        && !names.insert(name.value().to_owned())
    {
        fields.problem(
            keys.name,
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
    let field = StageFields::FIELDS.pool;
    let Some(text) = fields.get(field) else {
        return Pool::default();
    };
    let pool = Pool::from(text.value());
    if pool.is_template() {
        check_template(fields, pool.as_str());
    } else if !Pool::is_name(pool.as_str()) {
        fields.problem(
            field,
            format!("invalid pool name `{}`", text.shown()),
            "use a-z, 0-9, `-` and `_`, at most 63 characters, e.g. `default`",
        );
    }
    pool
}

/// Checks the template of a pool. It can't read stages, because the pool is resolved when the alert is accepted.
fn check_template(fields: &Fields<'_>, template: &str) {
    let field = StageFields::FIELDS.pool;
    let hint = "e.g. `{{ alert.data.cluster }}`";
    match Template::parse(template) {
        Err(error) => fields.problem(field, format!("invalid template of a pool: {error}"), hint),
        Ok(template) if template.stages().next().is_some() => {
            let message = "a pool can't be made of the output of a stage".to_owned();
            fields.problem(field, message, hint);
        }
        Ok(_) => {}
    }
}

/// Reads how long a stage may wait while no worker can run it.
fn schedule_timeout(fields: &Fields<'_>) -> Option<u64> {
    let field = StageFields::FIELDS.schedule_timeout;
    let timeout = fields.get(field)?;
    let (shortest, longest) = SCHEDULE_TIMEOUTS;
    if timeout < shortest || timeout > longest {
        fields.problem(
            field,
            format!("`{field}` ({timeout:?}) is not between {shortest:?} and {longest:?}"),
            "it is how long the stage may wait while no worker can run it, e.g. `15m`",
        );
    }
    u64::try_from(timeout.as_millis()).ok()
}
