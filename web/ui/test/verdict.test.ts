import { describe, expect, it } from 'vitest';
import { firstSentence, reportVerdict } from '../src/text/verdict';

const REPORT = `The cart fails since v413. It reads a replica that is gone.

## Root cause
The connection string in \`cart-config\` names \`pg-replica-3. Old\`, which is gone. Reads retry for 2 s.

## Evidence
| What | Where |
|---|---|
| a | b |

## Impact
- 7 % of requests fail, e.g. those of checkout. Clients retry.
- Nothing else.

## Next steps
1. Delete the volume. Risk: high, data is lost.
2. Revert \`cart-config\` to v412. Risk: none.

## Confidence
High.
`;

describe('the verdict of a report', () => {
  it('is the first sentence of each part, and the first step that is said to be safe', () => {
    expect(reportVerdict(REPORT)).toEqual({
      headline: 'The cart fails since v413.',
      cause: 'The connection string in `cart-config` names `pg-replica-3. Old`, which is gone.',
      impact: '7 % of requests fail, e.g. those of checkout.',
      step: 'Revert `cart-config` to v412. Risk: none.',
      isStepSafe: true,
    });
  });
  it('is its title where nothing stands before it, and the first step where no risk is stated', () => {
    expect(
      reportVerdict(
        '# The disk of db-0 is full\n\nLogs fill it.\n\n## What to do\nRotate the logs.\n\nThen look again.',
      ),
    ).toEqual({
      headline: 'The disk of db-0 is full',
      cause: null,
      impact: null,
      step: 'Rotate the logs.',
      isStepSafe: false,
    });
    expect(reportVerdict('# Report\n\nThe disk is full. Logs fill it.\n\n## Cause\nLogs.')?.headline).toBe(
      'The disk is full.',
    );
  });
  it('is none of a text without such parts, and takes no table or code for a sentence', () => {
    expect(reportVerdict('The gate was passed.')).toBeNull();
    expect(reportVerdict('It is stuck.\n\n## Confidence\nHigh: it was read.')).toBeNull();
    expect(reportVerdict('## Root cause\n```\nx\n```\n\n## Impact\n| a |\n|---|')).toBeNull();
  });
});

it('a sentence ends before the next one begins, not at a number, a path or an abbreviation', () => {
  expect(firstSentence('Version 2.8.1 of a.b.c waits. Then more.')).toBe('Version 2.8.1 of a.b.c waits.');
  expect(firstSentence('**Stop. Think.** Then act. Now.')).toBe('**Stop. Think.** Then act.');
  expect(firstSentence('No end')).toBe('No end');
});
