import { expect, it } from 'vitest';
import { reveal, ROW, spanOf } from '../src/sessions/span';

it('as many rows exist wherever one stands, none of them beyond the list', () => {
  const all = [0, 3, 500, 9_990].map((top) => spanOf(top, 20, 10_000));
  expect(all.map((span) => span.number)).toEqual([32, 32, 32, 32]);
  expect(all.map((span) => span.first)).toEqual([0, 0, 494, 9_968]);
  expect(spanOf(0, 20, 5)).toEqual({ first: 0, number: 5 });
  expect(spanOf(400, 20, 0)).toEqual({ first: 0, number: 0 });
});

it('a row is brought into view from either side, and left alone where it is seen', () => {
  const list = { scrollTop: 10 * ROW, clientHeight: 5 * ROW + 32 } as HTMLElement;
  const at = (index: number): number => { reveal(list, index, 32); return list.scrollTop / ROW; };
  expect([at(12), at(15), at(11), at(10)]).toEqual([10, 11, 11, 10]);
});
