import { Typography } from '@mui/material';
import { Elapsed, Faint, formatCost, formatCount, type AuditEntry, type StageDetail } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { replayOf, replaySummary } from './replays';
import { completenessOf, stageSum, toolCalls } from './totals';

/** Whether a stage only waits, and so has no agent, calls or cost. */
export const isWaitStage = (stage: StageDetail): boolean => stage.agent.startsWith('wait:');

/** Total time, calls, tokens and cost of executions. */
export function StageFigures({ stages }: { stages: readonly StageDetail[] }): ReactElement {
  const started = stages.flatMap(({ started_at_us: at }) => (at == null ? [] : [at]));
  const startUs = started.length === 0 ? null : Math.min(...started);
  const isOpen = stages.some(
    ({ completed_at_us: at, status }) => at == null && (status === 'active' || status === 'waiting'),
  );
  const endUs = isOpen ? null : stages.reduce((last, { completed_at_us: at }) => Math.max(last, at ?? 0), startUs ?? 0);
  const sum = (of: (stage: StageDetail) => number): number => stages.reduce((total, stage) => total + of(stage), 0);
  // Null: no model has answered, so nothing with a price was used.
  const priced = completenessOf(stages);
  const word = stages.every(isWaitStage) ? (isOpen ? 'waiting ' : 'waited ') : '';
  return (
    <Faint sx={{ fontVariantNumeric: 'tabular-nums' }}>
      {startUs === null ? (
        'not started'
      ) : (
        <>
          {word}
          <Elapsed startUs={startUs} endUs={endUs} />
        </>
      )}
      {word === '' && (
        <>
          {' · '}
          {formatCount(sum((stage) => stage.llm_interaction_count))} model, {formatCount(toolCalls(stages))} tool{' '}
          {toolCalls(stages) === 1 ? 'call' : 'calls'}
          {' · '}
          {formatCount(sum((stage) => stageSum(stage, 'input_tokens') + stageSum(stage, 'output_tokens')))} tokens
          {priced !== null &&
            ` · ${formatCost(
              sum((stage) => stageSum(stage, 'cost_usd')),
              priced,
            )}`}
        </>
      )}
    </Faint>
  );
}

/**
 * Explains why a stage runs again. Renders an empty line until that is loaded, so that content below does not move
 * while the user clicks it.
 */
export function ReplayNote({
  stage,
  number,
  replays,
}: {
  stage: StageDetail;
  number: number;
  replays: readonly AuditEntry[] | null;
}): ReactElement | null {
  if (number === 1) return null;
  if (replays === null)
    return number > 1 ? (
      <Typography variant="caption" aria-hidden>
        &nbsp;
      </Typography>
    ) : null;
  const replay = replayOf(stage, replays);
  return replay === undefined ? null : (
    <Faint data-testid="again" sx={{ overflowWrap: 'anywhere' }}>
      {replaySummary(replay, stage)}
    </Faint>
  );
}
