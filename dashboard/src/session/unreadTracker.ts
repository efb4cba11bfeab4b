/** Whoever watches a conversation grow: how much came below what was seen, and being led to it. */
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import type { Row } from './rows';

/** How far somebody has come in a conversation that grows. */
export interface ReadPosition {
  /** The session it is of. */
  of: string;
  /** Whether all that was said before had been read once: what comes behind it is new. */
  begun: boolean;
  /** Rows that are not new, from the first on. */
  rows: number;
}

/** The progress after what is there, or what is seen of it, has changed; the same object where it has not. */
export function advance(before: ReadPosition | null, now: { of: string; whole: boolean; rows: number; reached: number }): ReadPosition {
  const next = before === null || before.of !== now.of || !before.begun
    ? { of: now.of, begun: now.whole, rows: now.whole ? now.rows : 0 }
    : { ...before, rows: Math.max(before.rows, now.reached + 1) };
  return before !== null && next.of === before.of && next.begun === before.begun && next.rows === before.rows ? before : next;
}

/** Events that came below what was seen. */
export const unreadCount = (rows: readonly Row[], { begun, rows: known }: ReadPosition): number => (begun ? rows.slice(known).filter((row) => row.kind === 'event').length : 0);

/** Height that is left free below the conversation for what floats there, pixels. */
export const FOOT = 48;
/** Pixels from the end within which one stays there. */
const NEAR = 8;

/** A change of the page under somebody who is led. */
export interface PageChange {
  kind: 'scrolled' | 'grown';
  /** Pixels from the end of what is seen to the end of the conversation. */
  gap: number;
  /** Whether the page went up. */
  up: boolean;
  /** Whether a hand was on wheel, keys or glass since they were last led. */
  byHand: boolean;
  /** Whether something was said since that. */
  news: boolean;
  /** Height of what is seen. */
  height: number;
}

/** What is done about it. Not every hand can be seen (that on a scroll bar cannot): a leap upwards counts as one. */
export function followAction({ kind, gap, up, byHand, news, height }: PageChange): 'lead' | 'stay' | 'stop' {
  if (kind === 'scrolled') return up && gap > (byHand ? NEAR : height) ? 'stop' : 'stay';
  if (gap <= NEAR) return 'stay';
  // What a person unfolds pushes the end away: they want to read that.
  return byHand && !news ? 'stop' : 'lead';
}

const BY_HAND = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

interface Watched {
  /** The session; another one, or another place that a link points to, takes one away from the end. */
  of: string;
  place: string | null;
  rows: readonly Row[];
  whole: boolean;
  /** The last row of which something is seen. */
  reached: number;
  list: RefObject<HTMLElement | null>;
}

/** What came unseen, whether one is led to what comes, and `follow`, which begins that. Moving up ends it. */
export function useUnreadTracker({ of, place, rows, whole, reached, list }: Watched): { unseen: number; follows: boolean; follow: () => void } {
  const seen = { of, whole, rows: rows.length, reached };
  const [known, setKnown] = useState(() => advance(null, seen));
  const now = advance(known, seen);
  if (now !== known) setKnown(now);
  const here = `${of} ${place ?? ''}`;
  const [followed, setFollowed] = useState<string | null>(null);
  const follows = followed === here;
  /** What was there when a hand was last seen; null: none was since one was led. */
  const touched = useRef<readonly Row[] | null>(null);

  const gap = (): number => (list.current === null ? 0 : list.current.getBoundingClientRect().bottom + FOOT - window.innerHeight);
  const lead = (): void => {
    touched.current = null;
    window.scrollBy({ top: gap(), behavior: 'instant' });
  };
  const touch = useEffectEvent(() => { touched.current = rows; });
  const changed = useEffectEvent((kind: PageChange['kind'], up: boolean): void => {
    const what = followAction({ kind, gap: gap(), up, byHand: touched.current !== null, news: touched.current !== rows, height: window.innerHeight });
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
    const hand = (): void => { touch(); };
    const watch = new ResizeObserver(() => { changed('grown', false); });
    watch.observe(document.body);
    window.addEventListener('scroll', scrolled, { passive: true });
    // Before the keys of the page are answered: what they do counts as done after that.
    BY_HAND.forEach((kind) => { window.addEventListener(kind, hand, { passive: true, capture: true }); });
    return () => {
      watch.disconnect();
      window.removeEventListener('scroll', scrolled);
      BY_HAND.forEach((kind) => { window.removeEventListener(kind, hand, { capture: true }); });
    };
  }, [follows]);
  return { unseen: follows ? 0 : unreadCount(rows, now), follows, follow: () => { lead(); setFollowed(here); } };
}
