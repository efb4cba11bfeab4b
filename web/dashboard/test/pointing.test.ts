import type { EvidenceLinks } from '@tarsy/ui';
import { expect, it } from 'vitest';
import { proofsOfClaim, proofsOfNames } from '../src/session/pointing';

const events: Record<string, string> = { 'db-0': 'e1', 'db-1': 'e1', shop: 'e2' };
const seen: EvidenceLinks = {
  times: () => 1,
  isUnseen: () => false,
  unseen: [],
  event: (name) => events[name],
  show: () => undefined,
};

it('the names of a sentence that one result shows are shown together, each once', () => {
  expect(proofsOfNames(' db-0 and db-1 of shop. ', ['db-0', 'shop', 'db-1', 'db-0', 'absent'], seen)).toEqual({
    sentence: 'db-0 and db-1 of shop.',
    proofs: [
      { event: 'e1', words: ['db-0', 'db-1'] },
      { event: 'e2', words: ['shop'] },
    ],
  });
  expect(proofsOfNames('absent.', ['absent'], seen), 'nothing shows it').toBeNull();
});

it('a claim leads to the calls that it cites, by its own words; one that cites none to nothing', () => {
  const calls = [{ interactionId: 'e1', call: 'c1' }];
  expect(proofsOfClaim({ text: 'The disk of db-0 is full.', calls, notShown: null })?.proofs).toEqual([
    { event: 'e1', words: ['db-0'] },
  ]);
  expect(proofsOfClaim({ text: 'Nobody noticed.', calls: [], notShown: 'x' })).toBeNull();
});
