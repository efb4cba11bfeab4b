import { expect, it } from 'vitest';
import type { SessionDetail } from '../src/api/types';
import { claimsOfAnalysis, unshownClaims } from '../src/session/claims';

const session = (output: Record<string, unknown>, more: Record<string, unknown> = {}): SessionDetail =>
  ({
    final_analysis: 'It is so.',
    stages: [{ is_current: true, status: 'completed', stage_output: { result: 'It is so.', ...output }, ...more }],
  }) as unknown as SessionDetail;

it('a claim is shown by the calls that it names, and marked if it names none', () => {
  const claims = claimsOfAnalysis(
    session({
      claims: [
        { text: 'One', calls: [{ interaction_id: 'a', call: 'Call pods_log' }] },
        { text: 'Two', calls: [], not_shown: 'it cites only calls that failed' },
        { text: 'Three', calls: [] },
      ],
    }),
  );
  expect(claims?.claims.map(({ notShown }) => notShown)).toEqual([
    null,
    'it cites only calls that failed',
    'it cites no call',
  ]);
  expect(claims?.claims[0]?.calls).toEqual([{ interactionId: 'a', call: 'Call pods_log' }]);
  expect(unshownClaims(claims)).toBe(2);
});

it('other output holds no claims, and odd ones are left out', () => {
  for (const claims of [null, undefined, 'claims', {}]) expect(claimsOfAnalysis(session({ claims }))).toBeNull();
  const odd = claimsOfAnalysis(
    session({ claims: [null, 7, { text: 3 }, { text: 'x', calls: [1, { interaction_id: 2 }] }] }),
  );
  expect(odd).toEqual({ claims: [{ text: 'x', calls: [], notShown: 'it cites no call' }], error: null });
  expect(claimsOfAnalysis(session({ claims: [] }, { status: 'failed' }))).toBeNull();
  expect(claimsOfAnalysis(session({ claims: [] }, { is_current: false }))).toBeNull();
  expect(unshownClaims(null)).toBe(0);
});

it('says why there are none', () => {
  expect(claimsOfAnalysis(session({ output_error: 'no time' }))).toEqual({ claims: [], error: 'no time' });
});
