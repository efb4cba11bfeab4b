//! Cross-checks rows with the records of senders, model, tools and logs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use sqlx::PgPool;
use uuid::Uuid;

use crate::client::{Decision, Sent};
use crate::invariants::{Broken, broken_by};
use crate::ledger::Ledger;
use crate::logs;
use crate::model::Seen;

/// Maximum number of workers that one poisonous alert may kill: four, and four more whose crashes do not count because
/// other workers died at the same time.
const MOST_POISONED: usize = 8;

/// Findings in addition to broken invariants.
#[derive(Debug, Default)]
pub(crate) struct Testimony {
    pub(crate) broken: Vec<Broken>,
    /// Writes refused because their job had been taken away.
    pub(crate) refused: usize,
    /// Outcomes dropped for this or another reason, e.g. a cancel or a deleted job.
    pub(crate) dropped: usize,
    /// Jobs that a sweeper took from dead or frozen workers.
    pub(crate) recoveries: usize,
    /// Panics of the driver on torn rows.
    pub(crate) driver_panics: usize,
    /// Complete answers beyond the first one of an interaction.
    pub(crate) repeated_answers: usize,
    /// Tool calls for which it is unknown whether they took effect.
    pub(crate) unknown_outcomes: usize,
    /// Highest number of workers killed by one poisonous alert.
    pub(crate) most_poisoned: usize,
}

pub(crate) struct Evidence<'a> {
    pub(crate) pool: &'a PgPool,
    pub(crate) sent: &'a [Sent],
    pub(crate) decisions: &'a [Decision],
    pub(crate) folder: &'a Path,
    pub(crate) logs: &'a Path,
    /// Times that Postgres lost unflushed writes, crash counts among them.
    pub(crate) power_losses: usize,
    /// Processes that connect through `PgBouncer`.
    pub(crate) bounced: &'a [String],
}

