import type { SessionLine } from '@tarsy/ui';
import { expect, it } from 'vitest';
import { saveListPosition, listAddress, adjacentSession, listPosition } from '../src/sessions/listPosition';

it('the way back leads to the list as it was left, and to no other', () => {
  saveListPosition({
    search: '?status=failed',
    current: 'b',
    top: 520,
    rows: ['a', 'b', 'c'].map((id) => ({ session_id: id }) as SessionLine),
  });
  expect(listAddress()).toBe('/sessions?status=failed');
  expect(listPosition('?status=failed')).toMatchObject({ current: 'b', top: 520 });
  expect(listPosition('')).toEqual({ current: null, top: 0 });
  expect([
    adjacentSession('b', 1),
    adjacentSession('b', -1),
    adjacentSession('c', 1),
    adjacentSession('elsewhere', 1),
  ]).toEqual(['c', 'a', null, null]);
});

it('the way back from a session of the inbox leads to the inbox, and not to another place in the list', () => {
  saveListPosition({ path: '/sessions', search: '?status=failed', current: 'b', top: 520, rows: [] });
  saveListPosition({ path: '/inbox', rows: ['x', 'y'].map((id) => ({ session_id: id }) as SessionLine) });
  expect(listAddress()).toBe('/inbox');
  expect(adjacentSession('x', 1)).toBe('y');
  expect(listPosition('?status=failed')).toMatchObject({ current: 'b', top: 520 });
  saveListPosition({ path: '/sessions' });
});
