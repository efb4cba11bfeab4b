import { preloadable } from '../parts/preloadable';

/** The renderer of markdown, fetched when one is first shown. `expectMarkdown` fetches it now. */
export const { Part: Markdown, expect: expectMarkdown } = preloadable(async () => import('./Markdown'));
