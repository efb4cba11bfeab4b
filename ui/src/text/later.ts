import { preloadable } from '../parts/preloadable';

/** Lazy Markdown renderer; `expectMarkdown` preloads it. */
export const { Part: Markdown, expect: expectMarkdown } = preloadable(async () => import('./Markdown'));
