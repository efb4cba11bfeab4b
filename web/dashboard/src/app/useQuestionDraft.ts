/** Draft of a question. It survives reloads and visits to other pages while the tab is open. */
import { useCallback, useState, type KeyboardEvent } from 'react';

const keyOf = (about: string): string => `tarsy.draft.${about}`;

/** Returns the draft of a question about a session or in another conversation. An empty draft is not stored. */
export function useQuestionDraft(about: string): [text: string, setText: (text: string) => void] {
  const [draft, setDraft] = useState({ about, text: sessionStorage.getItem(keyOf(about)) ?? '' });
  // Another session in the same component has its own draft.
  if (draft.about !== about) setDraft({ about, text: sessionStorage.getItem(keyOf(about)) ?? '' });
  const set = useCallback(
    (text: string) => {
      setDraft({ about, text });
      if (text === '') sessionStorage.removeItem(keyOf(about));
      else sessionStorage.setItem(keyOf(about), text);
    },
    [about],
  );
  return [draft.about === about ? draft.text : '', set];
}

/** Makes Escape leave an empty field, but never a field with text, because the next press would leave the page. */
export function leaveIfEmpty(event: KeyboardEvent, text: string): void {
  if (event.key !== 'Escape') return;
  event.stopPropagation();
  if (text === '') (event.target as HTMLElement).blur();
}
