//! Reads which alerts of a chain wait for a person's approval before they are investigated.

use tarsy_chain::{HOLD_STAGE, Hold};
use tarsy_model::{Role, severity_words};

use crate::approvals::APPROVERS;
use crate::fields::Fields;
use crate::stage::wait_length;

/// How long an alert is held if `expires` is not set.
const DEFAULT_EXPIRES_MS: u64 = 24 * 3_600_000;

/// Reads the section `hold` of a chain.
pub(crate) fn read(fields: &Fields<'_>) -> Option<Hold> {
    let section = fields.section("hold")?;
    let below = section.text("below");
    if let Some(text) = &below {
        let word = text.value().to_lowercase();
        if !severity_words().any(|(_, words)| words.contains(&word.as_str())) {
            section.problem(
                "below",
                format!("`{}` is no severity", text.shown()),
                "use a word such as `low`, `warning`, `high` or `critical`",
            );
        }
    }
    let role = section
        .meaning("role", &APPROVERS)
        .unwrap_or(Role::Operator);
    let expires_ms = wait_length(&section, "expires", "24h").unwrap_or(DEFAULT_EXPIRES_MS);
    section.finish();
    Some(Hold {
        below: below.map(|text| text.value().to_owned()),
        role,
        expires_ms,
    })
}

/// Reports stages that have the name of the hold stage.
pub(crate) fn check_names<'n>(fields: &Fields<'_>, mut names: impl Iterator<Item = &'n str>) {
    if names.any(|name| name == HOLD_STAGE) {
        fields.problem_here(
            format!("`{HOLD_STAGE}` is the name of the stage that holds alerts back"),
            "choose another name for the stage",
        );
    }
}
