import type { ReactElement } from 'react';

/** Title of a page that shows none: for who listens to it. */
export const HiddenTitle = ({ title }: { title: string }): ReactElement => <h1 style={{ position: 'absolute', width: 1, height: 1, margin: 0, overflow: 'hidden', clipPath: 'inset(50%)' }}>{title}</h1>;
