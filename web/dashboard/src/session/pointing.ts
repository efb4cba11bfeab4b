/** Evidence for a sentence of the answer: the tool results that support it. */
import { tellingWords, type Claim, type EvidenceLinks } from '@tarsy/ui';
import { useEffect, useRef, type FocusEvent, type MouseEvent } from 'react';

/** A tool result, and the words of the sentence that it supports. */
export interface Proof {
  event: string;
  words: string[];
}
export interface Pointed {
  sentence: string;
  proofs: Proof[];
}

/** How long the pointer must rest on a sentence to show its evidence, in milliseconds. Passing over has no effect. */
const REST_MS = 150;

/** Evidence for the names of a sentence, grouped by tool result; null: no result contains any. */
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

/** Returns handlers that report the sentence which the mouse rests on, or which has the keyboard focus. */
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
