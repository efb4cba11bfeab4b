import { expect, it } from 'vitest';
import { totalLabel } from '../src/sessions/total';

it('shows a count as it is and never an estimate', () => {
  expect(totalLabel({ number: 1204, exact: true }, 100)).toBe('1,204');
  expect(totalLabel({ number: 141, exact: false }, 300)).toBe('300+');
});
