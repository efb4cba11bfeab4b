//! Triage of a session: acknowledgement, assignee and rating.

use sqlx::PgConnection;
use tarsy_model::{AnswerRating, SessionId};

use crate::Error;

/// Triage of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triage {
    /// Time when a person acknowledged the session, in Unix microseconds.
    pub acknowledged_at_us: Option<i64>,
    /// Name of the caller who acknowledged the session; `None`: not acknowledged.
    pub acknowledged_by: Option<String>,
    /// The person who works on the session; `None`: not assigned.
    pub assignee: Option<String>,
    /// Rating of the answer by a person.
    pub rating: Option<AnswerRating>,
    /// Time of the rating, in Unix microseconds.
    pub rated_at_us: Option<i64>,
    /// Name of the caller who rated the answer.
    pub rated_by: Option<String>,
    /// Faults of the answer, as stated by a person.
    pub faults: Option<Vec<String>>,
    /// The right cause, as a person states it.
    pub right_cause: Option<String>,
    /// Time of the review, Unix microseconds.
    pub reviewed_at_us: Option<i64>,
    /// Name of the caller who reviewed the answer; `None`: not reviewed.
    pub reviewed_by: Option<String>,
}

/// Changes to a session's triage; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct TriageChange {
    /// Whether the session is acknowledged.
    pub acknowledged: Option<bool>,
    /// New assignee; the inner `None` removes the assignee.
    pub assignee: Option<Option<String>>,
    /// New rating of the answer; the inner `None` removes the rating.
    pub rating: Option<Option<AnswerRating>>,
    /// Faults of the answer. Dropped if the answer is rated right or not rated.
    pub faults: Option<Vec<String>>,
    /// The right cause; the inner `None` removes it. Dropped if the answer is rated right or not rated.
    pub right_cause: Option<Option<String>>,
    /// Whether the answer is reviewed.
    pub reviewed: Option<bool>,
    /// Whether the session is in its incident or removed from it; see
    /// [`set_incident_member`](super::set_incident_member).
    pub incident_member: Option<bool>,
}

/// Updates a session's triage and returns it; `None` if the session does not exist. The first acknowledgement is kept
/// until it is taken back.
///
/// Locks the session first, as its deletion does.
pub async fn update_triage(
    conn: &mut PgConnection,
    session_id: SessionId,
    actor: &str,
    change: &TriageChange,
) -> Result<Option<Triage>, Error> {
    let acknowledges = change.acknowledged == Some(true);
    let assignee = change.assignee.clone().flatten();
    let rating = change.rating.flatten();
    let rates = rating.is_some();
    let faults = change.faults.clone().filter(|faults| !faults.is_empty());
    let faults = faults.as_deref();
    let right_cause = change.right_cause.clone().flatten();
    Ok(sqlx::query_as!(
        Triage,
        r#"insert into session_care as c (session_id, acknowledged_at_us, acknowledged_by, assignee, rating, rated_at_us, rated_by,
               faults, right_cause, reviewed_at_us, reviewed_by)
           select session_id, case when $1 then now_us() end, case when $1 then $2::text end, $3::text,
                  $4::answer_rating, case when $5 then now_us() end, case when $5 then $2 end,
                  case when $4::answer_rating <> 'right' then $6::text[] end,
                  case when $4::answer_rating <> 'right' then $7::text end, case when $8 then now_us() end, case when $8 then $2 end
           from alert_sessions where session_id = $9 for no key update
           on conflict (session_id) do update set
               acknowledged_at_us = case when not $10 then c.acknowledged_at_us
                                         when $1 then coalesce(c.acknowledged_at_us, excluded.acknowledged_at_us) end,
               acknowledged_by = case when not $10 then c.acknowledged_by
                                      when $1 then coalesce(c.acknowledged_by, excluded.acknowledged_by) end,
               assignee = case when $11 then excluded.assignee else c.assignee end,
               rating = case when $12 then excluded.rating else c.rating end,
               rated_at_us = case when $12 then excluded.rated_at_us else c.rated_at_us end,
               rated_by = case when $12 then excluded.rated_by else c.rated_by end,
               faults = case when $12 then excluded.faults
                             when $13 and c.rating <> 'right' then $6::text[] else c.faults end,
               right_cause = case when $12 and (excluded.rating is null or excluded.rating = 'right') then null
                                  when $14 and (case when $12 then excluded.rating else c.rating end) <> 'right' then $7::text
                                  else c.right_cause end,
               reviewed_at_us = case when not $15 then c.reviewed_at_us
                                     when $8 then coalesce(c.reviewed_at_us, excluded.reviewed_at_us) end,
               reviewed_by = case when not $15 then c.reviewed_by
                                  when $8 then coalesce(c.reviewed_by, excluded.reviewed_by) end
           returning acknowledged_at_us, acknowledged_by, assignee, rating as "rating: AnswerRating", rated_at_us, rated_by, faults,
                     right_cause, reviewed_at_us, reviewed_by"#,
        acknowledges,
        actor,
        assignee,
        rating as Option<AnswerRating>,
        rates,
        faults,
        right_cause,
        change.reviewed == Some(true),
        session_id.as_uuid(),
        change.acknowledged.is_some(),
        change.assignee.is_some(),
        change.rating.is_some(),
        change.faults.is_some(),
        change.right_cause.is_some(),
        change.reviewed.is_some(),
    )
    .fetch_optional(conn)
    .await?)
}
