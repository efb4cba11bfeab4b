/** User preferences, stored in this browser and synced across tabs. */
import { useSyncExternalStore } from 'react';

export interface Prefs {
  theme: 'system' | 'light' | 'dark';
  zone: 'local' | 'utc';
  /** Format of timestamps in lists. */
  times: 'relative' | 'absolute';
}

const KEY = 'tarsy.prefs';
const DEFAULTS: Prefs = { theme: 'system', zone: 'local', times: 'relative' };

/** Parses stored preferences; unknown values fall back to defaults. */
export function parsePrefs(text: string | null): Prefs {
  if (text === null) return DEFAULTS;
  try {
    const stored = JSON.parse(text) as Partial<Prefs>;
    return {
      theme: stored.theme === 'light' || stored.theme === 'dark' ? stored.theme : 'system',
      zone: stored.zone === 'utc' ? 'utc' : 'local',
      times: stored.times === 'absolute' ? 'absolute' : 'relative',
    };
  } catch {
    return DEFAULTS;
  }
}

let current = parsePrefs(localStorage.getItem(KEY));
const listeners = new Set<() => void>();

function apply(next: Prefs): void {
  current = next;
  listeners.forEach((listener) => {
    listener();
  });
}

window.addEventListener('storage', (event) => {
  if (event.key === KEY) apply(parsePrefs(event.newValue));
});

/** Changes some preferences. */
export function setPrefs(change: Partial<Prefs>): void {
  const next = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(next));
  apply(next);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Current preferences; updates live. */
export function usePrefs(): Prefs {
  return useSyncExternalStore(subscribe, () => current);
}
