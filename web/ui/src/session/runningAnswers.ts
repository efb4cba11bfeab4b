import type { SessionDetail, StageDetail } from '../api/types';
import { shownPart, type GrowingAnswer, type GrowingAnswers } from '../live/growingAnswers';

/** Returns the model answers in progress of running stages, in stage order. Leaves out answers that are recorded. */
export function runningAnswers(
  session: SessionDetail,
  answers: GrowingAnswers,
): { stage: StageDetail; answer: GrowingAnswer }[] {
  return session.stages.flatMap((stage) => {
    const answer = answers.get(stage.execution_id);
    if (answer === undefined || stage.status !== 'active' || shownPart(answer.text) + shownPart(answer.thinking) === '')
      return [];
    const isRecorded = stage.chronological_interactions.some(
      (call) => call.id === answer.interactionId && call.success != null,
    );
    return isRecorded ? [] : [{ stage, answer }];
  });
}
