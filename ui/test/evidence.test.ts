import { expect, it } from 'vitest';
import type { McpInteraction } from '../src/api/types';
import { codeSpans, containsWord, evidenceLinks } from '../src/session/evidence';

const told = (id: string, result: unknown): McpInteraction => ({
  id, type: 'mcp', timestamp_us: 1, duration_ms: 1, step_description: '', success: true,
  details: { communication_type: 'tool_call', server_name: 's', tool_name: 't', parameters: { name: 'only-asked' }, result },
}) as unknown as McpInteraction;

it('takes what stands as code in prose, each once, and no commands', () => {
  const text = 'The `db-0` of `` a`b `` and `db-0`, not `x`:\n\n```\nkubectl get `pods`\n```\n~~~sh\n`rm`-all\n~~~\nthen `last`.\n```\nopen to `the end`';
  expect(codeSpans(text)).toEqual(['db-0', 'a`b', 'last']);
});

it('sees a name in what tools answered, in any case, and not in what they were asked', () => {
  const record = [told('a', 'nothing'), told('b', { pod: 'DB-0' }), told('c', '\u001b[1mdb-\u001b[0m0 is full')];
  expect([...evidenceLinks(['db-0', 'only-asked'], record)]).toEqual([['db-0', { times: 2, event: 'b' }], ['only-asked', null]]);
});

it('sees whole words only', () => {
  expect(containsWord('pod db-01 and xdb-0', 'db-0')).toBe(false);
  expect(containsWord('db-01, then db-0.', 'db-0')).toBe(true);
  expect(containsWord('the queue', 'eu')).toBe(false);
  expect(containsWord('{"a":"/var/log"}', '/var/log')).toBe(true);
  expect(containsWord('größe', 'gr')).toBe(false);
});
