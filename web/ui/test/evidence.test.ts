import { expect, it } from 'vitest';
import type { McpInteraction } from '../src/api/types';
import { codeSpans, containsWord, evidenceLinks } from '../src/session/evidence';

const told = (id: string, result: unknown): McpInteraction =>
  ({
    id,
    type: 'mcp',
    timestamp_us: 1,
    duration_ms: 1,
    step_description: '',
    success: true,
    details: {
      communication_type: 'tool_call',
      server_name: 's',
      tool_name: 't',
      parameters: { name: 'only-asked' },
      result,
    },
  }) as unknown as McpInteraction;

it('takes what stands as code in prose, each once, and no commands', () => {
  const text =
    'The `db-0` of `` a`b `` and `db-0`, not `x`:\n\n```\nkubectl get `pods`\n```\n~~~sh\n`rm`-all\n~~~\nthen `last`.\n```\nopen to `the end`';
  expect(codeSpans(text)).toEqual(['db-0', 'a`b', 'last']);
});

it('sees a name in what tools answered, in any case, and not in what they were asked', () => {
  const record = [told('a', 'nothing'), told('b', { pod: 'DB-0' }), told('c', '\u001b[1mdb-\u001b[0m0 is full')];
  expect([...evidenceLinks(['db-0', 'invented'], record)]).toEqual([
    ['db-0', { times: 2, event: 'b' }],
    ['invented', null],
  ]);
});

it('counts as no claim what the model was given: of the alert, a tool, or an argument that a tool accepted', () => {
  const listed = {
    ...told('l', ''),
    details: { communication_type: 'tool_list', server_name: 's', available_tools: [{ name: 'pods_list' }] },
  } as unknown as McpInteraction;
  const failed = {
    ...told('f', ''),
    success: false,
    details: {
      communication_type: 'tool_call',
      server_name: 's',
      tool_name: 'q',
      parameters: { name: 'not-there' },
      result: '',
    },
  } as unknown as McpInteraction;
  const names = ['t', 's.t', 'pods_list', 'only-asked', 'checkout-7f', 'not-there', 'checkout', 'invented'];
  expect([...evidenceLinks(names, [listed, told('a', 'x'), failed], { labels: { pod: 'checkout-7f' } })]).toEqual([
    ['not-there', null],
    ['invented', null],
  ]);
});

it('sees a name in the longer names of its copies, and leads to a resource before a path', () => {
  const record = [
    told('path', 'GET /api/v2/cart/13/price 500'),
    told('copy', 'cart-25796bc3-jf1 1/1 Running'),
    told('name', 'deployment/cart is degraded'),
    told('other', 'shopping-cart'),
  ];
  expect([...evidenceLinks(['cart'], record)]).toEqual([['cart', { times: 3, event: 'name' }]]);
  expect([...evidenceLinks(['cart'], record.slice(0, 2))]).toEqual([['cart', { times: 2, event: 'copy' }]]);
  expect([...evidenceLinks(['cart', '/api/v2/cart'], record.slice(0, 1))]).toEqual([
    ['cart', { times: 1, event: 'path' }],
    ['/api/v2/cart', { times: 1, event: 'path' }],
  ]);
});

it('sees whole words only', () => {
  expect(containsWord('pod db-01 and xdb-0', 'db-0')).toBe(false);
  expect(containsWord('db-01, then db-0.', 'db-0')).toBe(true);
  expect(containsWord('the queue', 'eu')).toBe(false);
  expect(containsWord('{"a":"/var/log"}', '/var/log')).toBe(true);
  expect(containsWord('größe', 'gr')).toBe(false);
});
