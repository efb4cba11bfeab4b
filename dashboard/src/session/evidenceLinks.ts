/** Evidence for names in the analysis. */
import { codeSpans, recordOf, evidenceLinks, type ReadSession, type EvidenceLinks, type Evidence } from '@tarsy/ui';
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router-dom';

/** Longest slice of work between two input events, milliseconds. */
const TURN_MS = 8;

/** Searches the complete record for evidence, in small slices. */
function useEvidence(session: ReadSession): ReadonlyMap<string, Evidence> | null {
  const of = `${session.session_id} ${session.final_analysis ?? ''}`;
  const [found, setFound] = useState<{ of: string; seen: ReadonlyMap<string, Evidence> } | null>(null);
  useEffect(() => {
    if (!session.whole || session.final_analysis == null) return undefined;
    const steps = evidenceLinks(codeSpans(session.final_analysis), recordOf(session));
    const seen = new Map<string, Evidence>();
    let turn: ReturnType<typeof setTimeout>;
    const work = (): void => {
      const end = performance.now() + TURN_MS;
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done === true) { setFound({ of, seen }); return; }
        const [name, sighting] = step.value;
        if (sighting !== null) seen.set(name, sighting);
        if (performance.now() > end) break;
      }
      turn = setTimeout(work);
    };
    turn = setTimeout(work);
    return () => { clearTimeout(turn); };
  }, [session, of]);
  // What was found in another session, or for an analysis that is no more, is not of this one.
  return found?.of === of ? found.seen : null;
}

/** Links from names in the analysis to the first tool result with them; null: none. */
export function useEvidenceLinks(session: ReadSession): EvidenceLinks | null {
  const found = useEvidence(session);
  const [, setParams] = useSearchParams();
  return useMemo(() => {
    if (found === null || found.size === 0) return null;
    const show = (name: string): void => {
      const event = found.get(name)?.event;
      if (event === undefined) return;
      const at = (wanted: string | null) => (now: URLSearchParams): URLSearchParams => {
        const next = new URLSearchParams(now);
        next.delete('tab');
        next.set('find', name);
        if (wanted === null) next.delete('event'); else next.set('event', wanted);
        return next;
      };
      // Left and come to again: also where the last press led to the same event.
      setParams(at(null));
      setTimeout(() => { setParams(at(event), { replace: true }); });
    };
    return { times: (name: string) => found.get(name)?.times ?? 0, show };
  }, [found, setParams]);
}
