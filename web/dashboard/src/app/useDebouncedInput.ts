import { useEffect, useState } from 'react';

const same = (text: string): string => text;

/**
 * State of a field whose text is kept in the address. Typed text is shown at once, and passed to `onChange` after a
 * pause. An address that is updated late does not remove letters.
 *
 * @param meant maps the text in the field to the value that is passed on
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
    // Ignores our own value when it comes back, because the user may have typed more since.
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
