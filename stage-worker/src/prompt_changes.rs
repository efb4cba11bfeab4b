//! The changes that an agent's first prompt lists.

use tarsy_failpoint::reached;
use tarsy_model::{AlertPlace, Change};
use tarsy_store::Error;
use tarsy_store::changes::Near;
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;

use crate::agents::AgentRunner;
use crate::runner::StageEnd;

/// Maximum number of changes in a prompt.
const MOST: i64 = 10;

impl AgentRunner {
    /// Returns the changes nearest to the stage's alert, masked. They are stored with the stage before the first model
    /// call, so that a worker that resumes the stage uses the same prompt.
    ///
    /// The database is queried only if the configuration has a source of changes.
    pub(crate) async fn prompt_changes(
        &self,
        stage: &BegunStage,
        fence: StageFence,
    ) -> Result<Vec<Change>, StageEnd> {
        let changes = match &stage.changes {
            Some(changes) => changes.clone(),
            // The stage has already called its model, without changes in the prompt.
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
        let finding = self.connections.run(async |conn| {
            let changes = tarsy_store::changes::changes_near(conn, &near, MOST).await?;
            if !changes.is_empty() {
                reached("lone.keep_told_changes.before_commit");
                tarsy_store::changes::keep_prompt_changes(conn, &fence, &changes).await?;
                reached("lone.keep_told_changes.after_commit");
            }
            Ok(changes)
        });
        finding.await.map_err(|error| match error {
            Error::ClaimLost => StageEnd::Stopped,
            error => StageEnd::Retry(error.into()),
        })
    }
}
