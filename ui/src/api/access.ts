/** The access key of this tab. Kept in the tab's session storage only: it ends with the tab. */

const KEY = 'tarsy.access-key';
const listeners = new Set<() => void>();

/** The key, or null where none was entered. */
export function accessKey(): string | null {
  return sessionStorage.getItem(KEY);
}

/** Sets the key; null removes it. */
export function setAccessKey(key: string | null): void {
  if (key === null || key === '') sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, key);
  listeners.forEach((listener) => { listener(); });
}

/** Subscribes to changes of the key. */
export function onAccessKey(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
