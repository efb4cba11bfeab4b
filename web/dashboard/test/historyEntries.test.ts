import { expect, it } from 'vitest';
import { alertHistory, unlistedDuplicates } from '../src/session/alert/historyEntries';

const session = {
  started_at_us: 100,
  alert_timestamp_us: 90,
  resolved_at_us: null as number | null,
  severity: 'critical',
  source: 'alertmanager',
  author: 'cluster-a',
};
const again = (number: number, at: number) => ({
  number,
  received_at_us: at,
  alert_timestamp_us: 90,
  severity: 'warning',
  source: 'alertmanager',
  author: 'cluster-b',
  status: 'firing',
});

it('the session’s own alert, those that came again and the news that it is over stand in the order they came', () => {
  const list = alertHistory({ ...session, resolved_at_us: 250 }, [again(2, 300), again(1, 200)]);
  expect(list.map(({ number, status, atUs }) => [number, status, atUs])).toEqual([
    [2, 'firing', 300],
    [null, 'resolved', 250],
    [1, 'firing', 200],
    [0, 'firing', 100],
  ]);
  expect(alertHistory(session, []).map(({ number, severity }) => [number, severity])).toEqual([[0, 'critical']]);
});

it('an alert that was posted has no state', () => {
  expect(
    alertHistory({ ...session, source: 'api' }, [{ ...again(1, 200), source: 'api', status: null }]).map(
      ({ status }) => status,
    ),
  ).toEqual([null, null]);
});

it('what is not kept is told as a number', () => {
  expect(unlistedDuplicates({ duplicate_count: 179, duplicates: [again(179, 1)] })).toBe(178);
  expect(unlistedDuplicates({ duplicate_count: 1, duplicates: [again(1, 1)] })).toBe(0);
});
