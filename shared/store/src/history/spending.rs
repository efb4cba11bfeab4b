//! Tokens and cost of an investigation, by part.

use sqlx::PgConnection;
use tarsy_model::SessionId;

use crate::Error;

/// Tokens and cost of a session and of all sessions created for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spending {
    /// All attempts of the session's own agents.
    pub agents: SpendingPart,
    /// Its sub-agents, including nested ones.
    pub sub_agents: SpendingPart,
    /// The questions about the session, with their sub-agents.
    pub questions: SpendingPart,
}

/// Tokens and cost of the model calls of one part.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpendingPart {
    /// Number of sessions. Sub-agents of a question are not counted separately.
    pub sessions: i64,
    /// Input tokens.
    pub input_tokens: i64,
    /// Output tokens.
    pub output_tokens: i64,
    /// Estimated cost in dollars; `None` if no call has a price.
    pub cost_usd: Option<f64>,
    /// Number of calls that used tokens and have no price.
    pub unpriced_calls: i64,
}

impl Spending {
    /// Returns the sum of all parts.
    #[must_use]
    pub fn total(&self) -> SpendingPart {
        let parts = [self.agents, self.sub_agents, self.questions];
        let sum = |of: fn(&SpendingPart) -> i64| parts.iter().map(of).sum();
        let costs = parts.iter().filter_map(|part| part.cost_usd);
        SpendingPart {
            sessions: sum(|part| part.sessions),
            input_tokens: sum(|part| part.input_tokens),
            output_tokens: sum(|part| part.output_tokens),
            cost_usd: costs.reduce(|a, b| a + b),
            unpriced_calls: sum(|part| part.unpriced_calls),
        }
    }
}

/// Reads the tokens and cost of a session. The sums stored at its end are the same.
pub async fn session_spending(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Spending, Error> {
    let rows = sqlx::query!(
        r#"
        with recursive family as (
            select $1::uuid as session_id, 'agents'::text as part, true as is_counted
            union all
            select c.session_id,
                   case when f.part <> 'agents' then f.part when c.conversation_id is null then 'sub_agents' else 'questions' end,
                   f.part <> 'questions'
            from family f join alert_sessions c on c.parent_session_id = any(array[f.session_id])
        )
        select f.part as "part!", count(distinct f.session_id) filter (where f.is_counted) as "sessions!",
               coalesce(sum(i.input_tokens), 0)::bigint as "input_tokens!", coalesce(sum(i.output_tokens), 0)::bigint as "output_tokens!",
               sum(i.cost_usd) as cost_usd,
               count(*) filter (where i.cost_usd is null and coalesce(i.input_tokens, i.output_tokens) is not null) as "unpriced_calls!"
        from family f left join llm_interactions i on i.session_id = any(array[f.session_id])
        group by f.part
        "#,
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    let mut spending = Spending::default();
    for row in rows {
        let part = SpendingPart {
            sessions: row.sessions,
            input_tokens: row.input_tokens,
            output_tokens: row.output_tokens,
            cost_usd: row.cost_usd,
            unpriced_calls: row.unpriced_calls,
        };
        match row.part.as_str() {
            "sub_agents" => spending.sub_agents = part,
            "questions" => spending.questions = part,
            _ => spending.agents = part,
        }
    }
    Ok(spending)
}
