import { describe, expect, it } from 'vitest';
import type { NearChange } from '../src/api/types';
import { changeAge, isPage, shareOf } from '../src/session/changes';

const ALERT = 1_700_000_000_000_000;

const change = (minutes: number): NearChange => ({
  change_id: '',
  happened_at_us: ALERT + minutes * 60_000_000,
  source: 'github',
  external_id: '',
  kind: 'push',
  title: '',
});

describe('changes near an alert', () => {
  it('tells their age relative to the alert', () => {
    const ages = [-0.5, -12, -190, 30].map((minutes) => changeAge(change(minutes), ALERT));
    expect(ages).toEqual([
      'at the time of the alert',
      '12 min before the alert',
      '3\u00a0h\u00a010\u00a0min before the alert',
      '30 min after the alert',
    ]);
  });

  it('follows pages alone', () => {
    expect(['https://a.example', 'http://a.example', 'javascript:alert(1)', 'HTTPS//x', '', null].map(isPage)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('stand on the axis, or on one side of it', () => {
    expect([5, 10, 15, 20, 21].map((us) => shareOf(us, 10, 10))).toEqual(['before', 0, 0.5, 1, 'after']);
  });
});
