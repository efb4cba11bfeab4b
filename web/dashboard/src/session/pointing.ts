/** What a sentence of the answer rests on: the tool results that show it. */
import { tellingWords, type Claim, type EvidenceLinks } from '@tarsy/ui';
import { useEffect, useRef, type FocusEvent, type MouseEvent } from 'react';

/** A tool result, and the words of the sentence that it shows. */
export interface Proof {
  event: string;
  words: string[];
}
export interface Pointed {
  sentence: string;
  proofs: Proof[];
}

/** How long the pointer rests on a sentence before its evidence is shown, milliseconds: one that passes over changes nothing. */
const REST_MS = 150;

/** Evidence for the names of a sentence, those of one tool result together; null: no result has any. */
export function proofsOfNames(sentence: string, names: readonly string[], seen: EvidenceLinks): Pointed | null {
  const proofs = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const event = seen.event?.(name);
    if (event !== undefined) proofs.set(event, [...(proofs.get(event) ?? []), name]);
  }
  return proofs.size === 0
    ? null
    : { sentence: sentence.trim(), proofs: [...proofs].map(([event, words]) => ({ event, words })) };
}

/** Evidence for a claim: the calls that it cites; null: it cites none. */
export const proofsOfClaim = ({ text, calls }: Claim): Pointed | null =>
  calls.length === 0
    ? null
    : {
        sentence: text,
        proofs: calls.map(({ interactionId }) => ({ event: interactionId, words: tellingWords(text) })),
      };

/** Handlers that report the sentence which the mouse rests on, or the keyboard has reached. */
export function usePointing(
  seen: EvidenceLinks | null,
  claims: readonly Claim[],
  onPoint: ((pointed: Pointed) => void) | undefined,
): { onMouseOver?: (event: MouseEvent) => void; onFocus?: (event: FocusEvent) => void } {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
  if (onPoint === undefined) return {};
  const evidenceOf = (target: EventTarget): Pointed | null => {
    const element = target instanceof Element ? target.closest<HTMLElement>('.sentence, [data-claim]') : null;
    if (element === null) return null;
    const claim = claims[Number(element.dataset.claim)];
    if (claim !== undefined) return proofsOfClaim(claim);
    const names = [...element.querySelectorAll('.seen')].map((name) => name.textContent.trim());
    return seen === null ? null : proofsOfNames(element.textContent, names, seen);
  };
  return {
    onMouseOver: ({ target }) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        const pointed = evidenceOf(target);
        if (pointed !== null) onPoint(pointed);
      }, REST_MS);
    },
    onFocus: ({ target }) => {
      const pointed = evidenceOf(target);
      if (pointed !== null) onPoint(pointed);
    },
  };
}
