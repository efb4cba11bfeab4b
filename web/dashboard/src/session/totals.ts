/** Totals of a session over all attempts, and of the sessions that were started for it. */
import {
  formatCost,
  pluralize,
  type LlmDetails,
  type SessionDetail,
  type SpendingPart,
  type StageDetail,
} from '@tarsy/ui';

export interface Totals {
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  completeness: string | null;
}

/** Cost completeness of several stages; `complete` only if that of every stage is. */
export const completenessOf = (stages: readonly StageDetail[]): string | null =>
  together(stages.map(stageCompleteness));

function together(parts: readonly (string | null)[]): string | null {
  const words = parts.filter((word) => word !== null);
  if (words.length === 0) return null;
  if (words.every((word) => word === words[0])) return words[0] ?? null;
  return 'partial';
}

const callsOf = (stage: StageDetail): LlmDetails[] =>
  stage.chronological_interactions.flatMap((call) => (call.type === 'llm' ? [call.details] : []));

/** Cost completeness of a stage: the recorded one after its end, else that of its answers so far. Null: no answers. */
export function stageCompleteness(stage: StageDetail): string | null {
  if (stage.cost_completeness != null) return stage.cost_completeness;
  const answers = callsOf(stage).filter((call) => call.input_tokens != null || call.output_tokens != null);
  const priced = answers.filter((call) => call.cost_usd != null);
  if (answers.length === 0) return null;
  return priced.length === 0 ? 'none' : priced.length === answers.length ? 'complete' : 'partial';
}

type Sum = 'input_tokens' | 'output_tokens' | 'cost_usd';

/** Sum of a stage: the recorded sum after its end, before that the sum of the loaded calls. */
export function stageSum(stage: StageDetail, name: Sum): number {
  return stage[name] ?? callsOf(stage).reduce((total, call) => total + (call[name] ?? 0), 0);
}

/** Number of tool calls. Loaded requests for a list of tools are not counted. */
export const toolCalls = (stages: readonly StageDetail[]): number =>
  stages.reduce(
    (sum, { mcp_communication_count: all, chronological_interactions: calls }) =>
      sum + all - calls.filter((call) => call.type === 'mcp' && call.details.communication_type === 'tool_list').length,
    0,
  );

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

/** Cost completeness of a part; null: it called no model. */
const partCompleteness = (part: SpendingPart): string | null =>
  part.input_tokens + part.output_tokens === 0
    ? null
    : part.is_cost_complete
      ? 'complete'
      : part.cost_usd == null
        ? 'none'
        : 'partial';

/** Totals of the whole investigation, including its sub-agents and the questions about it. */
export interface Investigation extends Totals {
  /** `$0.05 = agents $0.02 + 2 sub-agents $0.03`; null: no other session was started for it, or no cost is known. */
  split: string | null;
}

export function investigation(session: SessionDetail): Investigation {
  // The session's own calls come from its record, which is updated as they happen.
  const own = totals(session);
  const others = (
    [
      ['sub-agent', session.spending?.sub_agents],
      ['question', session.spending?.questions],
    ] as const
  ).flatMap(([name, part]) => (part === undefined || part.sessions === 0 ? [] : [{ name, part }]));
  const sum = (of: (part: SpendingPart) => number): number => others.reduce((total, { part }) => total + of(part), 0);
  const costUsd = own.costUsd + sum((part) => part.cost_usd ?? 0);
  const completeness = together([own.completeness, ...others.map(({ part }) => partCompleteness(part))]);
  const parts = others.map(
    ({ name, part }) => `${pluralize(part.sessions, name)} ${formatCost(part.cost_usd ?? 0, partCompleteness(part))}`,
  );
  return {
    inputTokens: own.inputTokens + sum((part) => part.input_tokens),
    outputTokens: own.outputTokens + sum((part) => part.output_tokens),
    costUsd,
    completeness,
    split:
      parts.length === 0 || completeness === 'none'
        ? null
        : [`${formatCost(costUsd, completeness)} = agents ${formatCost(own.costUsd, own.completeness)}`, ...parts].join(
            ' + ',
          ),
  };
}

/** The stage that is running, or the last one that ran. */
export const currentStage = (session: SessionDetail): StageDetail | undefined =>
  session.stages.findLast((stage) => stage.is_current && stage.status === 'active') ??
  session.stages.findLast((stage) => stage.is_current);
