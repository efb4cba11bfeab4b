import { describe, expect, it } from 'vitest';
import { pageOf } from '../src/app/pageModules';

describe('pageOf', () => {
  it.each([
    ['/dashboard/sessions', 'sessions'],
    ['/dashboard/', 'inbox'],
    ['/dashboard/inbox', 'inbox'],
    ['/dashboard/setup', 'setup'],
    ['/dashboard/sessions/01a21b63-01cc-723d-88c5-a31c41841b70', 'session'],
    ['/dashboard/fleet', 'fleet'],
    ['/dashboard/ask', 'ask'],
    ['/dashboard/ask/01a21b63-01cc-723d-88c5-a31c41841b70', 'ask'],
    ['/dashboard/keys', 'keys'],
  ])('%s is the page %s', (path, page) => {
    expect(pageOf(path)).toBe(page);
  });
});
