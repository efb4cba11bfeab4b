/** Session id in a path, or null. */
export const sessionOf = (path: string): string | null => /\/sessions\/([0-9a-f-]{36})$/.exec(path)?.[1] ?? null;
