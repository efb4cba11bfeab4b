import { useEffect, useEffectEvent } from 'react';

/** After this long a page has taken its form, milliseconds. */
const SETTLED_MS = 3000;
const BY_HAND = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/**
 * Act while the page still takes its form (late parts push others down), and never again once somebody
 * has moved by hand. What a link points to is brought before one's eyes like this.
 */
export function useWhileSettling(wanted: boolean, act: () => void): void {
  const latest = useEffectEvent(act);
  useEffect(() => {
    if (!wanted) return undefined;
    const watch = new ResizeObserver(() => { latest(); });
    const stop = (): void => { watch.disconnect(); };
    const timer = setTimeout(stop, SETTLED_MS);
    BY_HAND.forEach((kind) => { window.addEventListener(kind, stop, { once: true, passive: true }); });
    watch.observe(document.body);
    return () => { stop(); clearTimeout(timer); BY_HAND.forEach((kind) => { window.removeEventListener(kind, stop); }); };
  }, [wanted]);
}
