/** Loads the Markdown renderer. In a module without React, so that an entry can fetch it before the app is loaded. */
export const markdownModule = async () => import('./Markdown');
