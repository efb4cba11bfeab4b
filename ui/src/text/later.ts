import { lazily } from '../parts/lazily';

/** The renderer of markdown, fetched when one is first shown. `expectMarkdown` fetches it now. */
export const { Part: Markdown, expect: expectMarkdown } = lazily(async () => import('./Markdown'));
