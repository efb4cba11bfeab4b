/** Code of the Markdown renderer. Without React: an entry fetches it before the app is there. */
export const markdownModule = async () => import('./Markdown');
