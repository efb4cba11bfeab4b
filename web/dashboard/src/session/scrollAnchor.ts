import { useEffect, useEffectEvent } from 'react';

/** Without a layout change for this long the page counts as settled, milliseconds. */
const QUIET_MS = 10_000;
const BY_HAND = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/**
 * Bring what a link points to before one's eyes, and again each time the page changes its form (late parts push others
 * down), however slowly they come: until somebody moves by hand, or everything is there and nothing has changed for a while.
 *
 * @param wanted what is pointed to; null for nothing
 * @param waiting whether more is on its way
 */
export function useScrollAnchor(wanted: string | null, waiting: boolean, act: () => void): void {
  const latest = useEffectEvent(act);
  const expecting = useEffectEvent(() => waiting);
  useEffect(() => {
    if (wanted === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const quiet = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (expecting()) quiet();
        else stop();
      }, QUIET_MS);
    };
    const watch = new ResizeObserver(() => {
      latest();
      quiet();
    });
    const stop = (): void => {
      watch.disconnect();
      clearTimeout(timer);
      BY_HAND.forEach((kind) => {
        window.removeEventListener(kind, stop);
      });
    };
    BY_HAND.forEach((kind) => {
      window.addEventListener(kind, stop, { passive: true });
    });
    watch.observe(document.body);
    return stop;
  }, [wanted]);
}
