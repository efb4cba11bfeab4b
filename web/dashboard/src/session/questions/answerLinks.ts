/** Evidence for names in an answer: from its own record, then from the record of the session in question. */
import type { EvidenceLinks, ReadSession } from '@tarsy/ui';
import { useMemo } from 'react';
import { useNavigate } from 'react-router-dom';
import { useEvidence, useShowEvent, type Found } from '../evidenceLinks';

/** Whether neither record contains a name. False if it was not searched, or is a command rather than a claim. */
const isUnseen = (own: Found | null, about: Found | null, name: string): boolean =>
  own !== null && about !== null && own.get(name) === null && about.get(name) === null && !/\s/.test(name);

/** Returns the links of an answer; `own` is the session that gave it. Null: none. */
export function useAnswerLinks(
  answer: string | null | undefined,
  about: ReadSession,
  own: ReadSession | undefined,
): EvidenceLinks | null {
  const inOwn = useEvidence(own, answer);
  const inAbout = useEvidence(about, answer);
  const showEvent = useShowEvent();
  const navigate = useNavigate();
  const id = own?.session_id;
  return useMemo(() => {
    if ((inOwn?.size ?? 0) === 0 && (inAbout?.size ?? 0) === 0) return null;
    const names = new Set([...(inOwn?.keys() ?? []), ...(inAbout?.keys() ?? [])]);
    return {
      isUnseen: (name) => isUnseen(inOwn, inAbout, name),
      unseen: [...names].filter((name) => isUnseen(inOwn, inAbout, name)),
      times: (name) => (inOwn?.get(name)?.times ?? 0) + (inAbout?.get(name)?.times ?? 0),
      show: (name) => {
        const [here, there] = [inAbout?.get(name), inOwn?.get(name)];
        if (there != null && id !== undefined)
          void navigate(`/sessions/${id}?find=${encodeURIComponent(name)}&event=${encodeURIComponent(there.event)}`);
        else if (here != null) showEvent(here.event, name);
      },
    };
  }, [inOwn, inAbout, showEvent, navigate, id]);
}
