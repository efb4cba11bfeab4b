import type { SessionDetail } from '@tarsy/ui';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { session, stage } from '../../ui/test/fixture';
import { NotCovered } from '../src/session/NotCovered';

const textOf = (over: Partial<SessionDetail>): string[] =>
  [...renderToStaticMarkup(<NotCovered session={session(over)} />).matchAll(/<li.*?<\/li>/g)].map(([item]) =>
    item
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

it('names what was unreachable, refused or failed, and where; nothing if nothing was', () => {
  expect(renderToStaticMarkup(<NotCovered session={session()} />)).toBe('');
  expect(
    textOf({
      gaps: [
        {
          kind: 'unreachable',
          server: 'kubernetes',
          tool: null,
          stage: 'collect',
          times: 1,
          error: 'MCP server `kubernetes` is unavailable: connection refused',
        },
        { kind: 'refused', server: 'ledger', tool: 'restart', stage: 'act', times: 2, error: null },
      ],
    }),
  ).toEqual(['kubernetes unreachable: the connection was refused in collect', 'ledger.restart refused 2 times in act']);
});

it('says each cause once and in plain words, the runbook’s and those of failed stages too', () => {
  const broken = 'Transport [tarsy_mcp::transport::stdio::StdioTransport] error: Broken pipe (os error 32)';
  const failed = { status: 'failed' as const, error_message: 'the key of this provider was revoked' };
  expect(
    textOf({
      runbook_url: 'local:gone',
      runbook_error: 'local runbook not found: No such file or directory (os error 2)',
      stages: [
        stage({ stage_name: 'look', ...failed }),
        stage({ stage_name: 'tell', ...failed }),
        stage({ stage_name: 'look', ...failed, is_current: false, error_message: 'an earlier attempt' }),
      ],
      gaps: [
        ['look', 'traces_search'],
        ['tell', 'traces_search'],
        ['look', 'traces_get'],
      ].map(([name = '', tool = '']) => ({
        kind: 'failed',
        server: 'traces',
        tool,
        stage: name,
        times: 1,
        error: broken,
      })),
    }),
  ).toEqual([
    'Runbook local:gone was not found',
    'Stages look, tell failed: the key of this provider was revoked',
    'traces.traces_search, traces_get failed 3 times: the connection broke in look, tell',
  ]);
});

it('leaves failed stages to the error of a session without an answer', () => {
  expect(textOf({ final_analysis: null, stages: [stage({ status: 'failed', error_message: 'x' })] })).toEqual([]);
});
