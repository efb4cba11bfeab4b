import { describe, expect, it } from 'vitest';
import { matchShortcut, type Binding, type Press } from '../src/keys/match';
import { warnings } from '../src/app/warnings';
import { heartbeatTone } from '../src/fleet/heartbeat';

const binding = (keys: string, whileTyping = false): Binding => ({
  keys,
  does: keys,
  run: () => undefined,
  whileTyping,
});
const press = (key: string, over: Partial<Press> = {}): Press => ({
  key,
  mod: false,
  alt: false,
  typing: false,
  onControl: false,
  ...over,
});
const bound = [binding('j'), binding('g s'), binding('mod+k', true), binding('Enter'), binding('j')];

describe('keys', () => {
  it('complete sequences', () => {
    expect(matchShortcut(bound, null, press('g'))).toEqual({ hit: null, next: 'g' });
    expect(matchShortcut(bound, 'g', press('s')).hit?.keys).toBe('g s');
    expect(matchShortcut(bound, null, press('s')).hit).toBeNull();
  });
  it('are off while typing, but for those that are not', () => {
    expect(matchShortcut(bound, null, press('j', { typing: true })).hit).toBeNull();
    expect(matchShortcut(bound, null, press('k', { mod: true, typing: true })).hit?.keys).toBe('mod+k');
  });
  it('leave Enter to the button that has the focus', () => {
    expect(matchShortcut(bound, null, press('Enter', { onControl: true })).hit).toBeNull();
    expect(matchShortcut(bound, null, press('Enter')).hit?.keys).toBe('Enter');
  });
  it('of the later binding win', () => {
    expect(matchShortcut(bound, null, press('j')).hit).toBe(bound[4]);
  });
});

describe('warnings', () => {
  it('say that nobody works, worse when something waits', () => {
    const told = warnings({ status: 'degraded', services: { queue: { ready: 3, workers: { 'chain-worker': 1 } } } });
    expect(told).toEqual([{ text: 'No stage worker is running. Stages are queued.', severe: true }]);
  });
  it('say that history comes from the primary while the replica is behind or away', () => {
    const told = (status: string, lag_seconds: number, message?: string) =>
      warnings({ status: 'degraded', services: { history_replica: { status, lag_seconds, message } } });
    expect(told('healthy', 0.2)).toEqual([]);
    expect(told('behind', 12.4)).toEqual([
      { text: 'The history replica is 12.4\u00a0s behind. History is read from the primary.', severe: false },
    ]);
    expect(told('unavailable', 0, 'is not a standby')[0]?.text).toBe(
      'The history replica is unavailable (is not a standby). History is read from the primary.',
    );
  });
  it('say which pool nobody works while its jobs wait', () => {
    const queue = {
      queue: 'stage:gpu',
      ready: 2,
      scheduled: 0,
      running: 0,
      dead: 0,
      oldest_ready_seconds: 90,
      workers: 0,
      slots: 0,
      paused: false,
    };
    expect(warnings({ status: 'healthy' }, [queue, { ...queue, queue: 'stage:spare', ready: 0 }])).toEqual([
      { text: 'Pool gpu has no workers: 2 jobs waiting, oldest 1\u00a0min\u00a030\u00a0s.', severe: true },
    ]);
  });
  it('are silent when all is well', () => {
    const unreachable = warnings(
      {
        status: 'degraded',
        services: { mcp: { unreachable: [{ server: 'kubernetes', since_us: 1_763_656_951_000_000 }] } },
      },
      [],
      'utc',
    );
    expect(unreachable[0]?.text).toBe(
      'MCP server kubernetes could not be reached since 2025-11-20 16:42:31 UTC. Investigations run without it until a call succeeds.',
    );
    const refused = warnings({
      status: 'degraded',
      services: { llm: { provider_available: true, refusing: [{ provider: 'openai', class: 'auth', since_us: 0 }] } },
    });
    expect(refused[0]?.text).toMatch(/openai has failed every call since .* \(auth\)/);
    expect(
      warnings({
        status: 'healthy',
        services: {
          database: { connected: true },
          llm: { provider_available: true },
          queue: { ready: 0, dead: 0, paused: [], workers: { 'chain-worker': 1, 'stage-worker': 2 } },
        },
      }),
    ).toEqual([]);
  });
});

it('a late heartbeat turns amber, then red', () => {
  expect([1, 7, 16].map(heartbeatTone)).toEqual(['good', 'warn', 'bad']);
});
