import { describe, expect, it } from 'vitest';
import { connectionStatus } from '../src/live/connectionStatus';
import { parseMessage, subscribe } from '../src/live/protocol';
import { backoff, initial, isNew, reduce, type LiveState } from '../src/live/state';

const after = (...actions: Parameters<typeof reduce>[1][]): LiveState => actions.reduce(reduce, initial);

describe('live state', () => {
  it('goes on from the last event of each channel, not of another', () => {
    const state = after(
      { type: 'opened', at: 1 },
      { type: 'heard', at: 2, channel: 'a', id: 7 },
      { type: 'heard', at: 3, channel: 'b', id: 90 },
      { type: 'heard', at: 4, channel: 'a', id: 5 },
    );
    expect(state.lastIds).toEqual({ a: 7, b: 90 });
    expect(isNew(state, 'a', 6)).toBe(false);
    // One event may come as two messages.
    expect(isNew(state, 'a', 7)).toBe(true);
  });
  it('reconnects after a break but only polls what was never open', () => {
    expect(after({ type: 'opened', at: 1 }, { type: 'closed' }, { type: 'closed' }, { type: 'closed' }).phase).toBe(
      'reconnecting',
    );
    expect(after({ type: 'closed' }).phase).toBe('reconnecting');
    expect(after({ type: 'closed' }, { type: 'closed' }).phase).toBe('polling');
  });
  it('tells what a catch-up brought until the next break', () => {
    const back = after(
      { type: 'opened', at: 1 },
      { type: 'closed' },
      { type: 'opened', at: 2 },
      { type: 'caught_up', at: 3, channel: 'a', id: 12, events: 4 },
    );
    expect(back).toMatchObject({ phase: 'live', caughtUp: 4, lastIds: { a: 12 } });
    expect(reduce(back, { type: 'opened', at: 9 }).caughtUp).toBe(0);
  });
  it('waits longer each time, never beyond 15 s, never all at once', () => {
    expect([1, 2, 3].map((times) => backoff(times, 1))).toEqual([500, 1000, 2000]);
    expect(backoff(50, 1)).toBe(15_000);
    expect(backoff(50, 0)).toBe(7500);
  });
});

describe('protocol', () => {
  it('reads events with channel, id and session', () => {
    expect(
      parseMessage('{"type":"stage_progress","channel":"session_x","id":7,"session_id":"x","data":{"a":1}}'),
    ).toEqual({
      kind: 'event',
      event: { type: 'stage_progress', channel: 'session_x', id: 7, sessionId: 'x', data: { a: 1 } },
    });
  });
  it('takes the session out of the data where the message names none', () => {
    expect(
      parseMessage('{"type":"dashboard_update","channel":"dashboard_updates","id":1,"data":{"session_id":"y"}}'),
    ).toMatchObject({ event: { sessionId: 'y' } });
  });
  it('lets nothing malformed through', () => {
    for (const raw of ['', 'nonsense', '[]', 'null', '{"kind":1}', '{"type":5}']) expect(parseMessage(raw)).toBeNull();
  });
  it('names the last event when it subscribes', () => {
    expect(subscribe('a', 4)).toBe('{"type":"subscribe","channel":"a","last_event_id":4}');
    expect(subscribe('a', undefined)).not.toContain('last_event_id');
  });
});

describe('what the chip says', () => {
  const clock = (ms: number): string => `0:${String(ms / 1000)}`;
  const said = (state: LiveState, now: number): [string, string] => {
    const { kind, label } = connectionStatus(state, now, 0, clock);
    return [kind, label];
  };
  it('is live only while messages come, three pings at most without one', () => {
    const open = after({ type: 'opened', at: 2000 });
    expect(said(open, 12_000)).toEqual(['live', 'live']);
    expect(said(open, 12_001)).toEqual(['stale', 'as of 0:2']);
    expect(said(reduce(open, { type: 'heard', at: 12_001 }), 12_002)).toEqual(['live', 'live']);
  });
  it('is not live after a request without an answer, until a message comes', () => {
    const failed = after({ type: 'opened', at: 2000 }, { type: 'failed', at: 3000 });
    expect(said(failed, 3000)).toEqual(['stale', 'as of 0:2']);
    expect(said(reduce(failed, { type: 'heard', at: 4000 }), 4000)).toEqual(['live', 'live']);
  });
  it('says how old the page is after a break', () => {
    expect(said(after({ type: 'opened', at: 2000 }, { type: 'closed' }), 9000)).toEqual([
      'reconnecting',
      'reconnecting, as of 0:2',
    ]);
  });
});
