/** Where a proxy serves the API and the apps: a path without a slash at its end, e.g. `/tarsy`, or nothing. */

/**
 * The prefix of the address that an app's code came from. A build knows its files by where they are to each other, so
 * the code is loaded from below the prefix, whatever it is.
 *
 * @param own address of a file of the build, or of a source during development
 * @param base where the app is served, without a prefix
 */
export function prefixOf(own: string, base: string): string {
  const path = new URL(own).pathname;
  const end = path.lastIndexOf(`${base}assets/`);
  return end < 0 ? '' : path.slice(0, end);
}

/** This page's prefix. */
export const PREFIX = prefixOf(import.meta.url, import.meta.env.BASE_URL);
/** Where this app is served, with a slash at its end. */
export const APP = `${PREFIX}${import.meta.env.BASE_URL}`;
