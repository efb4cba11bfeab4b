import type { CSSProperties, ReactElement } from 'react';

/** Style of text that only screen readers get. */
export const HIDDEN: CSSProperties = {
  position: 'absolute',
  width: 1,
  height: 1,
  margin: 0,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
};

/** Title for screen readers, for a page that shows no title. */
export const HiddenTitle = ({ title }: { title: string }): ReactElement => <h1 style={HIDDEN}>{title}</h1>;
