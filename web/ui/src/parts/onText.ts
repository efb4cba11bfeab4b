import type { ChangeEvent } from 'react';

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Returns a change handler for a text field that passes the field's text to `set`. */
export const onText =
  (set: (text: string) => void) =>
  (event: ChangeEvent<Field>): void => {
    set(event.target.value);
  };
