import type { ReactElement } from 'react';
import { codeParts } from '../session/evidence';
import { mono } from '../theme/theme';

/** A line of text, with its parts in backticks as code. */
export function Coded({ text }: { text: string }): ReactElement {
  return (
    <>
      {codeParts(text).map((part, at) =>
        part.code ? (
          <code key={at} style={{ fontFamily: mono, fontSize: '0.9em' }}>
            {part.text}
          </code>
        ) : (
          part.text
        ),
      )}
    </>
  );
}
