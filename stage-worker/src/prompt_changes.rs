//! The changes that the first question of an agent tells of.

use tarsy_failpoint::reached;
use tarsy_model::{AlertPlace, Change};
use tarsy_queue::within_deadline;
use tarsy_store::Error;
use tarsy_store::changes::Near;
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;

use crate::agents::AgentRunner;
use crate::runner::StageEnd;

/// Most changes in a question.
const MOST: i64 = 10;

impl AgentRunner {
    /// The changes nearest to the stage's alert, masked. They are kept with the stage before it asks, so that whoever
    /// resumes it asks the same.
    ///
    /// The database is asked only where the configuration has a source of changes.
    pub(crate) async fn prompt_changes(
        &self,
        stage: &BegunStage,
        fence: StageFence,
    ) -> Result<Vec<Change>, StageEnd> {
        let changes = match &stage.changes {
            Some(changes) => changes.clone(),
            // It has asked already, and told of none.
            None if stage.resumed || !self.config.records_changes() => return Ok(Vec::new()),
            None => self.find_changes(stage, fence).await?,
        };
        let text = |text: &String| self.alert_masker.mask_or_withhold(text);
        let masked = changes.into_iter().map(|change| Change {
            title: text(&change.title),
            author: change.author.as_ref().map(text),
            link: change.link.as_ref().map(text),
            ..change
        });
        Ok(masked.collect())
    }

    async fn find_changes(
        &self,
        stage: &BegunStage,
        fence: StageFence,
    ) -> Result<Vec<Change>, StageEnd> {
        let near = Near {
            at_us: stage.data.timestamp_us,
            place: AlertPlace::from_data(&stage.data.alert_data),
        };
        let finding = async {
            let mut conn = self.connections.acquire().await?;
            let changes = tarsy_store::changes::changes_near(&mut conn, &near, MOST).await?;
            if !changes.is_empty() {
                reached("lone.keep_told_changes.before_commit");
                tarsy_store::changes::keep_prompt_changes(&mut conn, &fence, &changes).await?;
                reached("lone.keep_told_changes.after_commit");
            }
            self.connections.keep(conn);
            Ok::<_, Error>(changes)
        };
        within_deadline(finding).await.map_err(|error| match error {
            Error::ClaimLost => StageEnd::Stopped,
            error => StageEnd::Retry(error.into()),
        })
    }
}
