/** Time ranges of the list: spans before now, shifts, and days and weeks of the calendar. */
import type { Prefs } from '@tarsy/ui';

export const RANGES = [
  ['1h', 'Last hour'],
  ['4h', 'Last 4 hours'],
  ['24h', 'Last 24 hours'],
  ['shift', 'This shift'],
  ['night', 'Last night'],
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['7d', 'Last 7 days'],
  ['week', 'This week'],
  ['30d', 'Last 30 days'],
  ['all', 'All time'],
  ['custom', 'Custom range'],
] as const;
export type Range = (typeof RANGES)[number][0];

const HOURS: Partial<Record<Range, number>> = { '1h': 1, '4h': 4, '24h': 24, '7d': 168, '30d': 720 };

/** Hours at which the day shift and the night shift begin. */
const DAY_HOUR = 8;
const NIGHT_HOUR = 20;

/** An hour of the day that is `days` after the day of an instant. */
function hourOf(ms: number, days: number, hour: number, zone: Prefs['zone']): number {
  const date = new Date(ms);
  return zone === 'utc'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + days, hour)
    : new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, hour).getTime();
}

/** Midnight of the day that is `days` after the day of an instant. */
export const midnight = (ms: number, days: number, zone: Prefs['zone']): number => hourOf(ms, days, 0, zone);

/** Start of the shift that contains an instant: the last start of a shift before it. */
function shiftStart(ms: number, zone: Prefs['zone']): number {
  const starts = [hourOf(ms, 0, NIGHT_HOUR, zone), hourOf(ms, 0, DAY_HOUR, zone)];
  return starts.find((start) => start <= ms) ?? hourOf(ms, -1, NIGHT_HOUR, zone);
}

/** Number of days since Monday. */
const weekday = (ms: number, zone: Prefs['zone']): number =>
  ((zone === 'utc' ? new Date(ms).getUTCDay() : new Date(ms).getDay()) + 6) % 7;

/** Start of a range in milliseconds, rounded down to the minute so that query keys stay stable; null: open. */
export function rangeStart(range: Range, nowMs: number, zone: Prefs['zone']): number | null {
  const hours = HOURS[range];
  if (hours !== undefined) return Math.floor(nowMs / 60_000) * 60_000 - hours * 3_600_000;
  switch (range) {
    case 'shift':
      return shiftStart(nowMs, zone);
    // During the night, this is the current night.
    case 'night':
      return hourOf(nowMs, -1, NIGHT_HOUR, zone);
    case 'today':
      return midnight(nowMs, 0, zone);
    case 'yesterday':
      return midnight(nowMs, -1, zone);
    case 'week':
      return midnight(nowMs, -weekday(nowMs, zone), zone);
    default:
      return null;
  }
}

/** End of a range, from its start; null: open. */
export function rangeEnd(range: Range, startMs: number | null, zone: Prefs['zone']): number | null {
  if (startMs === null) return null;
  if (range === 'night') return hourOf(startMs, 1, DAY_HOUR, zone);
  return range === 'yesterday' ? midnight(startMs, 1, zone) : null;
}
