import { QueryClient } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Interaction, SessionDetail } from '../src/api/types';
import {
  mergeRecords,
  recordOf,
  sessionQuery,
  completedPrefix,
  withRecord,
  type ReadSession,
} from '../src/session/record';

const call = (id: string, stage: string, success: boolean | null = true): Interaction =>
  ({ id, stage_execution_id: stage, success, type: 'mcp' }) as Interaction;
const frame = (...stages: [string, number][]): SessionDetail =>
  ({
    session_id: 's',
    stages: stages.map(([execution, created]) => ({
      execution_id: execution,
      created_at_us: created,
      stage_index: 0,
      chronological_interactions: [],
    })),
  }) as unknown as SessionDetail;
const ids = (record: readonly Interaction[]): string => record.map(({ id }) => id).join('');

describe('a record', () => {
  it('goes to its stages and comes back in order, attempts as they were made', () => {
    const session = withRecord(
      frame(['late', 9], ['early', 1]),
      [call('a', 'early'), call('b', 'early'), call('c', 'late'), call('x', 'unknown')],
      true,
    );
    expect(session.stages.map((stage) => ids(stage.chronological_interactions))).toEqual(['c', 'ab']);
    expect(ids(recordOf(session))).toBe('abc');
    expect(recordOf(undefined)).toEqual([]);
  });
  it('is settled before the first call that has not ended', () => {
    expect(ids(completedPrefix([call('a', 's'), call('b', 's', null), call('c', 's')]))).toBe('a');
    expect(ids(completedPrefix([call('a', 's'), call('b', 's', false)]))).toBe('ab');
  });
  it('keeps what is known behind what was read anew', () => {
    expect(ids(mergeRecords([call('a', 's'), call('b', 's')], [call('b', 's'), call('c', 's')]))).toBe('abc');
  });
});

describe('reading a session', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });
  const asked: string[] = [];
  let isWide = true;
  afterEach(() => {
    isWide = true;
  });
  /** An API with these parts, one after the other. */
  const serve = (parts: Interaction[][]): void => {
    asked.length = 0;
    vi.stubGlobal('sessionStorage', { getItem: () => null });
    vi.stubGlobal('matchMedia', () => ({ matches: isWide }));
    vi.stubGlobal('fetch', async (path: string) => {
      asked.push(path);
      const body = path.includes('/interactions?')
        ? { interactions: parts.shift() ?? [], more: parts.length > 0 }
        : frame(['s', 1]);
      return Promise.resolve(new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } }));
    });
  };
  it('reads all parts, and then only what may have changed', async () => {
    const queries = new QueryClient();
    const read = async (): Promise<ReadSession> => queries.query(sessionQuery(queries, 's'));
    serve([[call('a', 's')], [call('b', 's'), call('c', 's', null)]]);
    const first = await read();
    expect([ids(recordOf(first)), first.whole]).toEqual(['abc', true]);
    expect(
      asked
        .filter((path) => path.includes('interactions?'))
        .map((path) => new URL(path, 'http://x').searchParams.get('after')),
    ).toEqual([null, 'a']);

    serve([[call('c', 's'), call('d', 's')]]);
    const second = await read();
    expect(ids(recordOf(second))).toBe('abcd');
    expect(recordOf(second)[2]?.success).toBe(true);
    expect(
      new URL(asked.find((path) => path.includes('interactions?')) ?? '', 'http://x').searchParams.get('after'),
    ).toBe('b');
    expect(recordOf(second)[0], 'what was kept is the same object').toBe(recordOf(first)[0]);
  });

  it('asks for a record that is out of view when the session is shown, and at once where it is in view', async () => {
    /** What was asked for when the session itself was first there. */
    const askedBefore = async (): Promise<number> => {
      const queries = new QueryClient();
      serve([[call('a', 's')]]);
      let before = -1;
      queries.getQueryCache().subscribe(({ query }) => {
        if (before === -1 && query.state.data !== undefined) before = asked.length;
      });
      const read = await queries.query(sessionQuery(queries, 's'));
      expect([ids(recordOf(read)), read.whole]).toEqual(['a', true]);
      return before;
    };
    expect(await askedBefore()).toBe(2);
    isWide = false;
    expect(await askedBefore()).toBe(1);
    history.replaceState(null, '', '?event=a');
    expect(await askedBefore()).toBe(2);
    history.replaceState(null, '', location.pathname);
  });
});
