import type { SessionLine } from '@tarsy/ui';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { allLines, csvCell, each, MOST_LINES, toCsv } from '../src/sessions/bulk';
import { marks, triageLabels, matchesDetailsOnly } from '../src/sessions/columns';
import {
  byNumber,
  isFiltered,
  NEWEST,
  nextSorting,
  readFilters,
  startOf,
  toListQuery,
  toQuery,
  writeFilters,
} from '../src/sessions/filters';
import { filterFor } from '../src/sessions/BulkConfirmDialog';
import { parseViews, withView } from '../src/sessions/views';
import { viewOf } from '../src/sessions/Toolbar';
import { ApiError } from '@tarsy/ui';

const row = (id: string, over: Partial<SessionLine> = {}): SessionLine => ({
  session_id: id,
  alert_id: id,
  alert_type: 't',
  agent_type: 'chain:c',
  status: 'completed',
  outcome: 'completed',
  severity: 'warning',
  source: 'api',
  duplicate_count: 0,
  started_at_us: 1,
  chain_id: 'c',
  total_stages: 3,
  completed_stages: 3,
  failed_stages: 0,
  llm_interaction_count: 1,
  mcp_communication_count: 1,
  total_interactions: 2,
  ...over,
});

describe('filters', () => {
  it('come out of the address as they went in', () => {
    const filters = readFilters(
      new URLSearchParams(
        'status=failed&status=cancelled&severity=critical&alert_type=t&chain=c&agent=KubernetesAgent&cluster=eu-1&cluster=us-2&acknowledged=false&search=oom%20kill&range=custom&from=5&to=9',
      ),
    );
    expect(readFilters(writeFilters(filters))).toEqual(filters);
    expect(toQuery(filters, startOf(filters, 0))).toMatchObject({
      status: ['failed', 'cancelled'],
      alert_type: ['t'],
      chain_id: ['c'],
      agent: ['KubernetesAgent'],
      cluster: ['eu-1', 'us-2'],
      start_date_us: 5,
      end_date_us: 9,
      search: 'oom kill',
    });
  });
  it('are not misled by nonsense', () => {
    const filters = readFilters(new URLSearchParams('range=soon&from=x'));
    expect(filters).toMatchObject({ range: 'all', fromUs: null });
    expect(isFiltered(filters)).toBe(false);
  });
  it('do not send a search that the API would refuse', () => {
    expect(toQuery(readFilters(new URLSearchParams('search=ab')), null).search).toBeNull();
  });
  it('keep a span the same for a minute', () => {
    const filters = readFilters(new URLSearchParams('range=1h'));
    expect(startOf(filters, 7_200_001)).toBe(startOf(filters, 7_259_999));
    expect(startOf(filters, 7_200_000)).toBe(3_600_000_000);
  });
});

describe('ranges of the calendar', () => {
  const spanOf = (range: string, now: string, zone: 'utc' | 'local') => {
    const filters = readFilters(new URLSearchParams(`range=${range}`));
    const query = toQuery(filters, startOf(filters, Date.parse(now), zone), zone);
    const time = (us: unknown) => (typeof us === 'number' ? new Date(us / 1000).toISOString() : null);
    return [time(query.start_date_us), time(query.end_date_us)];
  };
  it('are days and weeks of the zone that is shown', () => {
    const now = '2026-11-25T01:30:00Z';
    expect(spanOf('today', now, 'utc')).toEqual(['2026-11-25T00:00:00.000Z', null]);
    expect(spanOf('yesterday', now, 'utc')).toEqual(['2026-11-24T00:00:00.000Z', '2026-11-25T00:00:00.000Z']);
    expect(spanOf('week', now, 'utc')).toEqual(['2026-11-23T00:00:00.000Z', null]);
    // In St. John's it is still the day before, and half an hour off.
    expect(spanOf('today', now, 'local')).toEqual(['2026-11-24T03:30:00.000Z', null]);
    expect(spanOf('yesterday', now, 'local')).toEqual(['2026-11-23T03:30:00.000Z', '2026-11-24T03:30:00.000Z']);
  });
  it('know last night and the shift: from 20:00 to 08:00, and since the last of these hours', () => {
    const night = ['2026-11-24T20:00:00.000Z', '2026-11-25T08:00:00.000Z'];
    for (const now of ['2026-11-25T01:30:00Z', '2026-11-25T07:12:00Z', '2026-11-25T21:00:00Z'])
      expect(spanOf('night', now, 'utc')).toEqual(night);
    expect(spanOf('shift', '2026-11-25T07:59:00Z', 'utc')).toEqual(['2026-11-24T20:00:00.000Z', null]);
    expect(spanOf('shift', '2026-11-25T08:00:00Z', 'utc')).toEqual(['2026-11-25T08:00:00.000Z', null]);
    expect(spanOf('shift', '2026-11-25T23:00:00Z', 'utc')).toEqual(['2026-11-25T20:00:00.000Z', null]);
    // The clock is put forward in that night, so it has 11 hours.
    expect(spanOf('night', '2026-03-08T15:00:00Z', 'local')).toEqual([
      '2026-03-07T23:30:00.000Z',
      '2026-03-08T10:30:00.000Z',
    ]);
  });
  it('know days of 23 hours', () => {
    expect(spanOf('yesterday', '2026-03-09T12:00:00Z', 'local')).toEqual([
      '2026-03-08T03:30:00.000Z',
      '2026-03-09T02:30:00.000Z',
    ]);
  });
});

