//! Reads which alerts of a chain wait for a person's approval before they are investigated.

use tarsy_chain::{HOLD_STAGE, Hold};
use tarsy_model::{Role, severity_words};

use crate::approvals::Approver;
use crate::fields::{Field, Fields, Length, Text, Word, section};
use crate::stage::wait_length;

section! {
    /// Alerts that wait for a person's approval before they are investigated.
    struct HoldFields("Hold") {
        /// Hold only alerts that are less severe than this. Default: hold all alerts.
        below: Text,
        /// Minimum role that may decide. Default: operator.
        role: Word<Approver>,
        /// How long alerts are held. After that, their sessions end as cancelled. Default: 24h.
        expires: Length,
    }
}

/// How long an alert is held if `expires` is not set.
const DEFAULT_EXPIRES_MS: u64 = 24 * 3_600_000;

/// Reads the section `hold` of a chain.
pub(crate) fn read(fields: &Fields<'_>, field: Field<HoldFields>) -> Option<Hold> {
    let keys = HoldFields::FIELDS;
    let section = fields.get(field)?;
    let below = section.get(keys.below);
    if let Some(text) = &below {
        let word = text.value().to_lowercase();
        if !severity_words().any(|(_, words)| words.contains(&word.as_str())) {
            section.problem(
                keys.below,
                format!("`{}` is no severity", text.shown()),
                "use a word such as `low`, `warning`, `high` or `critical`",
            );
        }
    }
    let role = section.get(keys.role).unwrap_or(Role::Operator);
    let expires_ms = wait_length(&section, keys.expires, "24h").unwrap_or(DEFAULT_EXPIRES_MS);
    Some(Hold {
        below: below.map(Text::into_string),
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
