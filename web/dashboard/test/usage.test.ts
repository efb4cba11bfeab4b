import type { Usage } from '@tarsy/ui';
import { describe, expect, it } from 'vitest';
import {
  bars,
  change,
  chartGroups,
  completeness,
  failedShare,
  notPriced,
  queryBefore,
  readShown,
  sessionsOf,
  stacks,
  usageQuery,
} from '../src/usage/usage';

const DAY = 86_400_000_000;
const shown = (address: string) => readShown(new URLSearchParams(address));
const sums = {
  calls: 1,
  failed: 0,
  input_tokens: 3,
  cached_tokens: 0,
  output_tokens: 2,
  cost_usd: 0.5,
  is_cost_complete: true,
  unpriced_tokens: 0,
  uncounted_calls: 0,
  prices: ['own'],
};

describe('the usage page', () => {
  it('reads its address, and takes nothing that the API refuses', () => {
    expect(shown('')).toEqual({ by: 'model', step: 'day', range: '7d', measure: 'cost' });
    expect(shown('range=24h').step).toBe('hour');
    expect(shown('by=user&step=minute&range=x&show=y')).toEqual(shown(''));
    expect(shown('range=90d&step=hour').step).toBe('day');
  });
  it('asks for whole minutes', () => {
    const query = usageQuery(shown('range=24h'), 1_800_000_000_123);
    expect(query.to % 60_000_000).toBe(0);
    expect(query.to - query.from).toBe(DAY);
  });
  it('has a bar for each step, also for empty ones, and says which cost is a lower bound', () => {
    const steps = [
      { at_us: 0, name: 'a', ...sums },
      { at_us: 0, name: 'b', ...sums, is_cost_complete: false },
      { at_us: 2 * DAY, name: 'a', ...sums },
    ];
    const usage = { from_us: 0, to_us: 3 * DAY - 1, steps } as unknown as Usage;
    expect(bars(usage, 'day', 'cost')).toEqual([
      { atUs: 0, value: 1, isComplete: false },
      { atUs: DAY, value: 0, isComplete: true },
      { atUs: 2 * DAY, value: 0.5, isComplete: true },
    ]);
    expect(bars(usage, 'day', 'tokens').map((bar) => bar.value)).toEqual([10, 0, 5]);
  });
  it('stacks the largest groups, and puts the rest together', () => {
    const group = (name: string | null, cost_usd: number) => ({ name, ...sums, cost_usd });
    const groups = [
      group('a', 1),
      group('b', 9),
      group('c', 3),
      group('d', 2),
      group('e', 5),
      group('f', 4),
      group(null, 7),
      group('none', 0),
    ] as unknown as Usage['groups'];
    expect(chartGroups({ groups }, 'cost')).toEqual(['b', 'e', 'f', 'c', 'd', '(others)']);
    expect(chartGroups({ groups: groups.slice(0, 2) }, 'cost')).toEqual(['b', 'a']);
    const steps = [
      { at_us: 0, ...group('a', 1) },
      { at_us: 0, ...group('b', 2) },
      { at_us: DAY, ...group(null, 4) },
    ] as unknown as Usage['steps'];
    expect([...stacks({ steps }, 'cost', ['b', '(others)'])]).toEqual([
      [0, [2, 1]],
      [DAY, [0, 4]],
    ]);
  });
  it('compares with the same time before', () => {
    expect(queryBefore({ by: 'model', from: 10, to: 14 })).toEqual({ by: 'model', from: 6, to: 10 });
    expect([change(6, 4), change(3, 4), change(4, 4), change(1, 0), change(0, 0)]).toEqual([
      '+50 %',
      '-25 %',
      '0 %',
      'new',
      '–',
    ]);
  });
  it('names what has no price', () => {
    expect(
      notPriced({
        provider: 'openai',
        model: 'gpt-x',
        calls: 3,
        input_tokens: 1_000_000,
        output_tokens: 200_000,
        uncounted_calls: 1,
      }),
    ).toBe('openai/gpt-x: 1.2M tokens in 3 calls, 1 without a token count');
  });
  it('leads to sessions only where they can be filtered', () => {
    const time = { from_us: 1, to_us: 2 };
    expect(sessionsOf('chain', 'a&b', time)).toBe('/sessions?chain=a%26b&range=custom&from=1&to=2');
    expect(sessionsOf('model', 'm', time)).toBeNull();
    expect(sessionsOf('agent', null, time)).toBeNull();
  });
  it('says how much of a cost is known', () => {
    const of = (...prices: string[]) => completeness({ is_cost_complete: !prices.includes('none'), prices });
    expect([of('own'), of('none', 'own'), of('none')]).toEqual(['complete', 'partial', 'none']);
  });
  it('never shows a failure as none', () => {
    expect([
      failedShare({ calls: 1000, failed: 1 }),
      failedShare({ calls: 4, failed: 1 }),
      failedShare({ calls: 0, failed: 0 }),
    ]).toEqual(['< 1 %', '25 %', '0 %']);
  });
});
