/** State of the live connection. */

export type Phase = 'connecting' | 'live' | 'reconnecting' | 'polling';

export interface LiveState {
  phase: Phase;
  /** Time of the last message, milliseconds. */
  heardAt: number | null;
  /** Time of the last request without an answer, milliseconds; null: a message came after it. */
  failedAt: number | null;
  /** Last event id by channel, for catch-up. */
  lastIds: Readonly<Record<string, number>>;
  /** Failed attempts since the last connection. */
  attempts: number;
  /** Events caught up after the last reconnect. */
  caughtUp: number;
  /** Why the page polls. */
  why: string | null;
}

export const initial: LiveState = {
  phase: 'connecting',
  heardAt: null,
  failedAt: null,
  lastIds: {},
  attempts: 0,
  caughtUp: 0,
  why: null,
};

export type LiveAction =
  | { type: 'opened'; at: number }
  | { type: 'heard'; at: number; channel?: string; id?: number }
  | { type: 'caught_up'; at: number; channel: string; id?: number; events: number }
  | { type: 'failed'; at: number }
  | { type: 'closed' }
  | { type: 'refused'; why: string };

/** Last ids after an event; they only increase. */
function seen(state: LiveState, channel: string | undefined, id: number | undefined): LiveState['lastIds'] {
  if (channel === undefined || id === undefined || id <= (state.lastIds[channel] ?? 0)) return state.lastIds;
  return { ...state.lastIds, [channel]: id };
}

/** Failed attempts after which the page polls instead. */
const GIVE_UP = 2;

export function reduce(state: LiveState, action: LiveAction): LiveState {
  switch (action.type) {
    case 'opened':
      return { ...state, phase: 'live', heardAt: action.at, failedAt: null, attempts: 0, caughtUp: 0, why: null };
    case 'heard':
      return { ...state, heardAt: action.at, failedAt: null, lastIds: seen(state, action.channel, action.id) };
    case 'failed':
      return { ...state, failedAt: action.at };
    case 'caught_up':
      return {
        ...state,
        heardAt: action.at,
        failedAt: null,
        lastIds: seen(state, action.channel, action.id),
        caughtUp: state.caughtUp + action.events,
      };
    case 'closed': {
      const attempts = state.attempts + 1;
      if (state.heardAt === null && attempts >= GIVE_UP) {
        return {
          ...state,
          phase: 'polling',
          attempts,
          why: 'This API offers no WebSocket. The page polls every few seconds.',
        };
      }
      return { ...state, phase: state.phase === 'polling' ? 'polling' : 'reconnecting', attempts };
    }
    case 'refused':
      return { ...state, phase: 'polling', why: action.why };
  }
}

/** Whether an event is new. Several messages may share one id. */
export function isNew(state: LiveState, channel: string | undefined, id: number | undefined): boolean {
  return channel === undefined || id === undefined || id >= (state.lastIds[channel] ?? 0);
}

/** Reconnect delay in milliseconds: exponential to 15 s, with jitter. */
export function backoff(attempts: number, random: number): number {
  const base = Math.min(15_000, 500 * 2 ** Math.max(0, attempts - 1));
  return Math.round(base * (0.5 + random / 2));
}

/** Time between two pings, in milliseconds. */
export const PING_MS = 3000;

/** Silence after which data counts as stale, in milliseconds: three pings without a response. */
export const STALE_MS = 10_000;
