import { expect, it } from 'vitest';
import { domOrder, scrollToRow, ROW, virtualRows, rowWindow } from '../src/sessions/virtualRows';

it('as many rows exist wherever one stands, none of them beyond the list', () => {
  const all = [0, 3, 500, 9_990].map((top) => rowWindow(top, 20, 10_000));
  expect(all.map((span) => span.number)).toEqual([32, 32, 32, 32]);
  expect(all.map((span) => span.first)).toEqual([0, 0, 494, 9_968]);
  expect(rowWindow(0, 20, 5)).toEqual({ first: 0, number: 5 });
  expect(rowWindow(400, 20, 0)).toEqual({ first: 0, number: 0 });
});

it('rows keep their places in the document while one scrolls, and stand as they are seen once one rests', () => {
  const before = rowWindow(40, 20, 10_000);
  const place = (from: number, at: number): number[] =>
    domOrder(rowWindow(at, 20, 10_000), from).map((index) => index % before.number);
  for (const at of [0, 39, 41, 47, 73, 500, 9_990]) {
    expect(place(before.first, at)).toEqual(place(before.first, 40));
    const span = rowWindow(at, 20, 10_000);
    const seen = Array.from({ length: span.number }, (_, row) => span.first + row);
    expect(domOrder(span, span.first)).toEqual(seen);
    expect(domOrder(span, before.first).toSorted((a, b) => a - b)).toEqual(seen);
  }
  expect(domOrder(rowWindow(0, 20, 0), 7)).toEqual([]);
});

it('after a leap what is in view comes first, and what was there stays until the rest comes', () => {
  const whole = virtualRows({ top: 5_000, fits: 20, leapt: null }, 40, 10_000);
  const inView = (index: number): boolean => index >= 5_000 && index < 5_020;
  const first = virtualRows({ top: 5_000, fits: 20, leapt: 40 }, 40, 10_000);
  const before = virtualRows({ top: 40, fits: 20, leapt: null }, 40, 10_000);
  expect(first.order.filter(inView)).toHaveLength(20);
  first.order.forEach((index, at) => {
    expect(index).toBe(inView(whole.order[at] ?? 0) ? whole.order[at] : before.order[at]);
  });
  const near = virtualRows({ top: 48, fits: 20, leapt: 40 }, 40, 10_000);
  expect(new Set(near.order).size).toBe(near.number);
});

it('a row is brought into view from either side, and left alone where it is seen', () => {
  const list = { scrollTop: 10 * ROW, clientHeight: 5 * ROW + 32 } as HTMLElement;
  const at = (index: number): number => {
    scrollToRow(list, index, 32);
    return list.scrollTop / ROW;
  };
  expect([at(12), at(15), at(11), at(10)]).toEqual([10, 11, 11, 10]);
});
