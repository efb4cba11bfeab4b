import type { ChangeEvent } from 'react';

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Handler of a text field that hands on what stands in it. */
export const onText =
  (set: (text: string) => void) =>
  (event: ChangeEvent<Field>): void => {
    set(event.target.value);
  };
