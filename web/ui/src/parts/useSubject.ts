import { useCallback, useState } from 'react';

/** What a dialog is about while it is open, how it is opened and how it is closed. */
export function useSubject<T>(): [subject: T | null, open: (subject: T) => void, close: () => void] {
  const [subject, setSubject] = useState<T | null>(null);
  const open = useCallback((next: T) => {
    setSubject(() => next);
  }, []);
  const close = useCallback(() => {
    setSubject(null);
  }, []);
  return [subject, open, close];
}
