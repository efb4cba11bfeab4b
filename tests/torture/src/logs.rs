//! Reads logs of the processes: refusals, takeovers, panics, leaks.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use sqlx::PgPool;
use uuid::Uuid;

use crate::model::CANARY;

/// Place in sqlx that panics on a row with a wrong length. PgBouncer writes its own error after half a row when a
/// server dies, which a client can't distinguish from a row. The panic ends the task that reads it, as an error would;
/// the other rules detect further damage.
const DRIVER_PANIC: &str = "/src/message/data_row.rs:";

/// Log messages of a refused or dropped write; also after cancels and for deleted jobs.
const REFUSALS: [&str; 5] = [
    "its end was refused",
    "another worker holds this stage",
    "the chain's claim was lost",
    "its outcome is dropped",
    "the stage has ended already; nothing to do",
];

/// Field that names the claim's job.
const JOB: &str = "job.id";
const EPOCH: &str = "job.epoch";

/// Characters between the name of a field and its value: a sign, quotes.
const GAP: usize = 4;

/// Jobs that were taken from a worker, with the last epoch.
pub(crate) type Taken = BTreeMap<Uuid, i64>;

/// Counts over all logs.
#[derive(Debug, Default)]
pub(crate) struct LogCounts {
    /// Writes refused because their job had been taken away.
    pub(crate) refused: usize,
    /// Writes refused or dropped for another reason.
    pub(crate) dropped: usize,
    /// Jobs that a sweeper took from dead or frozen workers.
    pub(crate) recoveries: usize,
    /// See [`DRIVER_PANIC`].
    pub(crate) driver_panics: usize,
    /// Logs that contain a secret.
    pub(crate) leaks: Vec<String>,
    pub(crate) panics: Vec<String>,
}

/// Reads the jobs taken so far.
pub(crate) async fn taken(pool: &PgPool) -> Result<Taken> {
    let taken = "select job_id, max(epoch) from torture_taken group by 1";
    let taken: Vec<(Uuid, i64)> = sqlx::query_as(taken).fetch_all(pool).await?;
    Ok(taken.into_iter().collect())
}

/// Reads all logs of a folder.
///
/// `bounced` names the processes that reach Postgres through `PgBouncer`: only their rows can be torn.
pub(crate) fn read(folder: &Path, taken: &Taken, bounced: &[String]) -> Result<LogCounts> {
    let mut counts = LogCounts::default();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let log = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let torn = path
            .file_stem()
            .is_some_and(|stem| bounced.iter().any(|name| stem == name.as_str()));
        for line in log.lines() {
            counts.count(&name, line, taken, torn);
        }
    }
    Ok(counts)
}

impl LogCounts {
    fn count(&mut self, log: &str, line: &str, taken: &Taken, bounced: bool) {
        let holds = |texts: &[&str]| texts.iter().any(|text| line.contains(text));
        if holds(&REFUSALS) {
            match is_stale(line, taken) {
                true => self.refused += 1,
                false => self.dropped += 1,
            }
        }
        self.recoveries += usize::from(holds(&["took a job from a dead or frozen worker"]));
        if holds(&[CANARY]) {
            self.leaks.push(log.to_owned());
        }
        match holds(&["panicked at"]) {
            true if bounced && holds(&[DRIVER_PANIC]) => self.driver_panics += 1,
            true => self.panics.push(format!("{log}: {line}")),
            false => {}
        }
    }
}

/// Whether the job had been taken away since its claim.
fn is_stale(line: &str, taken: &Taken) -> bool {
    let job = field(line, JOB, |text| text.get(..36)?.parse().ok());
    let epoch = field(line, EPOCH, |text| {
        let end = text.find(|c: char| !c.is_ascii_digit());
        text[..end.unwrap_or(text.len())].parse().ok()
    });
    let last = job.and_then(|job: Uuid| taken.get(&job));
    epoch
        .zip(last)
        .is_some_and(|(epoch, last): (i64, _)| epoch < *last)
}

/// Value of the last field of that name.
fn field<T>(line: &str, name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    let end = line.rfind(name)? + name.len();
    (end..end + GAP).find_map(|start| read(line.get(start..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01a2053f-924f-7565-b656-b07f5f67ab75";

    /// Returns the counts of a line whose job was taken away under this epoch.
    fn counted(line: &str, taken: i64) -> (usize, usize) {
        let taken = Taken::from([(ID.parse().expect("an id"), taken)]);
        let mut counts = LogCounts::default();
        counts.count("stage-worker-1.log", line, &taken, true);
        (counts.refused, counts.dropped)
    }

    #[test]
    fn a_write_is_stale_if_its_job_was_taken_away() {
        let line = format!(
            "WARN job{{job.id={ID} job.kind=\"stage\" job.epoch=1}}:run stage{{}}: its end was refused stage=7"
        );
        assert_eq!(counted(&line, 2), (1, 0));
        assert_eq!(counted(&line, 1), (0, 1), "its session was cancelled");
        let other = line.replace("01a2053f", "01a20540");
        assert_eq!(counted(&other, 2), (0, 1));
    }

    #[test]
    fn the_form_of_the_log_does_not_matter() {
        let json = format!(
            "{{\"message\":\"its outcome is dropped\",\"job.id\":\"{ID}\",\"job.epoch\":12}}"
        );
        assert_eq!(counted(&json, 13), (1, 0));
        assert_eq!(counted(&json, 12), (0, 1));
    }

    #[test]
    fn what_names_no_claim_is_counted_apart() {
        assert_eq!(
            counted("the claim was lost; its outcome is dropped", 2),
            (0, 1)
        );
        assert_eq!(counted("all is well", 2), (0, 0));
    }

    #[test]
    fn a_torn_row_panics_only_behind_a_bouncer() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for worker in ["stage-worker-1", "stage-worker-2"] {
            let line = "thread panicked at sqlx/src/message/data_row.rs:57\n";
            std::fs::write(folder.path().join(format!("{worker}.log")), line)?;
        }
        let bounced = ["stage-worker-2".to_owned()];
        let counts = read(folder.path(), &BTreeMap::new(), &bounced)?;
        assert_eq!(counts.driver_panics, 1);
        assert!(matches!(&*counts.panics, [line] if line.starts_with("stage-worker-1")));
        Ok(())
    }
}
