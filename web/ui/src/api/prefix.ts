/** Path below which a proxy serves the API and the apps: without a trailing slash, e.g. `/tarsy`, or empty. */

/**
 * Returns the prefix in the address that an app's code was loaded from. A build refers to its files by relative paths,
 * so its code is always loaded from below the prefix.
 *
 * @param own address of a file of the build, or of a source during development
 * @param base path of the app, without the prefix
 */
export function prefixOf(own: string, base: string): string {
  const path = new URL(own).pathname;
  const end = path.lastIndexOf(`${base}assets/`);
  return end < 0 ? '' : path.slice(0, end);
}

/** This page's prefix. */
export const PREFIX = prefixOf(import.meta.url, import.meta.env.BASE_URL);
/** Path of this app, with a trailing slash. */
export const APP = `${PREFIX}${import.meta.env.BASE_URL}`;
