/**
 * Who this browser is. An API key is exchanged for a cookie that no script can read and that all tabs share;
 * a token of an identity provider, which can't be exchanged, is kept in the tab's session storage.
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

/** Tells this tab and the others that somebody signed in or out. */
export function announceAccess(): void {
  notify();
  tabs?.postMessage('changed');
}

/** Subscribes to sign-in and sign-out, in any tab. */
export function onAccess(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
