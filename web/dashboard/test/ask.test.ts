import type { SessionLine, StageDetail } from '@tarsy/ui';
import { describe, expect, it } from 'vitest';
import { mcp, session, stage } from '../../ui/test/fixture';
import { byConversation } from '../src/ask/conversations';
import { collectionsOf, filterFields } from '../src/ask/outputs';
import { filterMistake, readSearched, toFilters, writeSearched } from '../src/ask/searched';
import { resultOfQuestion, traceOf, withNumbers } from '../src/ask/trace';

const done = (name: string, data: unknown, over: Partial<StageDetail> = {}): StageDetail =>
  stage({ stage_name: name, execution_id: name, stage_output: { result: JSON.stringify(data), data }, ...over });
const hit = (id: number, over: object = {}) => ({
  chunk_id: id,
  collection: 'hosts',
  key: `h-${String(id)}`,
  chunk: 0,
  score: 2.5,
  exact: 0,
  text: `raw ${String(id)}`,
  source: 'hosts.csv',
  line: id + 1,
  ...over,
});

const answered = session({
  stages: [
    done('catalog', {
      collections: [
        {
          name: 'hosts',
          fields: [
            { name: 'rack', type: 'text', filter: true },
            { name: 'notes', type: 'text', filter: false },
          ],
        },
        { name: 'cases', fields: [{ name: 'model', filter: true }] },
      ],
    }),
    done('intent-router', { intent: 'find', route: ['retrieval'], statement: null, steps: ['a', 'b'] }),
    done(
      'retrieval-agent',
      {
        results: [
          hit(7, { exact: 1, dense: 0.5, fused: 1.5, before_dense: 2, rerank: 0.9, before_rerank: 3 }),
          hit(8),
          hit(9),
        ],
        trace: { candidates: 40, dense: 'used', rerank: 'failed: 503' },
      },
      { chronological_interactions: [mcp('list', 0, { communication_type: 'tool_list' }), mcp('call', 1, {})] },
    ),
    done('context-builder', { items: [{ id: '7' }, { id: '8' }], left_out: 1 }),
    done('guardrail', {
      value: { evidence: [{ id: '7', text: 'guarded 7' }] },
      denied: false,
      redaction_flags: [{ policy: 'network', action: 'redact', kind: 'ipv4', count: 2 }],
    }),
    done('answer-guardrail', {
      denied: false,
      redaction_flags: [{ policy: 'secrets', action: 'flag', kind: 'token', count: 1 }],
    }),
    done('citations', {
      answer: 'In r07 [7].',
      supported: true,
      denied: false,
      citations: [{ id: '7', collection: 'hosts', key: 'h-7', text: 'raw…' }],
      invented: ['99'],
    }),
  ],
});

describe('a trace', () => {
  it('tells what found each result, at which score and place, and what became of it', () => {
    const { hits, candidates, dense, rerank, leftOut, inContext } = traceOf(answered);
    expect(
      hits.map(({ id, place, foundBy, isInContext, isCited }) => [id, place, foundBy.join(), isInContext, isCited]),
    ).toEqual([
      ['7', 1, 'identifier,words,vector', true, true],
      ['8', 2, 'words', true, false],
      ['9', 3, 'words', false, false],
    ]);
    expect(hits[0]).toMatchObject({
      words: 2.5,
      vector: 0.5,
      fused: 1.5,
      beforeDense: 2,
      rerank: 0.9,
      beforeRerank: 3,
    });
    expect(hits[1]).toMatchObject({ vector: null, rerank: null });
    expect([candidates, dense, rerank, inContext, leftOut]).toEqual([40, 'used', 'failed: 503', 2, 1]);
  });
  it('tells what was redacted, and where', () => {
    expect(traceOf(answered).redactions.map(({ where, kind, count }) => `${where} ${kind} ${String(count)}`)).toEqual([
      'question and evidence ipv4 2',
      'answer token 1',
    ]);
  });
  it('reads a question whose stages said nothing', () => {
    expect(
      traceOf(session({ stages: [stage({ stage_name: 'catalog', status: 'failed', stage_output: null })] })),
    ).toMatchObject({ hits: [], route: [], redactions: [], inContext: 0 });
    expect(resultOfQuestion(session())).toBeNull();
  });
});

describe('an answer', () => {
  it('has sources with the text that the guardrail left, their file and their tool call', () => {
    const result = resultOfQuestion(answered);
    expect(result).toMatchObject({ answer: 'In r07 [7].', supported: true, invented: ['99'] });
    expect(result?.sources).toEqual([
      {
        id: '7',
        number: 1,
        collection: 'hosts',
        key: 'h-7',
        text: 'guarded 7',
        file: 'hosts.csv',
        line: 8,
        chunk: 1,
        foundBy: ['identifier', 'words', 'vector'],
        event: 'call',
      },
    ]);
  });
  it('names what was refused', () => {
    const refused = ['SQL: the statement was refused: only SELECT is allowed'];
    const asked = (data: object) =>
      resultOfQuestion(session({ stages: [done('citations', { answer: null, supported: false, ...data })] }))?.errors;
    expect([asked({ errors: refused }), asked({})]).toEqual([refused, []]);
  });
  it('numbers its marks as its sources, outside of code', () => {
    const sources = resultOfQuestion(answered)?.sources ?? [];
    expect(withNumbers('In r07 [7], [ERROR] [8] `x [7]` [7](y)\n```\n[7]\n```\n[7]', sources)).toBe(
      'In r07 `[1]`, [ERROR] [8] `x [7]` [7](y)\n```\n[7]\n```\n`[1]`',
    );
  });
});

describe('what is searched', () => {
  it('knows collections and fields from the newest question', () => {
    const all = collectionsOf(answered);
    expect(all.map(({ name }) => name)).toEqual(['hosts', 'cases']);
    expect([filterFields(all, null), filterFields(all, 'hosts')]).toEqual([['model', 'rack'], ['rack']]);
  });
  it('stands in the address beside what else does', () => {
    const params = writeSearched(new URLSearchParams('trace=x&collection=old'), {
      collection: 'hosts',
      filters: ['rack:r07', 'rack:r08'],
    });
    expect(params.toString()).toBe('trace=x&collection=hosts&filter=rack%3Ar07&filter=rack%3Ar08');
    expect(readSearched(params)).toEqual({ collection: 'hosts', filters: ['rack:r07', 'rack:r08'] });
    expect(toFilters(['rack:r07', 'rack: r08', 'url:http://x'])).toEqual({ rack: ['r07', 'r08'], url: ['http://x'] });
  });
  it('says what is wrong with a filter', () => {
    expect(filterMistake('rack', [])).toMatch(/field:value/);
    expect(filterMistake('shelf:1', ['rack'])).toMatch(/Unknown field “shelf”/);
    expect(filterMistake('shelf:1', [])).toBeNull();
  });
});

it('groups earlier questions by conversation, the newest first, named by the oldest', () => {
  const row = (id: string, of: string, question: string) =>
    ({ session_id: id, conversation_id: of, question }) as SessionLine;
  const all = byConversation([
    row('d', 'c', 'new'),
    row('b', 'a', 'and?'),
    row('c', 'c', 'who?'),
    row('a', 'a', 'why?'),
  ]);
  expect(all.map(({ id, title, questions, last }) => [id, title, questions, last.session_id])).toEqual([
    ['c', 'who?', 2, 'd'],
    ['a', 'why?', 2, 'b'],
  ]);
});
