import { describe, expect, it } from 'vitest';
import { groupReason, redeliverAll } from '../src/fleet/deliveryGroups';
import { fleetTabTo, readFleetTab } from '../src/fleet/tabs';

describe('a group of notifications', () => {
  it('says why, also where nothing was answered or tried', () => {
    expect(groupReason({ error: 'answered 410', response_status: 410 })).toBe('HTTP 410');
    expect(groupReason({ error: null, response_status: 500 })).toBe('HTTP 500');
    expect(groupReason({ error: null, response_status: null })).toBe('not attempted yet');
  });
  it('is redelivered part by part until nothing is left', async () => {
    const parts = [
      { affected: 500, has_more: true },
      { affected: 500, has_more: true },
      { affected: 3, has_more: false },
    ];
    const seen: number[] = [];
    expect(
      await redeliverAll(
        async () => Promise.resolve(parts.shift() ?? { affected: 0, has_more: true }),
        (done) => {
          seen.push(done);
        },
      ),
    ).toBe(1003);
    expect(seen).toEqual([500, 1000, 1003]);
  });
  it('is given up when a part does nothing', async () => {
    expect(
      await redeliverAll(
        async () => Promise.resolve({ affected: 0, has_more: true }),
        () => undefined,
      ),
    ).toBe(0);
  });
});

describe('a tab of Fleet', () => {
  const at = (hash: string, search = '') => readFleetTab(hash, new URLSearchParams(search));
  it('is named by the hash, else by filters of the log', () => {
    expect([at(''), at('#dead'), at('#notifications'), at('#audit'), at('#nothing')]).toEqual([
      'overview',
      'dead',
      'notifications',
      'audit',
      'overview',
    ]);
    expect([at('', 'actor=ada'), at('#dead', 'actor=ada')]).toEqual(['audit', 'dead']);
  });
  it('has an address', () => {
    expect(fleetTabTo('overview')).toEqual({ hash: '', search: '' });
    expect(fleetTabTo('dead').hash).toBe('dead');
  });
});
