/** Counts masking marks in a text. */

const MARK = /\[MASKED_([A-Z0-9_]+)\]|__MASKED_([A-Z0-9_]+)__/g;

/** Masked values by kind, from the record or else from marks in the text. */
export function maskedKinds(recorded: unknown, text: string): [kind: string, times: number][] {
  if (recorded !== null && typeof recorded === 'object' && !Array.isArray(recorded)) {
    const kinds = Object.entries(recorded).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
    if (kinds.length > 0) return kinds;
  }
  const times = new Map<string, number>();
  for (const match of text.matchAll(MARK)) {
    const kind = (match[1] ?? match[2] ?? '').toLowerCase();
    times.set(kind, (times.get(kind) ?? 0) + 1);
  }
  return [...times];
}

/** The sum over kinds. */
export const maskedCount = (kinds: [string, number][]): number => kinds.reduce((sum, [, times]) => sum + times, 0);
