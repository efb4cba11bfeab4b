import { preloadable } from '../parts/preloadable';
import { markdownModule } from './markdownModule';

/** Lazy Markdown renderer; `expectMarkdown` preloads it. */
export const { Part: Markdown, expect: expectMarkdown } = preloadable(markdownModule);
