import { expect, test } from 'vitest';
import { prefixOf } from '../src/api/prefix';

test.each([
  ['https://host/dashboard/assets/entry-1.js', ''],
  ['https://host/tarsy/dashboard/assets/entry-1.js', '/tarsy'],
  ['https://host/a/b%20c/dashboard/assets/entry-1.js?x=1', '/a/b%20c'],
  ['https://host/dashboard/dashboard/assets/entry-1.js', '/dashboard'],
  ['https://host/dashboard/assets/dashboard/assets/entry-1.js', '/dashboard/assets'],
  ['http://localhost:5173/dashboard/@fs/repo/ui/src/api/prefix.ts', ''],
  ['file:///repo/ui/src/api/prefix.ts', ''],
])('the prefix of %s is %s', (own, prefix) => {
  expect(prefixOf(own, '/dashboard/')).toBe(prefix);
});
