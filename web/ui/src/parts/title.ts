import { useEffect } from 'react';

/** Sets the page title. */
export function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${name} · Tarsy`;
  }, [name]);
}
