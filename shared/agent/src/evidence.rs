//! Requires evidence before a conclusion: an analysis without a tool result is not accepted at once.

use tarsy_mcp::ToolInfo;
use tarsy_model::{PreviousStage, StageStatus};

use crate::{AgentBrief, NO_EVIDENCE};

/// Correction for a model that concludes before any tool call succeeded. It is sent once.
pub(crate) const LOOK_FIRST: &str = "\
No tool call has succeeded so far, so this conclusion rests on the alert alone. Look first: call the tool that can confirm or refute \
it. If no tool can, give your conclusion again and say that nothing was checked.";

/// Returns whether the stage must call a tool before it concludes. It must if it investigates an alert, servers offer
/// it tools, and no earlier stage has a result.
pub(crate) fn is_due(brief: &AgentBrief, offers: &[ToolInfo]) -> bool {
    let asks_for_more =
        brief.follow_up.is_some() || brief.task.is_some() || brief.verification().is_some();
    let is_own = |offer: &ToolInfo| NO_EVIDENCE.contains(&&*offer.server);
    let mut earlier = brief.data.stage_outputs.iter();
    let may_look = brief.strategy.uses_tools() && !offers.iter().all(is_own);
    !asks_for_more && may_look && !earlier.any(has_result)
}

/// Returns whether a stage has a tool result. Only agents count their results; any other completed stage is taken to
/// have one.
fn has_result(stage: &PreviousStage) -> bool {
    let output = stage.output.as_ref();
    let points = output.and_then(|output| output.get("data_points"));
    stage.status == StageStatus::Completed && points.is_none_or(|points| points.as_u64() != Some(0))
}
