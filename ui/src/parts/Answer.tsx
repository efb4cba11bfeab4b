import { lazy, Suspense, type ReactElement } from 'react';
import { Loading } from './States';

const Markdown = lazy(async () => import('../text/Markdown'));

/** A model's markdown; the renderer is fetched when one is first shown. */
export function Answer({ text }: { text: string }): ReactElement {
  return <Suspense fallback={<Loading what="the text" />}><Markdown text={text} /></Suspense>;
}
