import { expect, it } from 'vitest';
import { plainError, runbookProblem } from '../src/text/plainError';

it('takes types of the program and numbers of the system out of an error, and says each part once', () => {
  expect(plainError('Transport [a::b::StdioTransport] error: Broken pipe (os error 32)')).toBe('the connection broke');
  expect(plainError('local runbook not found: No such file or directory (os error 2)')).toBe('local runbook not found');
  expect(plainError('request failed: request failed: reqwest::Error: connection refused.')).toBe(
    'request failed: the connection was refused',
  );
  expect(plainError('the model gave no answer: big: auth: the key was revoked')).toBe(
    'the key was revoked (provider big)',
  );
  expect(plainError('no stage reached an analysis (a: its condition is false: false; r: no worker)')).toBe(
    'No answer: a: condition not met: false; r: no worker',
  );
  expect(
    plainError(
      'no answer: a: the model gave no answer: big: auth: the key was revoked; b: the model gave no answer: small: overloaded: HTTP 529 (busy)',
    ),
  ).toBe('No answer: a: the key was revoked (provider big); b: HTTP 529 (busy) (provider small)');
  // As it is stored now.
  expect(plainError('no answer: a: condition not met: false')).toBe('No answer: a: condition not met: false');
  expect(plainError('`a/b:c` returned HTTP 503: https://x.example/y is down')).toBe(
    '`a/b:c` returned HTTP 503: https://x.example/y is down',
  );
});

it('says why a runbook is missing', () => {
  expect(runbookProblem('local:gone', 'local runbook not found: No such file or directory (os error 2)')).toBe(
    'Runbook local:gone was not found',
  );
  expect(runbookProblem('https://x.example/r.md', 'failed to fetch the runbook: `x.example` returned HTTP 503')).toBe(
    'Runbook https://x.example/r.md could not be fetched: `x.example` returned HTTP 503',
  );
  expect(runbookProblem(null, 'failed to fetch the runbook')).toBe('The runbook could not be fetched');
});
