import type { Deliveries, Delivery, DeliveryFilter, DeliveryState } from '@tarsy/ui';
import { describe, expect, it } from 'vitest';
import { lastResponse, byTarget, deliveryStatus, deduplicated, readPage, targets } from '../src/fleet/deliveries';

const delivery = (id: string, state: DeliveryState, over: Partial<Delivery> = {}): Delivery => ({
  delivery_id: id,
  state,
  session_id: 's',
  target: 'chat',
  event: 'session.failed',
  attempts: 1,
  created_at_us: 1,
  ...over,
});

/** An API that has these; it remembers what it was asked. */
function api(all: readonly Delivery[]) {
  const asked: string[] = [];
  const read = async ({ state, before, limit = 0 }: DeliveryFilter): Promise<Deliveries> => {
    asked.push(`${state ?? ''} ${before ?? 'first'}`);
    const those = all.filter((one) => one.state === state);
    const from = before == null ? 0 : those.findIndex((one) => one.delivery_id === before) + 1;
    const page = those.slice(from, from + limit);
    return Promise.resolve({
      deliveries: page,
      next: from + limit < those.length ? page.at(-1)?.delivery_id : null,
      counts: { failed: 1, pending: 2 },
    });
  };
  return { asked, read };
}
const many = (state: DeliveryState, number: number): Delivery[] =>
  Array.from({ length: number }, (_, at) => delivery(`${state} ${String(at)}`, state));
const start = { state: 'failed', before: null } as const;

describe('a page of deliveries', () => {
  it('has those that failed first, and is filled with the rest', async () => {
    const { read } = api([...many('delivered', 3), ...many('failed', 1), ...many('pending', 2)]);
    const page = await readPage(read, start, null, null);
    expect(page.deliveries.map((one) => one.state)).toEqual([
      'failed',
      'pending',
      'pending',
      'delivered',
      'delivered',
      'delivered',
    ]);
    expect(page.next).toBeNull();
  });
  it('goes on where it ended, through every state, each delivery once', async () => {
    const { asked, read } = api([...many('failed', 60), ...many('pending', 45), ...many('delivered', 20)]);
    const first = await readPage(read, start, null, null);
    expect(first.next).toEqual({ state: 'failed', before: 'failed 49' });
    const second = await readPage(read, first.next ?? start, null, null);
    const third = await readPage(read, second.next ?? start, null, null);
    expect(asked).toEqual([
      'failed first',
      'failed failed 49',
      'pending first',
      'pending pending 39',
      'delivered first',
    ]);
    expect([first, second, third].map((page) => page.deliveries.length)).toEqual([50, 50, 25]);
    expect(deduplicated([first, second, third])).toHaveLength(125);
    expect(third.next).toBeNull();
  });
  it('of one state asks for no other', async () => {
    const { asked, read } = api(many('failed', 1));
    expect((await readPage(read, { state: 'pending', before: null }, null, 'pending')).deliveries).toEqual([]);
    expect(asked).toEqual(['pending first']);
  });
  it('that was told meanwhile is shown once, as it is now and where it belongs now', () => {
    const pages = [
      { deliveries: [delivery('a', 'failed')], next: null, counts: null },
      { deliveries: [delivery('b', 'delivered'), delivery('a', 'delivered')], next: null, counts: null },
    ];
    expect(deduplicated(pages).map((one) => [one.delivery_id, one.state])).toEqual([
      ['b', 'delivered'],
      ['a', 'delivered'],
    ]);
  });
});

describe('a delivery', () => {
  it('that is told anew does not count its old answer as its own', () => {
    const again = delivery('a', 'pending', { attempts: 0, error: 'HTTP 500', response_status: 500 });
    expect([deliveryStatus(again).label, lastResponse(again)]).toEqual(['queued', 'previously: HTTP 500']);
    expect([deliveryStatus({ ...again, attempts: 2 }).label, lastResponse({ ...again, attempts: 2 })]).toEqual([
      'retrying',
      'HTTP 500',
    ]);
    expect(lastResponse(delivery('a', 'delivered', { response_status: 204 }))).toBe('HTTP 204');
  });
  it('to a target is the newest one: a session that is replayed ends twice', () => {
    const all = [delivery('3', 'delivered'), delivery('2', 'failed', { target: 'ops' }), delivery('1', 'failed')];
    expect(byTarget(all).map((one) => [one.target, one.state])).toEqual([
      ['chat', 'delivered'],
      ['ops', 'failed'],
    ]);
  });
});

describe('the configured targets', () => {
  const of = (...notifications: Record<string, unknown>[]) =>
    targets({ llm_providers: [], notifications })?.map((one) => one.lacks);
  it('say what keeps them from being told', () => {
    expect(
      of(
        { name: 'a', format: 'slack', url: null },
        { name: 'b', format: 'standard', url: '[secret]', secret: null },
        { name: 'c', format: 'slack', url: '[secret]', secret: null },
      ),
    ).toEqual(['URL not set', 'secret not set', null]);
  });
  it('are not known without a configuration, and none with an empty one', () => {
    expect(targets(undefined)).toBeNull();
    expect(of()).toEqual([]);
  });
});
