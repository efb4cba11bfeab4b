/** Session filters and their URL form. */
import type { Prefs, Query } from '@tarsy/ui';
import { rangeEnd, RANGES, rangeStart, type Range } from './range';

/** Text filters: name here, in the URL and in the API, and label. */
export const EQUAL = [
  ['progress', 'progress', 'progress', 'status'],
  ['outcome', 'outcome', 'outcome', 'outcome'],
  ['verdict', 'verdict', 'verdict', 'verdict'],
  ['label', 'label', 'label', 'label'],
  ['severity', 'severity', 'severity', 'severity'],
  ['alertType', 'alert_type', 'alert_type', 'type'],
  ['chain', 'chain', 'chain_id', 'chain'],
  ['agent', 'agent', 'agent', 'agent'],
  ['source', 'source', 'source', 'source'],
  ['environment', 'environment', 'environment', 'environment'],
  ['cluster', 'cluster', 'cluster', 'cluster'],
  ['namespace', 'namespace', 'namespace', 'namespace'],
  ['assignee', 'assignee', 'assignee', 'assignee'],
  ['rating', 'rating', 'rating', 'rating'],
  ['incident', 'incident', 'incident', 'incident'],
] as const;

/** Boolean filters: name, and the labels of true and false. */
export const FLAGS = [
  ['acknowledged', 'acknowledged', 'unacknowledged'],
  ['reviewed', 'reviewed', 'not reviewed'],
] as const;

/** Sort orders of a list: name in the URL, name in the API, label. The default is newest first. */
export const SORTS = [
  ['started', 'started_at_us', 'Started'],
  ['ended', 'completed_at_us', 'Ended'],
  ['duration', 'duration_ms', 'Duration'],
  ['severity', 'severity', 'Severity'],
  ['cost', 'cost_usd', 'Cost'],
] as const;
export type SortName = (typeof SORTS)[number][0];
export interface Sorting {
  by: SortName;
  ascending: boolean;
}
export const NEWEST: Sorting = { by: 'started', ascending: false };

/** Whether a list has the default order, newest first. */
export const isNewest = ({ by, ascending }: Sorting): boolean => by === NEWEST.by && !ascending;

/** Parses the sort order of a URL: `sort=cost`, and `order=asc` for the smallest first. */
function readSorting(params: URLSearchParams): Sorting {
  const by = SORTS.find(([name]) => name === params.get('sort'))?.[0];
  return by === undefined ? NEWEST : { by, ascending: params.get('order') === 'asc' };
}

/** Sort order after a press on a column: largest first, then smallest first, then the default. */
export const nextSorting = (now: Sorting, by: SortName): Sorting =>
  now.by !== by ? { by, ascending: false } : now.ascending ? NEWEST : { by, ascending: true };

/** Filters of the list. Several values of a filter are alternatives; no value matches every session. */
export type Filters = Record<(typeof EQUAL)[number][0], string[]> &
  Record<(typeof FLAGS)[number][0], boolean | null> & {
    status: string[];
    search: string;
    /** Time range before now, or `custom` with `fromUs` and `toUs`. */
    range: Range;
    fromUs: number | null;
    toUs: number | null;
    sort: Sorting;
  };

const yesOrNo = (word: string | null): boolean | null => (word === 'true' ? true : word === 'false' ? false : null);
const isRange = (word: string | null): word is Range => RANGES.some(([known]) => known === word);
const micros = (text: string | null): number | null => (text !== null && /^\d{1,16}$/.test(text) ? Number(text) : null);

/** Parses the filters of a URL; invalid values are ignored. */
export function readFilters(params: URLSearchParams): Filters {
  const range = params.get('range');
  return {
    status: params.getAll('status'),
    ...(Object.fromEntries(
      EQUAL.map(([key, name]) => [key, params.getAll(name).filter((value) => value !== '')]),
    ) as unknown as Pick<Filters, (typeof EQUAL)[number][0]>),
    ...(Object.fromEntries(FLAGS.map(([name]) => [name, yesOrNo(params.get(name))])) as unknown as Pick<
      Filters,
      (typeof FLAGS)[number][0]
    >),
    search: params.get('search') ?? '',
    range: isRange(range) ? range : 'all',
    fromUs: micros(params.get('from')),
    toUs: micros(params.get('to')),
    sort: readSorting(params),
  };
}

/** Query string of the filters; defaults are left out. */
export function writeFilters(filters: Filters): URLSearchParams {
  const params = new URLSearchParams();
  filters.status.forEach((status) => {
    params.append('status', status);
  });
  for (const [key, name] of EQUAL) for (const value of filters[key]) params.append(name, value);
  if (filters.search !== '') params.set('search', filters.search);
  for (const [name] of FLAGS) if (filters[name] !== null) params.set(name, String(filters[name]));
  if (filters.range !== 'all') params.set('range', filters.range);
  if (filters.range === 'custom') {
    if (filters.fromUs !== null) params.set('from', String(filters.fromUs));
    if (filters.toUs !== null) params.set('to', String(filters.toUs));
  }
  if (!isNewest(filters.sort)) params.set('sort', filters.sort.by);
  if (filters.sort.ascending) params.set('order', 'asc');
  return params;
}

/** Start of the time range; null: open. */
export function startOf(filters: Filters, nowMs: number, zone: Prefs['zone'] = 'local'): number | null {
  if (filters.range === 'custom') return filters.fromUs;
  const startMs = rangeStart(filters.range, nowMs, zone);
  return startMs === null ? null : startMs * 1000;
}

/** End of the time range; null: open. */
function endOf(filters: Filters, startUs: number | null, zone: Prefs['zone']): number | null {
  if (filters.range === 'custom') return filters.toUs;
  const endMs = rangeEnd(filters.range, startUs === null ? null : startUs / 1000, zone);
  return endMs === null ? null : endMs * 1000;
}

/** Adds the sort order to the query of the list. Counts and bulk actions omit it, as they do not depend on it. */
export function toListQuery(query: Query, sort: Sorting): Query {
  return isNewest(sort)
    ? query
    : { ...query, sort_by: SORTS.find(([name]) => name === sort.by)?.[1], sort_order: sort.ascending ? 'asc' : 'desc' };
}

/** API query of the filters. A search of fewer than 3 characters is not sent. */
export function toQuery(filters: Filters, startUs: number | null, zone: Prefs['zone'] = 'local'): Query {
  return {
    status: filters.status,
    ...Object.fromEntries(EQUAL.map(([key, , name]) => [name, filters[key]])),
    ...Object.fromEntries(FLAGS.map(([name]) => [name, filters[name] === null ? null : String(filters[name])])),
    search: filters.search.trim().length >= 3 ? filters.search.trim() : null,
    start_date_us: startUs,
    end_date_us: endOf(filters, startUs, zone),
  };
}

/** Whether any filter is set. */
export const isFiltered = (filters: Filters): boolean => writeFilters({ ...filters, sort: NEWEST }).size > 0;

/** Returns all known or counted values, the most frequent first, then by name. */
export function byNumber(known: readonly string[], numbers: Readonly<Record<string, number>>): string[] {
  return [...new Set([...known, ...Object.keys(numbers)])].sort(
    (a, b) => (numbers[b] ?? 0) - (numbers[a] ?? 0) || a.localeCompare(b),
  );
}
