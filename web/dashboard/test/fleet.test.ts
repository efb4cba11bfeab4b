import type { CallFigures, LlmProvider, McpServer, Metrics, Queue } from '@tarsy/ui';
import { describe, expect, it } from 'vitest';
import { HOUR_US, hourBars, listOf } from '../src/fleet/day';
import { rate, waited, waitingNote } from '../src/fleet/pools';
import { sortByStatus, providerStatus, serverStatus, sourceStatus } from '../src/fleet/upstreams';

const calls = (over: Partial<CallFigures>): CallFigures => ({
  calls: 3,
  failed: 0,
  last_call_us: 9,
  last_success_us: 9,
  used: [],
  ...over,
});
const provider = (name: string, figures: CallFigures | null, available = true): LlmProvider => ({
  name,
  calls: figures,
  configured: { type: 'openai', model: 'm', available, api_key_env: 'KEY', is_default: false, fallbacks: [] },
});

describe('the standing of a provider', () => {
  it('is told by its last calls', () => {
    expect(providerStatus(provider('a', calls({}))).label).toBe('healthy');
    expect(providerStatus(provider('a', calls({ failed: 1, last_failure_us: 8 }))).label).toBe('degraded');
    expect(providerStatus(provider('a', calls({ failed: 1, last_failure_us: 10 }))).label).toBe('failing');
    expect(providerStatus(provider('a', calls({ calls: 0 }))).label).toBe('idle');
    expect(providerStatus(provider('a', null)).label).toBe('unused');
  });
  it('is told by its configuration first', () => {
    expect(providerStatus(provider('a', null, false))).toMatchObject({ label: 'no API key', why: 'KEY is not set.' });
    expect(providerStatus({ name: 'a', calls: calls({}) }).label).toBe('removed');
  });
  it('decides the order: who needs somebody, then the busiest', () => {
    const all = [
      provider('idle', null),
      provider('busy', calls({ calls: 9 })),
      provider('bad', calls({ last_failure_us: 99 })),
      provider('calm', calls({})),
    ];
    expect(sortByStatus(all, providerStatus).map(({ one }) => one.name)).toEqual(['bad', 'busy', 'calm', 'idle']);
  });
});

describe('the standing of a server', () => {
  it('knows the fleet’s own', () => {
    const own: McpServer = { name: 'tarsy', calls: calls({}) };
    expect(serverStatus(own).label).toBe('healthy');
    expect(serverStatus({ ...own, name: 'sub-agents' }).label).toBe('healthy');
    expect(serverStatus({ ...own, name: 'other' }).label).toBe('removed');
    expect(
      serverStatus({ ...own, configured: { server_type: 's', transport: 'stdio', enabled: false, agents: [] } }).label,
    ).toBe('disabled');
  });
});

describe('the standing of a source in a pool', () => {
  it('is told by its last call there, and by who has it', () => {
    const source = { server: 'metrics', workers: 2, calls: 3, failed: 0, last_success_us: 9 };
    expect(sourceStatus(source, 2).label).toBe('healthy');
    expect(sourceStatus({ ...source, last_failure_us: 10 }, 2).label).toBe('failing');
    expect(sourceStatus({ ...source, failed: 1, last_failure_us: 8 }, 2).label).toBe('degraded');
    expect(sourceStatus({ ...source, workers: 1 }, 2).label).toBe('on some workers');
    expect(sourceStatus({ ...source, workers: 0 }, 2).label).toBe('not offered');
    expect(sourceStatus({ ...source, last_success_us: null }, 2).label).toBe('unused');
  });
});

describe('the last hours', () => {
  it('have a bar each, with or without a session', () => {
    const metrics = { hours: 3, by_hour: [{ hour_us: 8 * HOUR_US, sessions: 5, failed: 2 }] } as Metrics;
    const bars = hourBars(metrics, 9.5 * HOUR_US);
    expect(bars.map((bar) => [bar.fromUs / HOUR_US, bar.sessions, bar.failed])).toEqual([
      [7, 0, 0],
      [8, 5, 2],
      [9, 0, 0],
    ]);
    expect(bars.map(listOf)[1]).toBe(`/sessions?range=custom&from=${String(8 * HOUR_US)}&to=${String(9 * HOUR_US)}`);
  });
});

describe('a pool', () => {
  const pool = (stages: Partial<NonNullable<Queue['stages']>> | null) =>
    ({
      stages: stages === null ? null : { begun: 1, ended: 1, ended_per_minute: 0, recovered_last_day: 0, ...stages },
    }) as Queue;
  it('tells how long its stages waited, and how many are done', () => {
    expect(waited(pool({ wait_p50_ms: 12, wait_p95_ms: 4300 }))).toBe('12\u00a0ms / 4.3\u00a0s');
    expect([0, 0.25, 7.5, 812.4].map((each) => rate(pool({ ended_per_minute: each })))).toEqual([
      '0',
      '0.25',
      '7.5',
      '812',
    ]);
  });
  it('says how many jobs wait for a later try', () => {
    expect(waitingNote(0)).toBe('queue empty');
    expect(waitingNote(61, [{ scheduled: 9 }, { scheduled: 4 }] as Queue[])).toBe(
      'oldest 1\u00a0min\u00a001\u00a0s, 13 scheduled for later',
    );
  });
  it('without stages, or without one that began, tells no figure', () => {
    expect([waited(pool(null)), rate(pool(null)), waited(pool({}))]).toEqual(['–', '–', '–']);
  });
});
