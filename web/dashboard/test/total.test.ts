import { expect, it } from 'vitest';
import { totalLabel } from '../src/sessions/total';

it('shows a count as it is and never an estimate', () => {
  expect(totalLabel({ number: 1204, exact: true, atLeast: 1204 }, 100)).toBe('1,204');
  expect(totalLabel({ number: 141, exact: false, atLeast: 0 }, 300)).toBe('300+');
  expect(totalLabel({ number: 52_000, exact: false, atLeast: 10_000 }, 100)).toBe('10,000+');
});
