/** Totals of a session over all attempts. */
import type { LlmDetails, SessionDetail, StageDetail } from '@tarsy/ui';

export interface Totals { inputTokens: number; outputTokens: number; costUsd: number; completeness: string | null }

/** Cost completeness of several stages; `complete` only if every one's is. */
export function completenessOf(stages: readonly StageDetail[]): string | null {
  const words = stages.map(stageCompleteness).filter((word) => word !== null);
  if (words.length === 0) return null;
  if (words.every((word) => word === words[0])) return words[0] ?? null;
  return 'partial';
}

const callsOf = (stage: StageDetail): LlmDetails[] => stage.chronological_interactions.flatMap((call) => (call.type === 'llm' ? [call.details] : []));

/** Cost completeness of a stage: the recorded one once it has ended, else that of its answers so far. Null: there are none. */
export function stageCompleteness(stage: StageDetail): string | null {
  if (stage.cost_completeness != null) return stage.cost_completeness;
  const answers = callsOf(stage).filter((call) => call.input_tokens != null || call.output_tokens != null);
  const priced = answers.filter((call) => call.cost_usd != null);
  if (answers.length === 0) return null;
  return priced.length === 0 ? 'none' : priced.length === answers.length ? 'complete' : 'partial';
}

type Sum = 'input_tokens' | 'output_tokens' | 'cost_usd';

/** What a stage took: as it was summed at its end, before that of the calls that are there. */
export function stageSum(stage: StageDetail, name: Sum): number {
  return stage[name] ?? callsOf(stage).reduce((total, call) => total + (call[name] ?? 0), 0);
}

/** Calls of tools; a list of tools, as far as its record is loaded, is none. */
export const toolCalls = (stages: readonly StageDetail[]): number =>
  stages.reduce((sum, { mcp_communication_count: all, chronological_interactions: calls }) => sum + all - calls.filter((call) => call.type === 'mcp' && call.details.communication_type === 'tool_list').length, 0);

export function totals(session: SessionDetail): Totals {
  const { stages } = session;
  const sum = (name: Sum): number => stages.reduce((total, stage) => total + stageSum(stage, name), 0);
  return {
    inputTokens: sum('input_tokens'),
    outputTokens: sum('output_tokens'),
    costUsd: sum('cost_usd'),
    completeness: completenessOf(stages),
  };
}

/** The stage that runs now, or the last that ran. */
export const currentStage = (session: SessionDetail): StageDetail | undefined =>
  session.stages.findLast((stage) => stage.is_current && stage.status === 'active') ?? session.stages.findLast((stage) => stage.is_current);
