import { describe, expect, it } from 'vitest';
import { excerpt, tellingWords } from '../src/session/excerpt';

const LOG = Array.from({ length: 100 }, (_, at) => `line ${String(at + 1)}`);

describe('an excerpt', () => {
  it('is taken around the line that has most of the words', () => {
    const log = LOG.with(10, 'job x7k2p begins').with(60, 'job x7k2p: 0 of 3 shards in archive-ledger');
    const shown = excerpt(log.join('\n'), ['x7k2p', 'archive-ledger']);
    expect([shown.at, shown.from, shown.lines.length, shown.all]).toEqual([61, 54, 15, 100]);
    expect(shown.lines[61 - shown.from]).toMatch(/shards/);
  });
  it('takes a name before the same word within a path, as the links of names do', () => {
    const shown = excerpt('GET http://x/api/cart/13\npod cart is ready', ['cart']);
    expect(shown.at).toBe(2);
  });
  it('begins at the beginning where no line has a word, and cuts a long line around the word', () => {
    expect(excerpt(LOG.join('\n'), ['absent'])).toMatchObject({ at: null, from: 1 });
    const [line] = excerpt(`${'a '.repeat(2000)}db-0 is full${' b'.repeat(2000)}`, ['db-0']).lines;
    expect(line).toMatch(/^….*db-0 is full.*…$/);
    expect(line?.length).toBeLessThan(700);
  });
});

it('the telling words of a sentence are its names, else its long words', () => {
  expect(tellingWords('Secret payments-db is held by hold.example/x since 16:05.')).toEqual([
    'payments-db',
    'hold.example/x',
    '16:05',
  ]);
  expect(tellingWords('The namespace is terminating.')).toEqual(['namespace', 'terminating']);
});
