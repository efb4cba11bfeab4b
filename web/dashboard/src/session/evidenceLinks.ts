/** Evidence for names in the analysis. */
import { codeSpans, recordOf, evidenceLinks, type ReadSession, type EvidenceLinks, type Evidence } from '@tarsy/ui';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useAddress } from '../app/useAddress';

/** Maximum duration of a slice of work between two input events, in milliseconds. */
const TURN_MS = 8;

/** Evidence for the names in a text, by name; null: no evidence was found. */
export type Found = ReadonlyMap<string, Evidence | null>;

/** Searches a complete record for the names in a text, in small slices; null: not finished yet. */
export function useEvidence(session: ReadSession | undefined, text: string | null | undefined): Found | null {
  const of = `${session?.session_id ?? ''} ${text ?? ''}`;
  const [found, setFound] = useState<{ of: string; seen: ReadonlyMap<string, Evidence | null> } | null>(null);
  useEffect(() => {
    if (session?.whole !== true || text == null) return undefined;
    const steps = evidenceLinks(codeSpans(text), recordOf(session), session.alert_data);
    const seen = new Map<string, Evidence | null>();
    let turn: ReturnType<typeof setTimeout>;
    const work = (): void => {
      const end = performance.now() + TURN_MS;
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done === true) {
          setFound({ of, seen });
          return;
        }
        const [name, sighting] = step.value;
        seen.set(name, sighting);
        if (performance.now() > end) break;
      }
      turn = setTimeout(work);
    };
    turn = setTimeout(work);
    return () => {
      clearTimeout(turn);
    };
  }, [session, text, of]);
  // Ignores results for another session, or for an earlier analysis.
  return found?.of === of ? found.seen : null;
}

/** Shows an event of this page's session, with a name marked in it. */
export function useShowEvent(): (event: string, name: string) => void {
  const [, change] = useAddress();
  return useCallback(
    (event, name) => {
      // Leaves the event and goes to it again, so that this works also if the last press led to the same event.
      change({ tab: null, find: name, event: null }, {});
      setTimeout(() => {
        change({ event });
      });
    },
    [change],
  );
}

/** Links from names in the analysis to the first tool result with them; null: none. */
export function useEvidenceLinks(session: ReadSession): EvidenceLinks | null {
  const found = useEvidence(session, session.final_analysis);
  const showEvent = useShowEvent();
  return useMemo(() => {
    if (found === null || found.size === 0) return null;
    const show = (name: string): void => {
      const event = found.get(name)?.event;
      if (event !== undefined) showEvent(event, name);
    };
    // A command is advice, not a claim.
    const isUnseen = (name: string): boolean => found.get(name) === null && !/\s/.test(name);
    return {
      isUnseen,
      unseen: [...found.keys()].filter(isUnseen),
      times: (name: string) => found.get(name)?.times ?? 0,
      event: (name: string) => found.get(name)?.event,
      show,
    };
  }, [found, showEvent]);
}
