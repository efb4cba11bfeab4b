/** Unread events of a growing conversation, and following its end. */
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import type { Row } from './rows';

/** Read position in a growing conversation. */
export interface ReadPosition {
  /** Id of the session. */
  of: string;
  /** Whether the initial record has been loaded; later rows are new. */
  begun: boolean;
  /** Number of rows that were seen, from the first. */
  rows: number;
}

/** Advances the read position; the same object if nothing changed. */
export function advance(
  before: ReadPosition | null,
  now: { of: string; whole: boolean; rows: number; reached: number },
): ReadPosition {
  const next =
    before === null || before.of !== now.of || !before.begun
      ? { of: now.of, begun: now.whole, rows: now.whole ? now.rows : 0 }
      : { ...before, rows: Math.max(before.rows, now.reached + 1) };
  return before !== null && next.of === before.of && next.begun === before.begun && next.rows === before.rows
    ? before
    : next;
}

/** Number of events below the read position. */
export const unreadCount = (rows: readonly Row[], { begun, rows: known }: ReadPosition): number =>
  begun ? rows.slice(known).filter((row) => row.kind === 'event').length : 0;

/** Space below the conversation for the pill, pixels. */
export const FOOT = 48;
/** Distance from the end that counts as the end, pixels. */
const NEAR = 8;

/** A scroll or growth of the page while it follows the end. */
export interface PageChange {
  kind: 'scrolled' | 'grown';
  /** Pixels from the bottom of the viewport to the end of the conversation. */
  gap: number;
  /** Whether the page scrolled up. */
  up: boolean;
  /** Whether there was user input since the page last followed. */
  byHand: boolean;
  /** Whether events arrived since then. */
  news: boolean;
  /** Height of the viewport, in pixels. */
  height: number;
}

/** Decides whether to keep following. A jump upwards counts as user input: scroll bars send no event. */
export function followAction({ kind, gap, up, byHand, news, height }: PageChange): 'lead' | 'stay' | 'stop' {
  if (kind === 'scrolled') return up && gap > (byHand ? NEAR : height) ? 'stop' : 'stay';
  if (gap <= NEAR) return 'stay';
  // The user unfolded a part, which pushed the end away, and wants to read it.
  return byHand && !news ? 'stop' : 'lead';
}

const BY_HAND = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** Whether user input scrolls up. It does so over several frames; events that arrive meanwhile must not undo it. */
export const scrollsUp = (input: Event): boolean =>
  input instanceof WheelEvent
    ? input.deltaY < 0
    : input instanceof KeyboardEvent && ['Home', 'PageUp'].includes(input.key);

interface Watched {
  /** Session and linked event; a change of either ends following. */
  of: string;
  place: string | null;
  rows: readonly Row[];
  whole: boolean;
  /** Last visible row. */
  reached: number;
  list: RefObject<HTMLElement | null>;
}

/** Counts unread events and follows the end of the conversation. Scrolling up stops following. */
export function useUnreadTracker({ of, place, rows, whole, reached, list }: Watched): {
  unseen: number;
  follows: boolean;
  follow: () => void;
} {
  const seen = { of, whole, rows: rows.length, reached };
  const [known, setKnown] = useState(() => advance(null, seen));
  const now = advance(known, seen);
  if (now !== known) setKnown(now);
  const here = `${of} ${place ?? ''}`;
  const [followed, setFollowed] = useState<string | null>(null);
  const follows = followed === here;
  /** Rows at the last user input; null: no input since following moved the page. */
  const touched = useRef<readonly Row[] | null>(null);

  const gap = (): number =>
    list.current === null ? 0 : list.current.getBoundingClientRect().bottom + FOOT - window.innerHeight;
  const lead = (): void => {
    touched.current = null;
    window.scrollBy({ top: gap(), behavior: 'instant' });
  };
  const touch = useEffectEvent(() => {
    touched.current = rows;
  });
  const changed = useEffectEvent((kind: PageChange['kind'], up: boolean): void => {
    const what = followAction({
      kind,
      gap: gap(),
      up,
      byHand: touched.current !== null,
      news: touched.current !== rows,
      height: window.innerHeight,
    });
    if (what === 'lead') lead();
    if (what === 'stop') setFollowed(null);
  });
  useEffect(() => {
    if (!follows) return undefined;
    let top = window.scrollY;
    const scrolled = (): void => {
      const before = top;
      top = window.scrollY;
      changed('scrolled', top < before);
    };
    const hand = (input: Event): void => {
      if (scrollsUp(input)) setFollowed(null);
      else touch();
    };
    const watch = new ResizeObserver(() => {
      changed('grown', false);
    });
    watch.observe(document.body);
    window.addEventListener('scroll', scrolled, { passive: true });
    // In the capture phase, before the page handles its keys, so that their effects count as after the input.
    BY_HAND.forEach((kind) => {
      window.addEventListener(kind, hand, { passive: true, capture: true });
    });
    return () => {
      watch.disconnect();
      window.removeEventListener('scroll', scrolled);
      BY_HAND.forEach((kind) => {
        window.removeEventListener(kind, hand, { capture: true });
      });
    };
  }, [follows]);
  return {
    unseen: follows ? 0 : unreadCount(rows, now),
    follows,
    follow: () => {
      lead();
      setFollowed(here);
    },
  };
}
