import { describe, expect, it } from 'vitest';
import { withRecord } from '../../ui/src/session/record';
import { llm, mcp, session, stage } from '../../ui/test/fixture';
import { followAction, unreadCount, advance, type PageChange } from '../src/session/unreadTracker';
import { conversationRows, type Row } from '../src/session/rows';

/** A stage and this many tool calls: a row more than calls. */
const said = (calls: number): Row[] =>
  conversationRows(
    withRecord(
      session({ stages: [stage()] }),
      Array.from({ length: calls }, (_, at) => mcp(`m${String(at)}`, at, {})),
      true,
    ),
  );

describe('what came unseen', () => {
  const at = (rows: readonly Row[], reached: number, whole = true, of = 's1') => ({
    of,
    whole,
    rows: rows.length,
    reached,
  });

  it('is what came after all had been read once, below what is seen', () => {
    const first = advance(null, at(said(3), 1));
    expect(unreadCount(said(3), first), 'the rest of what was there').toBe(0);
    expect(unreadCount(said(5), advance(first, at(said(5), 1)))).toBe(2);
    expect(unreadCount(said(5), advance(first, at(said(5), 4))), 'one of them is seen').toBe(1);
  });
  it('is nothing while the record is on its way', () => {
    const reading = advance(null, at(said(3), 1, false));
    expect(unreadCount(said(9), advance(reading, at(said(9), 1, false)))).toBe(0);
    expect(unreadCount(said(9), advance(reading, at(said(9), 1)))).toBe(0);
  });
  it('stays seen when one goes up again, and counts events, not the stages between them', () => {
    const down = advance(advance(null, at(said(3), 1)), at(said(5), 5));
    expect(advance(down, at(said(5), 0)), 'the same object').toBe(down);
    const rows = conversationRows(
      withRecord(
        session({ stages: [stage(), stage({ execution_id: 'e2', stage_index: 1, created_at_us: 9 })] }),
        [mcp('m0', 1, {}), { ...llm('l0', 10, { response_text: 'x' }), stage_execution_id: 'e2' }],
        true,
      ),
    );
    expect(rows.map((row) => row.kind)).toEqual(['stage', 'event', 'stage', 'event']);
    expect(unreadCount(rows, advance(null, at(rows.slice(0, 2), 1)))).toBe(1);
  });
  it('begins anew with another session', () => {
    expect(unreadCount(said(9), advance(advance(null, at(said(3), 1)), at(said(9), 1, true, 's2')))).toBe(0);
  });
});

describe('who is led to the end', () => {
  const change = (over: Partial<PageChange>): PageChange => ({
    kind: 'grown',
    gap: 200,
    up: false,
    byHand: false,
    news: true,
    height: 900,
    ...over,
  });

  it('is led on when more was said, whatever a hand did before', () => {
    expect(followAction(change({}))).toBe('lead');
    expect(followAction(change({ byHand: true }))).toBe('lead');
    expect(followAction(change({ gap: 0 }))).toBe('stay');
  });
  it('stays with what they unfold', () => {
    expect(followAction(change({ byHand: true, news: false }))).toBe('stop');
  });
  it('is left alone once they go up', () => {
    expect(followAction(change({ kind: 'scrolled', up: true, byHand: true }))).toBe('stop');
    expect(followAction(change({ kind: 'scrolled', up: true, gap: 901 })), 'a leap, as with a scroll bar').toBe('stop');
  });
  it('is not taken for going up when the page itself moves: rows that turn out smaller, the way down', () => {
    expect(followAction(change({ kind: 'scrolled', up: true }))).toBe('stay');
    expect(followAction(change({ kind: 'scrolled', up: true, byHand: true, gap: 3 }))).toBe('stay');
    expect(followAction(change({ kind: 'scrolled', byHand: true }))).toBe('stay');
  });
});
