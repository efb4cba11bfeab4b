/** Which rows of a long list exist. All rows have one height, so nothing is ever measured. */
import { useEffect, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** Height of a row, pixels. */
export const ROW = 52;
/** Rows that exist above and below what is seen: they come into view while React draws the next. */
const BEYOND = 6;

export interface Span { first: number; number: number }

/** The rows to draw when the row `top` is the uppermost that is seen and `fits` rows are in view. Their number stays the same while one scrolls. */
export function spanOf(top: number, fits: number, count: number): Span {
  const number = Math.min(count, fits + 2 * BEYOND);
  return { first: Math.max(0, Math.min(top - BEYOND, count - number)), number };
}

interface Seen { top: number; fits: number }

/**
 * The rows to draw. Drawn between two frames, not within one; only a leap beyond the rows at hand is drawn at once,
 * lest nothing be seen there.
 */
export function useSpan(scroller: RefObject<HTMLElement | null>, count: number, onScrolled: (away: boolean) => void): Span {
  const [seen, setSeen] = useState<Seen>({ top: 0, fits: 24 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let drawn = Math.floor(element.scrollTop / ROW);
    onScrolled(drawn >= 2);
    const scrolled = (): void => {
      const top = Math.floor(element.scrollTop / ROW);
      if (top === drawn) return;
      const leap = Math.abs(top - drawn) >= BEYOND;
      drawn = top;
      const show = (): void => { setSeen((before) => ({ ...before, top })); };
      if (leap) flushSync(show); else show();
      onScrolled(top >= 2);
    };
    const resized = new ResizeObserver(() => {
      const fits = Math.ceil(element.clientHeight / ROW) + 1;
      setSeen((before) => (before.fits === fits ? before : { ...before, fits }));
    });
    resized.observe(element);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => { resized.disconnect(); element.removeEventListener('scroll', scrolled); };
  }, [scroller, onScrolled]);
  return spanOf(seen.top, seen.fits, count);
}

/** Bring a row into view, below the header of this height; does nothing when all of it is seen. */
export function reveal(element: HTMLElement, index: number, header: number): void {
  const from = index * ROW;
  const seen = element.clientHeight - header;
  if (from < element.scrollTop) element.scrollTop = from;
  else if (from + ROW > element.scrollTop + seen) element.scrollTop = from + ROW - seen;
}
