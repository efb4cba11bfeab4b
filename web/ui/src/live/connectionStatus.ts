/** Text of the live chip. */
import type { Tone } from '../theme/tones';
import { STALE_MS, type LiveState, type Phase } from './state';

export interface ConnectionStatus {
  kind: Phase | 'stale' | 'delayed';
  label: string;
  tone: Tone;
  hint: string;
}

/** Delay of shown data that counts as delayed, in milliseconds. */
const DELAYED_MS = 5000;

const seconds = (ms: number): string => `${String(Math.round(ms / 1000))} s`;

/**
 * Returns label, colour and tooltip for a state at a time. `lagMs` is how long the oldest event has waited to be shown.
 * `clock` formats a time of day.
 */
export function connectionStatus(
  state: LiveState,
  nowMs: number,
  lagMs: number,
  clock: (ms: number) => string,
): ConnectionStatus {
  const age = state.heardAt === null ? null : Math.max(0, nowMs - state.heardAt);
  const asOf = state.heardAt === null ? '' : `as of ${clock(state.heardAt)}`;
  switch (state.phase) {
    case 'live':
      if (age !== null && age > STALE_MS)
        return {
          kind: 'stale',
          label: asOf,
          tone: 'warn',
          hint: `No data for ${seconds(age)}. This page may be out of date.`,
        };
      if (state.failedAt !== null)
        return {
          kind: 'stale',
          label: asOf,
          tone: 'warn',
          hint: 'The last request got no answer. This page may be out of date.',
        };
      if (lagMs > DELAYED_MS)
        return {
          kind: 'delayed',
          label: `delayed ${seconds(lagMs)}`,
          tone: 'warn',
          hint: 'Events arrive faster than the API answers. This page is late by that time.',
        };
      return state.caughtUp > 0
        ? {
            kind: 'live',
            label: `live, caught up ${String(state.caughtUp)}`,
            tone: 'good',
            hint: `Reconnected. ${String(state.caughtUp)} missed events were delivered.`,
          }
        : { kind: 'live', label: 'live', tone: 'good', hint: 'Changes appear as they happen.' };
    case 'connecting':
      return { kind: 'connecting', label: 'connecting', tone: 'rest', hint: 'Opening the live connection.' };
    case 'reconnecting':
      return {
        kind: 'reconnecting',
        label: asOf === '' ? 'reconnecting' : `reconnecting, ${asOf}`,
        tone: 'warn',
        hint: 'Connection lost. Missed events are fetched after reconnecting. Click to retry now.',
      };
    case 'polling':
      return {
        kind: 'polling',
        label: 'polling',
        tone: 'rest',
        hint: `${state.why ?? 'No live connection.'} Click to retry.`,
      };
  }
}
