/** Text of a question that is not asked yet: it survives a reload and other pages, as long as the tab is open. */
import { useCallback, useState, type KeyboardEvent } from 'react';

const keyOf = (about: string): string => `tarsy.draft.${about}`;

/** Draft of a question about a session, or of another conversation; an empty one is forgotten. */
export function useQuestionDraft(about: string): [text: string, setText: (text: string) => void] {
  const [draft, setDraft] = useState({ about, text: sessionStorage.getItem(keyOf(about)) ?? '' });
  // Another session in the same place has a draft of its own.
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

/** Escape leaves an empty field, and never one with text: the next press would leave the page. */
export function leaveIfEmpty(event: KeyboardEvent, text: string): void {
  if (event.key !== 'Escape') return;
  event.stopPropagation();
  if (text === '') (event.target as HTMLElement).blur();
}
