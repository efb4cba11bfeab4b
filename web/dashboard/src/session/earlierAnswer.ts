/** The earlier answer, shown while a replay runs. */
import type { SessionDetail } from '@tarsy/ui';

/** Returns the answer from before a running replay: the newest result of the last stage that has one. */
export function earlierAnswer(session: SessionDetail): string | null {
  const isReplayed = session.stages.some((stage) => !stage.is_current);
  if (session.completed_at_us != null || session.final_analysis != null || !isReplayed) return null;
  const concluded = session.stages
    .flatMap((stage) =>
      stage.status === 'completed' && typeof stage.stage_output?.result === 'string'
        ? [{ stage, result: stage.stage_output.result }]
        : [],
    )
    .toSorted(
      (a, b) =>
        a.stage.stage_index - b.stage.stage_index || (a.stage.completed_at_us ?? 0) - (b.stage.completed_at_us ?? 0),
    );
  return concluded.at(-1)?.result ?? null;
}
