import { lazy, Suspense, type ReactElement } from 'react';
import { Loading } from './States';

const load = async () => import('../text/Markdown');
const Markdown = lazy(load);

/** Fetch the renderer now, for a page that will need it. */
export function expectAnswer(): void {
  load().catch(() => undefined);
}

/** A model's markdown; the renderer is fetched when one is first shown. */
export function Answer({ text }: { text: string }): ReactElement {
  return <Suspense fallback={<Loading what="the text" />}><Markdown text={text} /></Suspense>;
}
