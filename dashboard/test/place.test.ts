import type { SessionLine } from '@tarsy/ui';
import { expect, it } from 'vitest';
import { keepPlace, listAddress, neighbour, placeIn } from '../src/sessions/place';

it('the way back leads to the list as it was left, and to no other', () => {
  keepPlace({ search: '?status=failed', current: 'b', top: 520, rows: ['a', 'b', 'c'].map((id) => ({ session_id: id }) as SessionLine) });
  expect(listAddress()).toBe('/sessions?status=failed');
  expect(placeIn('?status=failed')).toMatchObject({ current: 'b', top: 520 });
  expect(placeIn('')).toEqual({ current: null, top: 0 });
  expect([neighbour('b', 1), neighbour('b', -1), neighbour('c', 1), neighbour('elsewhere', 1)]).toEqual(['c', 'a', null, null]);
});
