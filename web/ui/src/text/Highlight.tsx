import type { ReactElement } from 'react';
import { highlightSegments } from './show';

/** Text with search matches highlighted. */
export function Highlight({ text, needle }: { text: string; needle: string }): ReactElement {
  if (needle === '') return <>{text}</>;
  return (
    <>
      {highlightSegments(text, needle).map((piece, at) =>
        at % 2 === 1 ? (
          <mark
            key={at}
            style={{
              background: 'var(--mui-palette-warning-main)',
              color: 'var(--mui-palette-background-paper)',
              borderRadius: 2,
            }}
          >
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </>
  );
}
