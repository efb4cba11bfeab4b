/** Which rows of a long list exist. All rows have one height, so nothing is ever measured. */
import { useEffect, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** Height of a row, pixels. */
export const ROW = 52;
/** Rows that exist above and below what is seen: they come into view while React draws the next. */
const BEYOND = 6;

/** Pause after which a list counts as no longer scrolled, milliseconds. */
const REST = 150;

export interface Span { first: number; number: number }

/** The rows to draw when the row `top` is the uppermost that is seen and `fits` rows are in view. Their number stays the same while one scrolls. */
export function spanOf(top: number, fits: number, count: number): Span {
  const number = Math.min(count, fits + 2 * BEYOND);
  return { first: Math.max(0, Math.min(top - BEYOND, count - number)), number };
}

/**
 * The rows in the order in which they stand in the document. Each has a place by its index, so that one that leaves is filled
 * anew; `from` is the first row of when the list last was at rest, and none moves until it is again: an element that moves is
 * styled and laid out from nothing, with all in it. At rest they stand as they are seen, for the Tab key and for readers.
 */
export function placed({ first, number }: Span, from: number): number[] {
  return Array.from({ length: number }, (_, at) => first + ((((from + at - first) % number) + number) % number));
}

interface Seen {
  /** The uppermost row in view, and how many there is room for. */
  top: number;
  fits: number;
  /** Where one stood before a leap, while only what is in view has come. */
  leapt: number | null;
}

export interface Rows extends Span {
  /** Their indexes, in the order of the document. */
  order: number[];
}

/** What stands in the document: after a leap first what is in view, beside what was there before. */
export function rowsOf({ top, fits, leapt }: Seen, rested: number, count: number): Rows {
  const span = spanOf(top, fits, count);
  const from = spanOf(rested, fits, count).first;
  const order = placed(span, from);
  if (leapt === null) return { ...span, order };
  const before = placed(spanOf(leapt, fits, count), from);
  return { ...span, order: order.map((index, at) => (index >= top && index < top + fits ? index : before[at] ?? index)) };
}

/**
 * The rows to draw. Drawn between two frames, not within one; only after a leap beyond the rows at hand is what is in view
 * drawn at once, lest nothing be seen there, and the rest behind it. The list begins `startTop` pixels down.
 */
export function useSpan(scroller: RefObject<HTMLElement | null>, count: number, startTop: number, onScrolled: (away: boolean) => void): Rows {
  const [seen, setSeen] = useState<Seen>(() => ({ top: Math.floor(startTop / ROW), fits: 24, leapt: null }));
  const [rested, setRested] = useState(seen.top);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let drawn = Math.floor(element.scrollTop / ROW);
    let rest = 0;
    onScrolled(drawn >= 2);
    const scrolled = (): void => {
      const top = Math.floor(element.scrollTop / ROW);
      if (top === drawn) return;
      clearTimeout(rest);
      rest = window.setTimeout(() => { setRested(top); }, REST);
      const before = drawn;
      drawn = top;
      if (Math.abs(top - before) >= BEYOND) flushSync(() => { setSeen(({ fits }) => ({ top, fits, leapt: before })); });
      setSeen(({ fits }) => ({ top, fits, leapt: null }));
      onScrolled(top >= 2);
    };
    const resized = new ResizeObserver(() => {
      const fits = Math.ceil(element.clientHeight / ROW) + 1;
      setSeen((now) => (now.fits === fits ? now : { ...now, fits }));
    });
    resized.observe(element);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => { clearTimeout(rest); resized.disconnect(); element.removeEventListener('scroll', scrolled); };
  }, [scroller, onScrolled]);
  return rowsOf(seen, rested, count);
}

/** Bring a row into view, below the header of this height; does nothing when all of it is seen. */
export function reveal(element: HTMLElement, index: number, header: number): void {
  const from = index * ROW;
  const seen = element.clientHeight - header;
  if (from < element.scrollTop) element.scrollTop = from;
  else if (from + ROW > element.scrollTop + seen) element.scrollTop = from + ROW - seen;
}
