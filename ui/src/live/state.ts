/** What the live chip tells, as a pure function of what happened to the socket. */

export type Phase = 'connecting' | 'live' | 'reconnecting' | 'polling';

export interface LiveState {
  phase: Phase;
  /** When anything was heard last, milliseconds. */
  heardAt: number | null;
  /** The last event's id: where to go on after a break. */
  lastId: number | null;
  /** Failed attempts since the socket was open. */
  attempts: number;
  /** Events that came by catching up after the last break. */
  caughtUp: number;
  /** Why it polls, for the chip. */
  why: string | null;
}

export const initial: LiveState = { phase: 'connecting', heardAt: null, lastId: null, attempts: 0, caughtUp: 0, why: null };

export type LiveAction =
  | { type: 'opened'; at: number }
  | { type: 'heard'; at: number; id?: number; caughtUp?: boolean }
  | { type: 'closed' }
  | { type: 'refused'; why: string };

/** Attempts after which a socket that never opened is taken as not to be had. */
const GIVE_UP = 2;

export function reduce(state: LiveState, action: LiveAction): LiveState {
  switch (action.type) {
    case 'opened':
      return { ...state, phase: 'live', heardAt: action.at, attempts: 0, caughtUp: 0, why: null };
    case 'heard': {
      const lastId = action.id === undefined ? state.lastId : Math.max(action.id, state.lastId ?? 0);
      return { ...state, heardAt: action.at, lastId, caughtUp: state.caughtUp + (action.caughtUp === true ? 1 : 0) };
    }
    case 'closed': {
      const attempts = state.attempts + 1;
      if (state.heardAt === null && attempts >= GIVE_UP) {
        return { ...state, phase: 'polling', attempts, why: 'this API offers no live socket; the page asks again every few seconds' };
      }
      return { ...state, phase: state.phase === 'polling' ? 'polling' : 'reconnecting', attempts };
    }
    case 'refused':
      return { ...state, phase: 'polling', why: action.why };
  }
}

/** Whether an event is new: one that was seen already is not told twice. */
export function isNew(state: LiveState, id: number | undefined): boolean {
  return id === undefined || state.lastId === null || id > state.lastId;
}

/** Milliseconds before the next attempt: doubling to 15 s, with jitter so that a fleet of pages doesn't return at once. */
export function backoff(attempts: number, random: number): number {
  const base = Math.min(15_000, 500 * 2 ** Math.max(0, attempts - 1));
  return Math.round(base * (0.5 + random / 2));
}

/** Silence after which a socket that should answer pings is stale. */
export const STALE_MS = 45_000;