describe('the stage bar', () => {
  const bar = (...states: [string, NonNullable<SessionLine['stage_states']>[number]['status']][]) =>
    marks(row('a', { stage_states: states.map(([name, status]) => ({ name, status })) })).map(
      ({ name, status }) => `${name} ${status}`,
    );
  it('draws each stage as it is, in the order of the chain', () => {
    expect(
      bar(
        ['collect', 'completed'],
        ['correlate', 'failed'],
        ['deep', 'skipped'],
        ['gate', 'waiting'],
        ['report', 'not_started'],
      ),
    ).toEqual(['collect completed', 'correlate failed', 'deep skipped', 'gate waiting', 'report not started']);
  });
  it('draws none from an API that does not send them', () => {
    expect(marks(row('a'))).toEqual([]);
  });
});

describe('views', () => {
  const of = (query: string): string | null => viewOf(readFilters(new URLSearchParams(query)));
  it('are known by all that they set', () => {
    expect([
      of(''),
      of('status=failed'),
      of('status=failed&status=completed&acknowledged=false'),
      of('status=failed&status=completed&reviewed=false'),
    ]).toEqual(['all', 'failed', 'unacknowledged', 'unreviewed']);
    expect([of('acknowledged=false'), of('status=failed&acknowledged=false')]).toEqual([null, null]);
    const mine = (query: string): string | null => viewOf(readFilters(new URLSearchParams(query)), 'ada');
    expect([mine('assignee=ada'), mine('assignee=grace'), mine('assignee=ada&status=failed')]).toEqual([
      'mine',
      'all',
      'failed',
    ]);
  });
});

describe('bulk', () => {
  it('goes on after one refusal, and stops where the API knows no such action', async () => {
    const outcome = await each(
      ['a', 'b', 'c'],
      async (id) =>
        id === 'b' ? Promise.reject(new ApiError('invalid', 409, { detail: 'ended' })) : Promise.resolve(),
      () => undefined,
    );
    expect(outcome).toEqual({ done: 2, failed: [{ id: 'b', why: 'ended' }] });
    await expect(
      each(
        ['a'],
        async () => Promise.reject(new ApiError('absent', 404, {})),
        () => undefined,
      ),
    ).rejects.toThrow();
  });
  it('writes cells that are no formulas', () => {
    expect([csvCell('=1+1'), csvCell('a,"b"'), csvCell(-5), csvCell(null)]).toEqual(["'=1+1", '"a,""b"""', '-5', '']);
    expect(toCsv([row('x', { error_message: '@cmd' })])).toContain("'@cmd");
  });
});

describe('saved views', () => {
  it('are read leniently and replaced by name', () => {
    expect(parseViews('nonsense')).toEqual([]);
    expect(parseViews('[{"name":"a","address":"status=failed"},{"name":3},null]')).toEqual([
      { name: 'a', address: 'status=failed' },
    ]);
    expect(
      withView(
        [
          { name: 'a', address: 'x' },
          { name: 'b', address: 'y' },
        ],
        { name: 'a', address: 'z' },
      ),
    ).toEqual([
      { name: 'b', address: 'y' },
      { name: 'a', address: 'z' },
    ]);
  });
});

