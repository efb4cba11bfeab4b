import { useCallback, useSyncExternalStore, type ReactElement } from 'react';
import { usePrefs } from './prefs';
import { absolute, duration, isoMicros, relative } from './time';

/** A clock that ticks for all who look at it, however many: one timer for each rhythm. */
class Clock {
  now = Date.now();
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly watchers = new Set<() => void>();

  constructor(private readonly everyMs: number) {}

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    this.timer ??= setInterval(() => { this.now = Date.now(); this.watchers.forEach((told) => { told(); }); }, this.everyMs);
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  read(): number {
    // Nobody looked for a while: it stood still meanwhile.
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

/** Now, in milliseconds, told again every `everyMs`. */
export function useNow(everyMs: number): number {
  const watch = useCallback((watcher: () => void) => clockOf(everyMs).watch(watcher), [everyMs]);
  return useSyncExternalStore(watch, () => clockOf(everyMs).read());
}

/** An instant, as chosen in the preferences; the whole of it on hover. */
export function Time({ us, always }: { us: number; always?: 'absolute' | 'relative' }): ReactElement {
  const { zone, times } = usePrefs();
  const now = useNow(5000);
  const text = (always ?? times) === 'relative' ? relative(us, now) : absolute(us, zone);
  return (
    <time dateTime={isoMicros(us)} title={isoMicros(us)} style={{ whiteSpace: 'nowrap' }}>{text}</time>
  );
}

/** How long something took, or takes. */
export function Lasting({ startUs, endUs }: { startUs: number; endUs?: number | null }): ReactElement {
  const now = useNow(endUs == null ? 1000 : 60_000);
  return <span style={{ whiteSpace: 'nowrap' }}>{duration(endUs == null ? Math.max(0, now - startUs / 1000) : (endUs - startUs) / 1000)}</span>;
}
