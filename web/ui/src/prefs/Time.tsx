import { useCallback, useSyncExternalStore, type ReactElement } from 'react';
import { usePrefs } from './prefs';
import { formatAbsolute, formatDuration, isoMicros, formatRelative } from './time';

/** Clock shared by all subscribers with the same interval. */
class Clock {
  now = Date.now();
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly watchers = new Set<() => void>();

  constructor(private readonly everyMs: number) {}

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    this.timer ??= setInterval(() => {
      this.now = Date.now();
      this.watchers.forEach((told) => {
        told();
      });
    }, this.everyMs);
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  read(): number {
    // The clock stood still while it had no subscribers.
    if (this.timer === undefined && Date.now() - this.now > this.everyMs) this.now = Date.now();
    return this.now;
  }
}

const clocks = new Map<number, Clock>();

function clockOf(everyMs: number): Clock {
  const clock = clocks.get(everyMs) ?? new Clock(everyMs);
  clocks.set(everyMs, clock);
  return clock;
}

/** Value derived from the time, checked every `everyMs`. Rerenders only when it changes. */
function useClock<T extends string | number>(everyMs: number, read: (nowMs: number) => T): T {
  const watch = useCallback((watcher: () => void) => clockOf(everyMs).watch(watcher), [everyMs]);
  return useSyncExternalStore(watch, () => read(clockOf(everyMs).read()));
}

/** Current time in milliseconds, updated every `everyMs`. */
export const useNow = (everyMs: number): number => useClock(everyMs, (now) => now);

/** Timestamp in the preferred format, in full in the tooltip. */
export function Time({ us, always }: { us: number; always?: 'absolute' | 'relative' }): ReactElement {
  const { zone, times } = usePrefs();
  const isRelative = (always ?? times) === 'relative';
  const ago = useClock(5000, (now) => (isRelative ? formatRelative(us, now) : ''));
  const text = isRelative ? ago : formatAbsolute(us, zone);
  return (
    <time dateTime={isoMicros(us)} title={isoMicros(us)} style={{ whiteSpace: 'nowrap' }}>
      {text}
    </time>
  );
}

/** Elapsed time, live while running. */
export function Elapsed({ startUs, endUs }: { startUs: number; endUs?: number | null }): ReactElement {
  const isOver = endUs != null;
  const text = useClock(isOver ? 60_000 : 1000, (now) =>
    formatDuration(isOver ? (endUs - startUs) / 1000 : Math.max(0, now - startUs / 1000)),
  );
  return <span style={{ whiteSpace: 'nowrap' }}>{text}</span>;
}