describe('the filter of an action on all matching sessions', () => {
  it('is narrowed to sessions that the action is for, and never empty', () => {
    expect(filterFor('cancel', { alert_type: 'x', status: [] }).status).toEqual(['pending', 'in_progress']);
    expect(filterFor('replay', { status: ['failed', 'pending'] }).status).toEqual(['failed']);
    expect(filterFor('cancel', { status: ['failed'] }).status).toEqual(['failed']);
  });
});

it('facets show what was counted first, known or not', () => {
  expect(byNumber(['a', 'b', 'c'], { c: 2, new: 5 })).toEqual(['new', 'c', 'a', 'b']);
});

describe('what was searched for', () => {
  it('is told to stand inside where a line does not show it', () => {
    const session = row('a', { alert_type: 'PodCrashLooping', target: 'prod / shop', headline: 'The disk was full' });
    expect(['crashloop', 'SHOP', 'disk', 'OOMKilled', ''].map((needle) => matchesDetailsOnly(session, needle))).toEqual(
      [false, false, false, true, false],
    );
  });
});

describe('the list as a file', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });
  const serve = (pages: number) => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (address: string) => {
      asked.push(address);
      const page = Number(new URL(address, 'http://a').searchParams.get('cursor') ?? '0');
      const body = {
        sessions: Array.from({ length: 100 }, (_, at) => row(`${String(page)}-${String(at)}`)),
        pagination: { next_cursor: page + 1 < pages ? String(page + 1) : null },
      };
      return Promise.resolve(Response.json(body));
    });
    return asked;
  };
  it('holds every session that matches, page by page, with the filters', async () => {
    const asked = serve(3);
    const { rows, whole } = await allLines({ severity: 'critical' }, () => undefined);
    expect([rows.length, new Set(rows.map((one) => one.session_id)).size, whole]).toEqual([300, 300, true]);
    expect(asked.every((address) => address.includes('severity=critical'))).toBe(true);
  });
  it('says when it ends before the last of them', async () => {
    serve(1000);
    expect(await allLines({}, () => undefined)).toMatchObject({ rows: { length: MOST_LINES }, whole: false });
  });
});

it('a line tells what people said of its session', () => {
  expect(triageLabels(row('a'))).toEqual([]);
  expect(triageLabels(row('a', { acknowledged_at_us: 1, assignee: 'Ada', rating: 'partly_right' }))).toEqual([
    'acknowledged',
    'assigned to Ada',
    'partly correct',
  ]);
});

describe('sorting', () => {
  const of = (query: string) => readFilters(new URLSearchParams(query));
  it('stands in the address, except for the newest first', () => {
    expect(writeFilters(of('sort=cost')).toString()).toBe('sort=cost');
    expect(writeFilters(of('sort=started&order=asc')).toString()).toBe('sort=started&order=asc');
    expect(writeFilters(of('sort=started&order=desc')).toString()).toBe('');
    expect(of('sort=name').sort).toEqual(NEWEST);
  });
  it('is no filter: what is counted and acted on is the same in any order', () => {
    expect(isFiltered(of('sort=cost'))).toBe(false);
    const query = toQuery(of('sort=cost&severity=high'), null);
    expect(query.sort_by).toBeUndefined();
    expect(toListQuery(query, of('sort=cost').sort)).toMatchObject({
      severity: ['high'],
      sort_by: 'cost_usd',
      sort_order: 'desc',
    });
    expect(toListQuery(query, NEWEST)).toBe(query);
  });
  it('goes from the largest to the smallest first to the default', () => {
    const first = nextSorting(NEWEST, 'cost');
    const second = nextSorting(first, 'cost');
    expect([first, second, nextSorting(second, 'cost')]).toEqual([
      { by: 'cost', ascending: false },
      { by: 'cost', ascending: true },
      NEWEST,
    ]);
    expect(nextSorting(NEWEST, 'started')).toEqual({ by: 'started', ascending: true });
  });
});
