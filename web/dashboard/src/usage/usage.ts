/** Address of the usage page, and its sums and chart shapes. */
import { formatCount, type Usage, type UsageBy, type UsageStep } from '@tarsy/ui';

export const BY = ['model', 'provider', 'chain', 'agent', 'tool'] as const;
export const STEPS = ['hour', 'day', 'week'] as const;
export const RANGES = [
  ['24h', 'Last 24 hours', 1],
  ['7d', 'Last 7 days', 7],
  ['30d', 'Last 30 days', 30],
  ['90d', 'Last 90 days', 90],
  ['365d', 'Last year', 365],
] as const;
/** Measures that the chart can show. */
export const MEASURES = ['cost', 'tokens', 'calls'] as const;

export type Range = (typeof RANGES)[number][0];
export type Measure = (typeof MEASURES)[number];
export interface Shown {
  by: UsageBy;
  step: (typeof STEPS)[number];
  range: Range;
  measure: Measure;
}

/** Longest range with hourly steps, in days; the same limit as in the API. */
const HOURLY_DAYS = 31;

const DAY_US = 86_400_000_000;
const known = <T extends string>(words: readonly T[], word: string | null, usual: T): T =>
  words.find((one) => one === word) ?? usual;
const daysOf = (range: Range): number => RANGES.find(([name]) => name === range)?.[2] ?? 7;

/** Parses the page's URL; invalid values are ignored. */
export function readShown(params: URLSearchParams): Shown {
  const range = known(
    RANGES.map(([name]) => name),
    params.get('range'),
    '7d',
  );
  const step = known(STEPS, params.get('step'), range === '24h' ? 'hour' : 'day');
  return {
    by: known(BY, params.get('by'), 'model'),
    range,
    step: step === 'hour' && daysOf(range) > HOURLY_DAYS ? 'day' : step,
    measure: known(MEASURES, params.get('show'), 'cost'),
  };
}

/** API query. The end is the end of the minute, so that the query key stays stable. */
export function usageQuery(
  { by, step, range }: Pick<Shown, 'step' | 'range'> & { by: string },
  nowMs: number,
): { by: string; step: string; from: number; to: number } {
  const to = Math.ceil(nowMs / 60_000) * 60_000_000;
  return { by, step, from: to - daysOf(range) * DAY_US, to };
}

/** Whether this range can be shown in hourly steps. */
export const isHourly = (range: Range): boolean => daysOf(range) <= HOURLY_DAYS;

export function measured(
  sums: { cost_usd: number; input_tokens: number; output_tokens: number; calls: number },
  measure: Measure,
): number {
  if (measure === 'cost') return sums.cost_usd;
  return measure === 'calls' ? sums.calls : sums.input_tokens + sums.output_tokens;
}

/** Returns how much of a cost is known. */
export function completeness({
  is_cost_complete,
  prices,
}: {
  is_cost_complete: boolean;
  prices: readonly string[];
}): 'complete' | 'partial' | 'none' {
  if (is_cost_complete) return 'complete';
  return prices.every((price) => price === 'none' || price === 'uncounted') ? 'none' : 'partial';
}

const STEP_US = { hour: 3_600_000_000, day: DAY_US, week: 7 * DAY_US };

/** Starts of all steps of a time range, in Unix microseconds. */
export const stepsOf = (
  { from_us: from, to_us: to }: { from_us: number; to_us: number },
  step: Shown['step'],
): number[] =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / STEP_US[step])) }, (_, at) => from + at * STEP_US[step]);

export interface UsageBar {
  atUs: number;
  value: number;
  isComplete: boolean;
}

/** One bar per step, empty steps included. */
export function bars(usage: Usage, step: Shown['step'], measure: Measure): UsageBar[] {
  const found = new Map<number, UsageBar>();
  for (const one of usage.steps) {
    const bar = found.get(one.at_us) ?? { atUs: one.at_us, value: 0, isComplete: true };
    found.set(one.at_us, {
      atUs: one.at_us,
      value: bar.value + measured(one, measure),
      isComplete: bar.isComplete && one.is_cost_complete,
    });
  }
  return stepsOf(usage, step).map((atUs) => found.get(atUs) ?? { atUs, value: 0, isComplete: true });
}

/** Maximum number of groups that a chart shows separately. */
const APART = 5;
/** Name of the groups that the API or the chart combines. */
export const OTHERS = '(others)';

/** Returns the names of a chart's groups, the largest first. The rest is combined into one. */
export function chartGroups({ groups }: Pick<Usage, 'groups'>, measure: Measure): string[] {
  const names = groups
    .toSorted((a, b) => measured(b, measure) - measured(a, measure))
    .filter((group) => measured(group, measure) > 0)
    .map(({ name }) => name ?? OTHERS);
  return names.length > APART + 1 ? [...names.filter((name) => name !== OTHERS).slice(0, APART), OTHERS] : names;
}

/** Returns the values of each step by group, in the order of the groups. */
export function stacks(
  { steps }: Pick<Usage, 'steps'>,
  measure: Measure,
  groups: readonly string[],
): Map<number, number[]> {
  const all = new Map<number, number[]>();
  for (const one of steps) {
    const parts = all.get(one.at_us) ?? groups.map(() => 0);
    const at = groups.indexOf(one.name ?? OTHERS);
    const part = at < 0 ? groups.indexOf(OTHERS) : at;
    if (part >= 0) parts[part] = (parts[part] ?? 0) + measured(one, measure);
    all.set(one.at_us, parts);
  }
  return all;
}

/** Returns the query for the preceding period of the same length. */
export const queryBefore = <Q extends { from: number; to: number }>(query: Q): Q => ({
  ...query,
  from: 2 * query.from - query.to,
  to: query.from,
});

/** Formats the change against the period before, `+12 %`; `new` if that was 0. */
export function change(now: number, before: number): string {
  if (before === 0) return now === 0 ? '–' : 'new';
  const share = Math.round((100 * (now - before)) / before);
  return `${share > 0 ? '+' : ''}${String(share)} %`;
}

/** Describes usage without a price: `openai/gpt-x: 1.2M tokens in 3 calls`. */
export function notPriced(one: Usage['not_priced'][number]): string {
  const uncounted = one.uncounted_calls > 0 ? `, ${formatCount(one.uncounted_calls)} without a token count` : '';
  return `${one.provider}/${one.model}: ${formatCount(one.input_tokens + one.output_tokens)} tokens in ${formatCount(one.calls)} ${one.calls === 1 ? 'call' : 'calls'}${uncounted}`;
}

/** URL of the list of a group's sessions; null: the list has no such filter. */
export function sessionsOf(
  by: UsageBy,
  name: string | null | undefined,
  { from_us, to_us }: { from_us: number; to_us: number },
): string | null {
  if (name == null || (by !== 'chain' && by !== 'agent')) return null;
  return `/sessions?${new URLSearchParams({ [by]: name, range: 'custom', from: String(from_us), to: String(to_us) }).toString()}`;
}

/** Share of failed calls, `0 %` to `100 %`; one failure is never `0 %`. */
export function failedShare({ calls, failed }: Pick<UsageStep, 'calls' | 'failed'>): string {
  if (failed === 0 || calls === 0) return '0 %';
  const share = (100 * failed) / calls;
  return share < 1 ? '< 1 %' : `${String(Math.round(share))} %`;
}
