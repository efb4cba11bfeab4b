//! Rules of approvals.

use serde::Serialize;

use crate::fields::Fields;

/// The `approvals` section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Approvals {
    /// Whether somebody may approve what they asked for themselves by a message or a question. Default: no.
    pub own_requests: bool,
}

impl Approvals {
    pub(crate) fn read(fields: &Fields<'_>) -> Self {
        let approvals = Self {
            own_requests: fields.bool("own_requests").unwrap_or_default(),
        };
        fields.finish();
        approvals
    }
}
