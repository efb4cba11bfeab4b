import { useEffect, useState } from 'react';

const same = (text: string): string => text;

/**
 * What is typed into a field whose text stands in the address: shown at once, and told on when the keys pause.
 * An address that follows late takes no letter away.
 *
 * @param meant what is told of the text that stands in the field
 */
export function useDebouncedInput(
  value: string,
  onChange: (text: string) => void,
  pauseMs: number,
  meant: (draft: string) => string = same,
): [draft: string, setDraft: (text: string) => void] {
  const [draft, setDraft] = useState(value);
  const [seen, setSeen] = useState(value);
  const [told, setTold] = useState(value);
  if (seen !== value) {
    setSeen(value);
    // Our own word that comes back is no news: more may have been typed meanwhile.
    if (value !== told) {
      setTold(value);
      setDraft(value);
    }
  }
  const text = meant(draft);
  useEffect(() => {
    if (text === told) return undefined;
    const timer = setTimeout(() => {
      setTold(text);
      onChange(text);
    }, pauseMs);
    return () => {
      clearTimeout(timer);
    };
  }, [draft, text, told, onChange, pauseMs]);
  return [draft, setDraft];
}
