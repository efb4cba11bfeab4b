//! Evidence before conclusions: an analysis without a tool result is none.

use tarsy_mcp::ToolInfo;
use tarsy_model::{PreviousStage, StageStatus};

use crate::paging::OWN_SERVER;
use crate::{AgentBrief, SUB_AGENTS_SERVER};

/// What the model is told that concludes before it has looked at anything. It is told once.
pub(crate) const LOOK_FIRST: &str = "\
No tool call has succeeded so far, so this conclusion rests on the alert alone. Look first: call the tool that can confirm or refute \
it. If no tool can, give your conclusion again and say that nothing was checked.";

/// Whether the stage is to look at something before it concludes: it investigates an alert, tools of servers are offered, and no
/// earlier stage has a result.
pub(crate) fn is_due(brief: &AgentBrief, offers: &[ToolInfo]) -> bool {
    let asks_for_more =
        brief.follow_up.is_some() || brief.task.is_some() || brief.verification().is_some();
    let may_look = offers
        .iter()
        .any(|offer| ![OWN_SERVER, SUB_AGENTS_SERVER].contains(&offer.server.as_str()));
    let mut earlier = brief.data.stage_outputs.iter();
    !asks_for_more && brief.strategy.uses_tools() && may_look && !earlier.any(has_result)
}

/// Whether a stage has a tool result. Only agents count theirs; what others bring is one.
fn has_result(stage: &PreviousStage) -> bool {
    let points = stage
        .output
        .as_ref()
        .and_then(|output| output.get("data_points"));
    stage.status == StageStatus::Completed && points.is_none_or(|points| points.as_u64() != Some(0))
}
