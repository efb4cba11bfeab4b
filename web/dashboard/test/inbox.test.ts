import type { SessionLine, SessionWait } from '@tarsy/ui';
import { describe, expect, it } from 'vitest';
import { sortOut, sumOf } from '../src/inbox/sortOut';
import { visitAt } from '../src/inbox/visits';

const line = (id: string, over: Partial<SessionLine> = {}): SessionLine =>
  ({ session_id: id, started_at_us: 1, completed_at_us: null, ...over }) as SessionLine;
const waits = (reason: SessionWait['reason']): Partial<SessionLine> => ({ waiting: { reason } as SessionWait });
const ids = (rows: readonly SessionLine[]): string[] => rows.map(({ session_id: id }) => id);

describe('the inbox', () => {
  it('shows each session once: what needs a person, what runs, what is done since the last visit', () => {
    const failed = line('failed', { started_at_us: 10, completed_at_us: 9_000_000 });
    const critical = line('critical', { started_at_us: 20, completed_at_us: 8_000_000 });
    const inbox = sortOut(
      {
        failed: [failed],
        critical: [critical],
        running: [
          line('asks', waits('approval')),
          line('runs'),
          line('queued', waits('queued')),
          line('stuck', waits('no_worker')),
        ],
        ended: [
          failed,
          critical,
          line('new', { completed_at_us: 6_000_000 }),
          line('old', { completed_at_us: 4_000_000 }),
        ],
      },
      5000,
    );
    expect(ids(inbox.unread)).toEqual(['critical', 'failed']);
    expect(ids(inbox.running), 'the stuck one first; an approval stands above').toEqual(['stuck', 'runs', 'queued']);
    expect(ids(inbox.done)).toEqual(['new']);
  });
});

describe('the number of a part', () => {
  const list = (total_items: number, total_is_exact = true) => ({
    total_items,
    total_is_exact,
    total_at_least: total_is_exact ? total_items : 10_000,
  });
  it('is that of all lists together, and a lower bound where one was not counted to its end', () => {
    expect(sumOf([list(3), undefined, list(4)])).toEqual({ number: 7, atLeast: 7, exact: true });
    expect(sumOf([list(3), list(11_000, false)])).toEqual({ number: 11_003, atLeast: 10_003, exact: false });
  });
});

describe('a visit', () => {
  const HOUR = 3_600_000;
  const stored = (since: number, left: number): string => JSON.stringify({ since, left });
  it('looks back to when the page was left', () => {
    expect(visitAt(stored(1 * HOUR, 5 * HOUR), 9 * HOUR)).toEqual({ since: 5 * HOUR, left: 9 * HOUR });
  });
  it('goes on after a reload, or a look at a session', () => {
    expect(visitAt(stored(1 * HOUR, 5 * HOUR), 5 * HOUR + 60_000).since).toBe(1 * HOUR);
  });
  it('is the first one where nothing readable is stored', () => {
    for (const text of [null, '', '{', '7', '{"since":"x"}']) expect(visitAt(text, 30 * HOUR).since).toBe(6 * HOUR);
  });
});
