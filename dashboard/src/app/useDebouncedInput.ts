import { useEffect, useState } from 'react';

/**
 * What is typed into a field whose text stands in the address: shown at once, and told on when the keys pause.
 * An address that follows late takes no letter away.
 */
export function useDebouncedInput(value: string, onChange: (text: string) => void, pauseMs: number): [draft: string, setDraft: (text: string) => void] {
  const [draft, setDraft] = useState(value);
  const [seen, setSeen] = useState(value);
  const [told, setTold] = useState(value);
  if (seen !== value) {
    setSeen(value);
    // Our own word that comes back is no news: more may have been typed meanwhile.
    if (value !== told) { setTold(value); setDraft(value); }
  }
  useEffect(() => {
    if (draft === told) return undefined;
    const timer = setTimeout(() => { setTold(draft); onChange(draft); }, pauseMs);
    return () => { clearTimeout(timer); };
  }, [draft, told, onChange, pauseMs]);
  return [draft, setDraft];
}
