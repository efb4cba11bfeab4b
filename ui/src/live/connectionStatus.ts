/** Text of the live chip. */
import type { Tone } from '../theme/tones';
import { STALE_MS, type LiveState, type Phase } from './state';

export interface ConnectionStatus { kind: Phase | 'stale' | 'delayed'; label: string; tone: Tone; hint: string }

/** Delay of shown data that counts as delayed, in milliseconds. */
const DELAYED_MS = 5000;

const seconds = (ms: number): string => `${String(Math.round(ms / 1000))} s`;

/** Label, colour and tooltip for a state at a time; `lagMs` is how long the oldest event waits to be shown. */
export function connectionStatus(state: LiveState, nowMs: number, lagMs: number): ConnectionStatus {
  const age = state.heardAt === null ? null : Math.max(0, nowMs - state.heardAt);
  switch (state.phase) {
    case 'live':
      if (age !== null && age > STALE_MS) return { kind: 'stale', label: `stale ${seconds(age)}`, tone: 'warn', hint: 'No message for a while. What you see may be out of date.' };
      if (lagMs > DELAYED_MS) return { kind: 'delayed', label: `delayed ${seconds(lagMs)}`, tone: 'warn', hint: 'Events arrive faster than the API answers. What you see is this far behind.' };
      return state.caughtUp > 0
        ? { kind: 'live', label: `live, caught up ${String(state.caughtUp)}`, tone: 'good', hint: `Reconnected. ${String(state.caughtUp)} missed events were delivered.` }
        : { kind: 'live', label: 'live', tone: 'good', hint: 'Changes appear as they happen.' };
    case 'connecting':
      return { kind: 'connecting', label: 'connecting', tone: 'rest', hint: 'Opening the live connection.' };
    case 'reconnecting':
      return { kind: 'reconnecting', label: `reconnecting${age === null ? '' : `, ${seconds(age)} old`}`, tone: 'warn', hint: 'Connection lost. Missed events are fetched after reconnecting. Click to retry now.' };
    case 'polling':
      return { kind: 'polling', label: 'polling', tone: 'rest', hint: `${state.why ?? 'No live connection.'} Click to retry.` };
  }
}
