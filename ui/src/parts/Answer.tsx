import { memo, Suspense, type ReactElement } from 'react';
import { Markdown } from '../text/later';
import { Loading } from './States';

/** A model's markdown; the renderer is fetched when one is first shown. */
export const Answer = memo(({ text }: { text: string }): ReactElement => <Suspense fallback={<Loading what="the text" />}><Markdown text={text} /></Suspense>);
Answer.displayName = 'Answer';
