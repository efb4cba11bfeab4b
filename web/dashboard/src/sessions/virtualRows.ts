/** Windowing of the session list. All rows have one height, so nothing is measured. */
import { useEffect, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** Height of a row, pixels. */
export const ROW = 64;
/** Overscan: rows rendered above and below the viewport. */
const BEYOND = 6;

/** Pause that ends a scroll, milliseconds. */
const REST = 150;

export interface RowWindow {
  first: number;
  number: number;
}

/** Rows to render with `top` as the first visible row and room for `fits`. Their number stays constant while scrolling. */
export function rowWindow(top: number, fits: number, count: number): RowWindow {
  const number = Math.min(count, fits + 2 * BEYOND);
  return { first: Math.max(0, Math.min(top - BEYOND, count - number)), number };
}

/**
 * The rows in the order in which they stand in the document. Each has a place by its index, so that one that leaves is filled
 * anew; `from` is the first row of when the list last was at rest, and none moves until it is again: an element that moves is
 * styled and laid out from nothing, with all in it. At rest they stand as they are seen, for the Tab key and for readers.
 */
export function domOrder({ first, number }: RowWindow, from: number): number[] {
  return Array.from({ length: number }, (_, at) => first + ((((from + at - first) % number) + number) % number));
}

interface Viewport {
  /** First visible row, and the number of rows that fit. */
  top: number;
  fits: number;
  /** First row before a jump, until the remaining rows are rendered. */
  leapt: number | null;
}

export interface VirtualRows extends RowWindow {
  /** Row indexes in document order. */
  order: number[];
}

/** Rendered rows. After a jump visible rows come first, the others a frame later. */
export function virtualRows({ top, fits, leapt }: Viewport, rested: number, count: number): VirtualRows {
  const span = rowWindow(top, fits, count);
  const from = rowWindow(rested, fits, count).first;
  const order = domOrder(span, from);
  if (leapt === null) return { ...span, order };
  const before = domOrder(rowWindow(leapt, fits, count), from);
  return {
    ...span,
    order: order.map((index, at) => (index >= top && index < top + fits ? index : (before[at] ?? index))),
  };
}

/**
 * The rows to draw. Drawn between two frames, not within one; only after a leap beyond the rows at hand is what is in view
 * drawn at once, lest nothing be seen there, and the rest behind it. The list begins `startTop` pixels down.
 */
export function useVirtualRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  startTop: number,
  onScrolled: (away: boolean) => void,
): VirtualRows {
  const [seen, setSeen] = useState<Viewport>(() => ({ top: Math.floor(startTop / ROW), fits: 24, leapt: null }));
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
      rest = window.setTimeout(() => {
        setRested(top);
      }, REST);
      const before = drawn;
      drawn = top;
      if (Math.abs(top - before) >= BEYOND)
        flushSync(() => {
          setSeen(({ fits }) => ({ top, fits, leapt: before }));
        });
      setSeen(({ fits }) => ({ top, fits, leapt: null }));
      onScrolled(top >= 2);
    };
    const resized = new ResizeObserver(() => {
      const fits = Math.ceil(element.clientHeight / ROW) + 1;
      setSeen((now) => (now.fits === fits ? now : { ...now, fits }));
    });
    resized.observe(element);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      clearTimeout(rest);
      resized.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, [scroller, onScrolled]);
  return virtualRows(seen, rested, count);
}

/** Scrolls a row into view below the header, unless it is fully visible. */
export function scrollToRow(element: HTMLElement, index: number, header: number): void {
  const from = index * ROW;
  const seen = element.clientHeight - header;
  if (from < element.scrollTop) element.scrollTop = from;
  else if (from + ROW > element.scrollTop + seen) element.scrollTop = from + ROW - seen;
}
