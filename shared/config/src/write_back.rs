//! A notification target that writes notes into the alert's incident: its token, and whom PagerDuty names as the author.

use serde::Serialize;

use crate::Secret;
use crate::fields::Fields;
use crate::notification_format::NotificationFormat;

/// Addresses of the APIs, unless `url` names another.
const PAGERDUTY_API: &str = "https://api.pagerduty.com";
const OPSGENIE_API: &str = "https://api.opsgenie.com";
/// Keys that only such targets have.
const KEYS: [&str; 2] = ["token_env", "from"];

/// What a target of format `pagerduty` or `opsgenie` has beside the others.
#[derive(Clone, Debug, Serialize)]
pub struct WriteBack {
    /// The API key, from the variable that `token_env` names.
    pub token: Option<Secret>,
    /// Mail address of the PagerDuty user that notes are from; required by PagerDuty alone.
    pub from: Option<String>,
}

impl WriteBack {
    /// The API of a format that writes back; `None`: the format does not.
    pub(crate) const fn api(format: NotificationFormat) -> Option<&'static str> {
        match format {
            NotificationFormat::Pagerduty => Some(PAGERDUTY_API),
            NotificationFormat::Opsgenie => Some(OPSGENIE_API),
            _ => None,
        }
    }

    /// Reads the keys of a target; reports them if its format has none.
    pub(crate) fn read(fields: &Fields<'_>, format: NotificationFormat) -> Option<Self> {
        if Self::api(format).is_none() {
            for key in KEYS {
                fields.know(key);
                if fields.has(key) {
                    fields.problem(
                        key,
                        format!("`{key}` requires a format that writes back"),
                        "set `format: pagerduty` or `format: opsgenie`, or leave the key out",
                    );
                }
            }
            return None;
        }
        let token_env = fields.environment_name("token_env");
        if !fields.has("token_env") {
            fields.problem_here(
                "`token_env` is missing".to_owned(),
                "set it to the variable that holds the API key",
            );
        }
        let env = fields.context().env;
        let token = token_env.as_deref().and_then(|name| env.value(name));
        Some(Self {
            token: token.map(Secret::new),
            from: read_from(fields, format),
        })
    }
}

fn read_from(fields: &Fields<'_>, format: NotificationFormat) -> Option<String> {
    const HINT: &str = "PagerDuty wants the mail address of one of its users";
    if format != NotificationFormat::Pagerduty {
        fields.know("from");
        if fields.has("from") {
            fields.problem(
                "from",
                "`from` requires `format: pagerduty`".to_owned(),
                "leave the key out",
            );
        }
        return None;
    }
    let from = fields.required("from", HINT)?;
    let is_address = from
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    if !is_address || !from.bytes().all(|byte| byte.is_ascii_graphic()) {
        fields.problem("from", "`from`: not a mail address".to_owned(), HINT);
    }
    Some(from)
}
