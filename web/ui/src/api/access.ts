/**
 * Credentials of this browser. An API key is exchanged for a cookie that scripts cannot read and that all tabs share.
 * A token of an identity provider can't be exchanged, so it is kept in the tab's session storage.
 */

const TOKEN = 'tarsy.access-key';
const listeners = new Set<() => void>();
const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('tarsy.access');
tabs?.addEventListener('message', () => {
  notify();
});

function notify(): void {
  listeners.forEach((listener) => {
    listener();
  });
}

/** The token of this tab, or null. */
export function tabToken(): string | null {
  return sessionStorage.getItem(TOKEN);
}

/** Sets the token of this tab; null removes it. */
export function setTabToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(TOKEN);
  else sessionStorage.setItem(TOKEN, token);
}

/** Notifies this tab and the others of a sign-in or sign-out. */
export function announceAccess(): void {
  notify();
  tabs?.postMessage('changed');
}

/** Subscribes to sign-in and sign-out, in any tab. */
export function onAccess(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
