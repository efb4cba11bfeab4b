import { useEffect, useEffectEvent } from 'react';

/** Time without a layout change after which the page counts as settled, in milliseconds. */
const QUIET_MS = 10_000;
const BY_HAND = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/**
 * Scrolls to the target of a link, and again after each layout change, because late parts push others down. Stops on
 * user input, or when everything is loaded and the layout has not changed for `QUIET_MS`.
 *
 * @param wanted the target; null for none
 * @param waiting whether more content is loading
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
