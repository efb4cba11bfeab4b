import { useEffect } from 'react';

/** The page's name in the browser's tabs and history. */
export function useTitle(name: string): void {
  useEffect(() => { document.title = `${name} · Tarsy`; }, [name]);
}
