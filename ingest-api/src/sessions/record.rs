//! The record (interactions) of a session, page by page.

pub(crate) mod handlers;

use std::collections::HashMap;

use serde::Serialize;
use tarsy_model::InteractionId;
use tarsy_store::history::RecordPart;
use utoipa::ToSchema;

use crate::problem::{FieldError, Problem};
use crate::sessions::detail::Interaction;

/// Default number of interactions on a page.
const USUAL: i64 = 200;
const LARGEST: i64 = 1_000;

/// A page of a session's interactions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Record {
    /// Interactions in the order of the attempts, then by sequence. Model calls have `new_messages`.
    interactions: Vec<Interaction>,
    /// Whether more interactions follow. To get them, pass the last id of this page as `after`.
    more: bool,
}

/// Parameters of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartQuery {
    /// The page begins after this interaction; `None`: at the first.
    pub(crate) after: Option<InteractionId>,
    pub(crate) limit: i64,
}

impl PartQuery {
    /// Parses a query string.
    ///
    /// # Errors
    ///
    /// [`Problem::InvalidParameter`] for an invalid value.
    pub(crate) fn read(pairs: &[(String, String)]) -> Result<Self, Problem> {
        let mut query = Self {
            after: None,
            limit: USUAL,
        };
        for (name, value) in pairs {
            match name.as_str() {
                "after" => query.after = Some(value.parse().map_err(|_| unknown_mark())?),
                "limit" => {
                    let limit = value.parse().ok();
                    let limit = limit.filter(|limit| (1..=LARGEST).contains(limit));
                    query.limit = limit.ok_or_else(|| {
                        let detail = "must be a whole number from 1 to 1000";
                        Problem::InvalidParameter(FieldError::new(name, detail))
                    })?;
                }
                _ => {}
            }
        }
        Ok(query)
    }
}

/// Returns the problem of an `after` that does not name an interaction of the session.
pub(crate) fn unknown_mark() -> Problem {
    Problem::InvalidParameter(FieldError::new(
        "after",
        "must be an interaction of this session",
    ))
}

impl Record {
    pub(crate) fn from_part(part: RecordPart) -> Self {
        let llm = part.llm.into_iter().map(Interaction::of_new_llm);
        let all = llm.chain(part.mcp.into_iter().map(Interaction::of_mcp));
        let mut by_id: HashMap<_, _> = all
            .map(|interaction| (interaction.id, interaction))
            .collect();
        let in_order = part.order.iter();
        Self {
            interactions: in_order.filter_map(|id| by_id.remove(id)).collect(),
            more: part.more,
        }
    }
}
