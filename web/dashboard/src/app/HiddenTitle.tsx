import type { CSSProperties, ReactElement } from 'react';

/** What only screen readers get. */
export const HIDDEN: CSSProperties = {
  position: 'absolute',
  width: 1,
  height: 1,
  margin: 0,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
};

/** Title of a page that shows none: for who listens to it. */
export const HiddenTitle = ({ title }: { title: string }): ReactElement => <h1 style={HIDDEN}>{title}</h1>;
