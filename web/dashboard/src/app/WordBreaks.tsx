import { Fragment, type ReactElement } from 'react';

/** A name that may wrap between its words: `KubePod|CrashLooping`, `team-|payments`. */
export function WordBreaks({ name }: { name: string }): ReactElement {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[-_./:])/);
  return (
    <>
      {words.map((word, place) => (
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {word}
        </Fragment>
      ))}
    </>
  );
}
