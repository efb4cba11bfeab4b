/** Time formats. The API uses Unix microseconds. */
import type { Prefs } from './prefs';

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

/** Parts of an instant in the chosen zone. */
function parts(us: number, zone: Prefs['zone']): { date: string; clock: string; ms: string } {
  const at = new Date(Math.floor(us / 1000));
  const utc = zone === 'utc';
  const year = utc ? at.getUTCFullYear() : at.getFullYear();
  const month = (utc ? at.getUTCMonth() : at.getMonth()) + 1;
  const day = utc ? at.getUTCDate() : at.getDate();
  const hours = utc ? at.getUTCHours() : at.getHours();
  const minutes = utc ? at.getUTCMinutes() : at.getMinutes();
  const seconds = utc ? at.getUTCSeconds() : at.getSeconds();
  const ms = utc ? at.getUTCMilliseconds() : at.getMilliseconds();
  return {
    date: `${String(year)}-${pad(month)}-${pad(day)}`,
    clock: `${pad(hours)}:${pad(minutes)}:${pad(seconds)}`,
    ms: pad(ms, 3),
  };
}

/** `2026-11-20 16:42:31`, followed by `UTC` if that is the chosen zone. */
export function formatAbsolute(us: number, zone: Prefs['zone']): string {
  const { date, clock } = parts(us, zone);
  return `${date} ${clock}${zone === 'utc' ? ' UTC' : ''}`;
}

/** `16:42:31.005`, for events within one session. */
export function formatClock(us: number, zone: Prefs['zone']): string {
  const { clock, ms } = parts(us, zone);
  return `${clock}.${ms}`;
}

/** `16:42:31`. */
export function formatTimeOfDay(us: number, zone: Prefs['zone']): string {
  return parts(us, zone).clock;
}

/** ISO 8601 in UTC with microseconds, for copying into another tool. */
export function isoMicros(us: number): string {
  const { date, clock } = parts(us, 'utc');
  const micros = ((us % 1_000_000) + 1_000_000) % 1_000_000;
  return `${date}T${clock}.${pad(micros, 6)}Z`;
}

/** Value of a `datetime-local` field. */
export function toInputValue(us: number | null, zone: Prefs['zone']): string {
  if (us === null) return '';
  const { date, clock } = parts(us, zone);
  return `${date}T${clock.slice(0, 5)}`;
}

/** Parses a `datetime-local` value; null: invalid. */
export function parseInputValue(text: string, zone: Prefs['zone']): number | null {
  const ms = new Date(zone === 'utc' ? `${text}Z` : text).getTime();
  return Number.isNaN(ms) ? null : ms * 1000;
}

/**
 * UTC offset from minutes east of Greenwich, e.g. `-03:30`. Formatted by hand, because the browser's formatter takes
 * 20 ms on its first use.
 */
function offset(minutes: number): string {
  const far = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(far / 60))}:${pad(far % 60)}`;
}

/** Full timestamp: local or UTC, and ISO 8601 with microseconds. */
export function formatFull(us: number, zone: Prefs['zone']): string {
  const east = zone === 'utc' ? '' : ` ${offset(-new Date(us / 1000).getTimezoneOffset())}`;
  return `${formatAbsolute(us, zone)}${east}, ${isoMicros(us)}`;
}

const SPANS: [number, string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** `3 min ago`. A time in the future, from a clock that is ahead, is `now`. */
export function formatRelative(us: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - us / 1000) / 1000);
  if (seconds < 2) return 'now';
  for (const [size, unit] of SPANS) {
    if (seconds >= size) return `${String(Math.floor(seconds / size))} ${unit} ago`;
  }
  return 'now';
}

/** `in 40 s`; `now` once the time has come. */
export function formatUntil(us: number, nowMs: number): string {
  const seconds = Math.ceil((us / 1000 - nowMs) / 1000);
  const [size, unit] = SPANS.find(([span]) => seconds >= span) ?? [1, 's'];
  return seconds < 1 ? 'now' : `in ${String(Math.ceil(seconds / size))} ${unit}`;
}

/**
 * `12 ms`, `4.3 s`, `2 min 05 s`, `1 h 04 min`, with non-breaking spaces. Drops fractions of a millisecond, like the
 * API for the time of a stage.
 */
export function formatDuration(exactMs: number | null | undefined): string {
  if (exactMs === null || exactMs === undefined) return '–';
  const ms = Math.max(0, Math.floor(exactMs));
  if (ms < 1000) return `${String(ms)}\u00a0ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}\u00a0s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${String(Math.floor(seconds / 60))}\u00a0min\u00a0${pad(seconds % 60)}\u00a0s`;
  return `${String(Math.floor(seconds / 3600))}\u00a0h\u00a0${pad(Math.floor((seconds % 3600) / 60))}\u00a0min`;
}
