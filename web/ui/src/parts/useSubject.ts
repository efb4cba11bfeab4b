import { useCallback, useState } from 'react';

/** Returns the subject of a dialog (null while it is closed), and functions to open and to close it. */
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
