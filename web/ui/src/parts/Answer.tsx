import { memo, Suspense, type ReactElement } from 'react';
import { Markdown } from '../text/later';
import type { EvidenceLinks } from '../text/EvidenceLinks';
import { Loading } from './States';

/** Markdown text of a model. The renderer loads on first use. */
export const Answer = memo(({ text, seen = null }: { text: string; seen?: EvidenceLinks | null }): ReactElement => (
  <Suspense fallback={<Loading what="the text" />}>
    <Markdown text={text} seen={seen} />
  </Suspense>
));
Answer.displayName = 'Answer';
