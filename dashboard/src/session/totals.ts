/** Totals of a session over all attempts. */
import type { SessionDetail, StageDetail } from '@tarsy/ui';

export interface Totals { inputTokens: number; outputTokens: number; costUsd: number; completeness: string | null }

/** Cost completeness of a session; `complete` only if every stage's is. */
function completenessOf(stages: readonly StageDetail[]): string | null {
  const words = stages.flatMap((stage) => (stage.cost_completeness == null ? [] : [stage.cost_completeness]));
  if (words.length === 0) return null;
  if (words.every((word) => word === words[0])) return words[0] ?? null;
  return 'partial';
}

export function totals(session: SessionDetail): Totals {
  const { stages } = session;
  const sum = (of: (stage: StageDetail) => number | null | undefined): number => stages.reduce((total, stage) => total + (of(stage) ?? 0), 0);
  return {
    inputTokens: sum((stage) => stage.input_tokens),
    outputTokens: sum((stage) => stage.output_tokens),
    costUsd: sum((stage) => stage.cost_usd),
    completeness: completenessOf(stages),
  };
}

/** The stage that runs now, or the last that ran. */
export const currentStage = (session: SessionDetail): StageDetail | undefined =>
  session.stages.findLast((stage) => stage.is_current && stage.status === 'active') ?? session.stages.findLast((stage) => stage.is_current);