impl Evidence<'_> {
    pub(crate) async fn cross_check(&self, seen: &Seen) -> Result<Testimony> {
        let mut testimony = Testimony::default();
        self.senders(&mut testimony).await?;
        self.deciders(&mut testimony).await?;
        self.model(seen, &mut testimony).await?;
        self.tools(&mut testimony).await?;
        self.logs(&mut testimony).await?;
        Ok(testimony)
    }

    /// Runs only the checks of tool calls.
    pub(crate) async fn of_calls(&self) -> Result<Vec<Broken>> {
        let mut testimony = Testimony::default();
        self.tools(&mut testimony).await?;
        Ok(testimony.broken)
    }

    /// Checks that every accepted decision counts, so that no wait has two.
    async fn deciders(&self, testimony: &mut Testimony) -> Result<()> {
        let rows: Vec<(Uuid, Option<String>)> =
            sqlx::query_as("select wait_id, decision::text from waits")
                .fetch_all(self.pool)
                .await?;
        let rows: BTreeMap<Uuid, Option<String>> = rows.into_iter().collect();
        let wrong = self.decisions.iter().filter_map(|decision| {
            let row = rows.get(&decision.wait)?;
            (row.as_ref() != Some(&decision.status))
                .then(|| format!("{}: told {}, is {row:?}", decision.wait, decision.status))
        });
        testimony.broken.extend(broken_by(
            "I3",
            "a decision that was accepted does not count",
            wrong,
        ));
        Ok(())
    }

    async fn senders(&self, testimony: &mut Testimony) -> Result<()> {
        let rows: Vec<Uuid> = sqlx::query_scalar(
            "select session_id from alert_sessions union select session_id from torture_retired",
        )
        .fetch_all(self.pool)
        .await?;
        let rows: BTreeSet<Uuid> = rows.into_iter().collect();
        let lost = self
            .sent
            .iter()
            .flat_map(|sent| &sent.accepted)
            .filter(|id| !rows.contains(id));
        testimony.broken.extend(broken_by(
            "I1",
            "an accepted alert is lost",
            lost.map(Uuid::to_string),
        ));
        let doubled = self
            .sent
            .iter()
            .filter(|sent| sent.accepted.iter().collect::<BTreeSet<_>>().len() > 1);
        testimony.broken.extend(broken_by(
            "I1",
            "an alert was accepted as two sessions",
            doubled.map(|sent| sent.key.clone()),
        ));
        let strange = self
            .sent
            .iter()
            .flat_map(|sent| sent.strange.iter().cloned());
        testimony.broken.extend(broken_by(
            "I1",
            "an answer that is neither 202 nor 503",
            strange,
        ));
        Ok(())
    }

    async fn model(&self, seen: &Seen, testimony: &mut Testimony) -> Result<()> {
        // Each run that began before an answer was recorded may request it, and no other run. The rows can't prove
        // this, because retention deletes some.
        let begun: Vec<(Uuid, i64, Option<String>)> = sqlx::query_as(
            "select a.interaction_id, coalesce(min(r.runs), count(b.id)),
                    string_agg(to_char(b.at, 'HH24:MI:SS.MS'), ' ' order by b.id)
             from torture_asked a left join torture_begun b using (execution_id)
                 left join torture_recorded r using (interaction_id) group by 1",
        )
        .fetch_all(self.pool)
        .await?;
        let begun: BTreeMap<String, (i64, String)> = begun
            .into_iter()
            .map(|(id, n, times)| (id.to_string(), (n, times.unwrap_or_default())))
            .collect();
        let mut too_often = Vec::new();
        for (id, times) in &seen.answers {
            let times = seen.arrived(times);
            testimony.repeated_answers += times.len().saturating_sub(1);
            let (runs, begun) = begun.get(id).cloned().unwrap_or_default();
            if i64::try_from(times.len()).is_ok_and(|answers| answers > runs) {
                let times: Vec<_> = times
                    .iter()
                    .map(|at| at.format("%T%.3f").to_string())
                    .collect();
                too_often.push(format!(
                    "{id}: answers at {}, {runs} runs could not know it, of those begun at {begun}",
                    times.join(" ")
                ));
            }
        }
        testimony.broken.extend(broken_by(
            "I6",
            "an answer was bought by a run that could know it",
            too_often,
        ));
        let canaries = (seen.canaries > 0).then(|| format!("{} requests", seen.canaries));
        testimony
            .broken
            .extend(broken_by("I11", "the model was told a secret", canaries));
        Ok(())
    }

    async fn tools(&self, testimony: &mut Testimony) -> Result<()> {
        let unknown =
            "select count(*) from mcp_interactions where error_message like '%outcome%unknown%'";
        let unknown: i64 = sqlx::query_scalar(unknown).fetch_one(self.pool).await?;
        testimony.unknown_outcomes = usize::try_from(unknown)?;
        let ledger = Ledger::read(self.folder)?;
        let replays = self.replays().await?;
        let twice = ledger
            .of_tool("act")
            .into_iter()
            .filter(|(incident, n)| *n > 1 + replays.get(*incident).copied().unwrap_or(0));
        testimony.broken.extend(broken_by(
            "I7",
            "a tool call that must not be repeated was repeated",
            twice.map(|(incident, n)| format!("{incident}: {n} times")),
        ));
        let acted = self.approvals().await?.into_iter();
        let unapproved =
            acted.filter(|(incident, approved)| ledger.count("act", incident) > *approved);
        testimony.broken.extend(broken_by(
            "I5",
            "a call that needs an approval was made more often than it was approved",
            unapproved.map(|(incident, n)| {
                let made = ledger.count("act", &incident);
                format!("{incident}: approved {n} times, made {made} times")
            }),
        ));
        let poisoned = ledger.of_tool("poison");
        testimony.most_poisoned = poisoned.iter().map(|(_, n)| *n).max().unwrap_or(0);
        let cap = MOST_POISONED + self.power_losses;
        let uncapped = poisoned.into_iter().filter(|(_, n)| *n > cap);
        testimony.broken.extend(broken_by(
            "I9",
            "poison killed more workers than the crash cap allows",
            uncapped.map(|(incident, n)| format!("{incident}: {n} workers, at most {cap}")),
        ));
        Ok(())
    }

    /// Returns how often a call was approved, by incident of the session whose agent makes the call.
    async fn approvals(&self) -> Result<Vec<(String, usize)>> {
        let query = "select alert_data ->> 'incident',
                (select count(*) from waits w where w.session_id = s.session_id and w.decision = 'approved')
            from alert_sessions s where chain_id = 'asked'";
        let rows: Vec<(String, i64)> = sqlx::query_as(query).fetch_all(self.pool).await?;
        let counted = rows
            .into_iter()
            .map(|(incident, n)| (incident, usize::try_from(n).unwrap_or(0)));
        Ok(counted.collect())
    }

    /// Returns the number of replays of each incident's stages. Each replay may act once more.
    async fn replays(&self) -> Result<BTreeMap<String, usize>> {
        let query = "select incident, count(*) from audit_log a
            join (select session_id, alert_data ->> 'incident' as incident from alert_sessions
                  union all select session_id, incident from torture_retired
                  where session_id not in (select session_id from alert_sessions)) s on s.session_id::text = a.subject
            where a.action = 'stage.replay' group by 1";
        let rows: Vec<(String, i64)> = sqlx::query_as(query).fetch_all(self.pool).await?;
        let counted = rows
            .into_iter()
            .map(|(incident, n)| (incident, usize::try_from(n).unwrap_or(0)));
        Ok(counted.collect())
    }

    async fn logs(&self, testimony: &mut Testimony) -> Result<()> {
        let taken = logs::taken(self.pool).await?;
        let counts = logs::read(self.logs, &taken, self.bounced)?;
        (testimony.refused, testimony.dropped) = (counts.refused, counts.dropped);
        (testimony.recoveries, testimony.driver_panics) = (counts.recoveries, counts.driver_panics);
        let (leaks, panics) = (counts.leaks, counts.panics);
        testimony
            .broken
            .extend(broken_by("I11", "a secret is in a log", leaks));
        testimony
            .broken
            .extend(broken_by("I10", "a process panicked", panics));
        Ok(())
    }
}
