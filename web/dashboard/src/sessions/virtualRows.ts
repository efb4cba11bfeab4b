/** Windowing of the session list. All rows have one height, so nothing is measured. */
import { useEffect, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** Height of a row, pixels. */
export const ROW = 64;
/** Overscan: rows rendered above and below the viewport. */
const BEYOND = 6;

/** Pause after which a scroll counts as ended, in milliseconds. */
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
 * Returns the row indexes in document order. Each row has a place by its index, so that the element of a row that
 * leaves the view is reused. `from` is the first row when the list was last at rest. No element moves in the document
 * during a scroll, because the browser styles and lays out a moved element from scratch. At rest, document order equals
 * visible order, for the Tab key and for screen readers.
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

/** Returns the rows to render. After a jump, visible rows come first, and the others a frame later. */
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
 * Returns the rows to render. Normally they are rendered between two frames. After a jump beyond the rendered rows, the
 * visible rows are rendered at once, so that the view is not empty, and the rest afterwards. The list begins scrolled
 * down by `startTop` pixels.
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
