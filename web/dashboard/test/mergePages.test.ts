import type { SessionLine, SessionList } from '@tarsy/ui';
import { describe, expect, it } from 'vitest';
import { mergeSlice, headSlice, mergeFrozen, mergeHead } from '../src/sessions/mergePages';

/** A session that started at a time; its id says when. */
const row = (at: number, status: SessionLine['status'] = 'completed'): SessionLine => ({
  session_id: `s${String(at).padStart(4, '0')}`,
  alert_id: 'a',
  alert_type: 't',
  agent_type: 'chain:c',
  status,
  outcome: 'completed',
  severity: 'warning',
  source: 'api',
  duplicate_count: 0,
  started_at_us: at,
  chain_id: 'c',
  total_stages: 3,
  completed_stages: 3,
  failed_stages: 0,
  llm_interaction_count: 1,
  mcp_communication_count: 1,
  total_interactions: 2,
});
/** A page of sessions from one start down to another. */
const page = (
  from: number,
  to: number,
  more: boolean,
  rows = Array.from({ length: from - to + 1 }, (_, at) => row(from - at)),
): SessionList => ({
  sessions: rows,
  filters_applied: {},
  pagination: {
    next_cursor: more ? String(to) : null,
    page: 1,
    page_size: 100,
    total_items: 0,
    total_is_exact: true,
    total_at_least: 1,
    total_pages: 1,
  },
});
const starts = (pages: readonly SessionList[]): number[] =>
  pages.flatMap(({ sessions }) => sessions.map((one) => one.started_at_us));
const down = (from: number, to: number): number[] => Array.from({ length: from - to + 1 }, (_, at) => from - at);

describe('a list that is live', () => {
  it('has new sessions on top, and none is lost when more than a page of them comes bit by bit', () => {
    let pages = [page(100, 1, false)];
    for (let newest = 110; newest <= 400; newest += 10) pages = mergeHead(page(newest, newest - 99, true), pages);
    expect(starts(pages)).toEqual(down(400, 1));
  });
  it('begins anew where more than a page came at once: what is between is loaded again, not left out', () => {
    const pages = mergeHead(page(350, 251, true), [page(100, 1, true), page(0, -99, false)]);
    expect(starts(pages)).toEqual(down(350, 251));
    expect(pages.at(-1)?.pagination.next_cursor).toBe('251');
  });
  it('lets go of those that no longer match, as far as the newest page tells', () => {
    const head = page(200, 101, true, [row(200), row(150), row(120)]);
    expect(starts(mergeSlice([page(200, 101, true), page(100, 91, false)], headSlice(head)))).toEqual([
      200,
      150,
      ...down(120, 91),
    ]);
    expect(starts(mergeSlice([page(9, 1, false)], headSlice(page(9, 1, false, []))))).toEqual([]);
  });
  it('puts what begins to match where it belongs, and nothing into what is not loaded', () => {
    const pages = [page(0, 0, true, [row(90), row(80)]), page(0, 0, true, [row(70), row(50)])];
    const part = { rows: [row(85), row(60), row(40)], afterUs: 30, toUs: 88 };
    expect(starts(mergeSlice(pages, part))).toEqual([90, 85, 60]);
  });
  it('keeps a row whose stages stand as before, and draws it when one moves', () => {
    const at = (status: 'active' | 'completed'): SessionList =>
      page(1, 1, false, [{ ...row(1), stage_states: [{ name: 'a', status }] }]);
    const pages = [at('active')];
    expect(mergeHead(at('active'), pages)).toBe(pages);
    expect(mergeHead(at('completed'), pages)[0]?.sessions[0]?.stage_states?.[0]?.status).toBe('completed');
  });
  it('keeps what did not change as it is, so that nothing is drawn', () => {
    const pages = [page(100, 1, true), page(0, -99, false)];
    expect(mergeHead(page(100, 1, true), pages)).toBe(pages);
    const next = mergeHead(page(100, 1, true, [row(100, 'failed'), ...page(99, 1, true).sessions]), pages);
    expect(next[0]?.sessions[0]?.status).toBe('failed');
    expect([next[0]?.sessions[1] === pages[0]?.sessions[1], next[1] === pages[1]]).toEqual([true, true]);
  });
});

describe('a list that is held', () => {
  it('is brought up to date in place, counts what waits, and no row leaves', () => {
    const pages = [page(100, 1, true)];
    const {
      pages: kept,
      waiting,
      missed,
    } = mergeFrozen(pages, headSlice(page(102, 50, true, [row(102), row(101), row(100, 'failed'), row(60)])));
    expect(starts(kept)).toEqual(down(100, 1));
    expect([kept[0]?.sessions[0]?.status, waiting, missed]).toEqual(['failed', 2, true]);
  });
  it('stays where it is however much comes', () => {
    const pages = mergeHead(page(120, 21, true), [page(100, 1, false)]);
    const { pages: kept, waiting } = mergeFrozen(pages, headSlice(page(900, 801, true)));
    expect([starts(kept), waiting]).toEqual([down(120, 1), 100]);
  });
});
