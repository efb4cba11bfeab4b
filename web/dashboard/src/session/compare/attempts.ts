/** Selection, metrics and tool calls of two attempts. */
import {
  asText,
  byStage,
  formatCost,
  formatCount,
  formatDuration,
  type McpInteraction,
  type SessionDetail,
  type StageDetail,
} from '@tarsy/ui';
import { diff } from './diff';

/** Runs of a stage that can be compared: attempts of a branch, or branches. */
export interface Pair {
  index: number;
  name: string;
  runs: { stage: StageDetail; name: string }[];
  a: StageDetail;
  b: StageDetail;
}

/** Stages with several runs. Runs are ordered by branch, oldest attempt first. */
export const repeated = (session: SessionDetail): Omit<Pair, 'a' | 'b'>[] =>
  byStage(session.stages).flatMap(({ index, name, branches }) => {
    const runs = branches.flatMap((branch) =>
      [...branch.earlier, branch.current].map((stage, at) => ({
        stage,
        name: [
          ...(branch.name === null ? [] : [branch.name]),
          ...(branch.earlier.length > 0 || branch.name === null ? [`attempt ${String(at + 1)}`] : []),
        ].join(', '),
      })),
    );
    return runs.length < 2 ? [] : [{ index, name, runs }];
  });

/** URL value of a pair: `2:1-3` is stage 2, attempts 1 and 3. */
export const writePair = (index: number, a: number, b: number): string =>
  `${String(index + 1)}:${String(a)}-${String(b)}`;

/** Parses the pair in a URL. Defaults to the last two runs; null: the stage has only one. */
export function readPair(word: string, session: SessionDetail): Pair | null {
  const [, number, a, b] = /^(\d+)(?::(\d+)-(\d+))?$/.exec(word) ?? [];
  const stage = repeated(session).find(({ index }) => index + 1 === Number(number));
  if (stage === undefined) return null;
  const of = (attempt: string | undefined, other: number): StageDetail | undefined =>
    stage.runs.find((run) => run.stage.attempt === Number(attempt))?.stage ?? stage.runs.at(other)?.stage;
  const [first, second] = [of(a, -2), of(b, -1)];
  return first === undefined || second === undefined ? null : { ...stage, a: first, b: second };
}

const toolCalls = (stage: StageDetail): McpInteraction[] =>
  stage.chronological_interactions.flatMap((call) =>
    call.type === 'mcp' && call.details.communication_type !== 'tool_list' ? [call] : [],
  );

export interface AttemptMetric {
  name: string;
  a: string;
  b: string;
  change: string;
}

const distinct = (texts: readonly string[]): string => [...new Set(texts)].join(', ');
const askedOf = (stage: StageDetail, of: 'provider' | 'model'): string => {
  const pairCalls = stage.chronological_interactions.flatMap((call) => (call.type === 'llm' ? [call.details] : []));
  return (
    distinct(pairCalls.map((call) => (of === 'provider' ? call.provider : (call.answered_by ?? call.model_name)))) ||
    (of === 'provider' ? stage.llm_provider : null) ||
    '–'
  );
};

/** Formats a change: `+12`, `−1.2 s`; empty if a value is unknown or both are equal. */
function change(a: number | null | undefined, b: number | null | undefined, show: (value: number) => string): string {
  if (a == null || b == null || a === b) return '';
  return `${b > a ? '+' : '−'}${show(Math.abs(b - a))}`;
}

/** Metrics of two attempts; empty rows are left out. */
export function attemptMetrics(a: StageDetail, b: StageDetail): AttemptMetric[] {
  const words = (name: string, of: (stage: StageDetail) => string): AttemptMetric => ({
    name,
    a: of(a),
    b: of(b),
    change: of(a) === of(b) ? '' : 'differs',
  });
  const numbers = (
    name: string,
    of: (stage: StageDetail) => number | null | undefined,
    show: (value: number | null | undefined) => string,
  ): AttemptMetric => ({ name, a: show(of(a)), b: show(of(b)), change: change(of(a), of(b), show) });
  const priced = (stage: StageDetail): boolean => stage.cost_completeness !== 'none';
  const rare = [
    ...(a.crash_count + b.crash_count > 0 ? [numbers('workers lost', (stage) => stage.crash_count, formatCount)] : []),
    ...([a, b].some((stage) => stage.stage_output?.limit_reached != null)
      ? [words('limit reached', (stage) => stage.stage_output?.limit_reached ?? '–')]
      : []),
  ];
  return [
    words('provider', (stage) => askedOf(stage, 'provider')),
    words('model', (stage) => askedOf(stage, 'model')),
    words('strategy', (stage) => stage.iteration_strategy ?? 'default'),
    numbers('duration', (stage) => stage.duration_ms, formatDuration),
    numbers('model calls', (stage) => stage.llm_interaction_count, formatCount),
    numbers('tool calls', (stage) => toolCalls(stage).length, formatCount),
    numbers('input tokens', (stage) => stage.input_tokens, formatCount),
    numbers('output tokens', (stage) => stage.output_tokens, formatCount),
    {
      name: 'cost',
      a: formatCost(a.cost_usd, a.cost_completeness),
      b: formatCost(b.cost_usd, b.cost_completeness),
      change: priced(a) && priced(b) ? change(a.cost_usd, b.cost_usd, formatCost) : '',
    },
    ...rare,
  ];
}

/** A tool call of one attempt or of both. `other`: both made it, with different results. */
export type CallPair =
  | { kind: 'same' | 'other'; a: McpInteraction; b: McpInteraction }
  | { kind: 'gone'; a: McpInteraction }
  | { kind: 'new'; b: McpInteraction };

const sorted = (value: unknown): unknown => {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([x], [y]) => (x < y ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
};

export const toolName = ({ details }: McpInteraction): string =>
  details.tool_name == null ? details.server_name : `${details.server_name}.${details.tool_name}`;

/** Result or error of a call as text. */
export const outcome = (call: McpInteraction): string =>
  [call.error_message ?? '', asText(call.details.result)].filter((text) => text !== '').join('\n');

/** Aligns the tool calls of two attempts. Calls with equal tool and arguments form a pair. */
export function calls(a: StageDetail, b: StageDetail): CallPair[] {
  return diff(
    toolCalls(a),
    toolCalls(b),
    (call) => `${toolName(call)} ${JSON.stringify(sorted(call.details.parameters))}`,
  ).map((step) =>
    step.kind !== 'same'
      ? step
      : { ...step, kind: step.a.success === step.b.success && outcome(step.a) === outcome(step.b) ? 'same' : 'other' },
  );
}
