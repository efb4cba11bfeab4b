/** Suggestions for a search without results. */
import type { FilterOptions } from '@tarsy/ui';
import { FILTERS, quoted } from './completion';

export interface SearchHint {
  /** Problem of a word of the search. */
  problem: string;
  /** Words that may have been meant, each with the corrected search. */
  instead: { word: string; search: string }[];
}

/** Maximum edit distance of similar words. */
const NEAR = 2;
const MOST = 4;

/** Number of letters to change, add or remove to turn one word into the other. */
export function editDistance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1)
      row.push(
        Math.min((row[j - 1] ?? 0) + 1, (before[j] ?? 0) + 1, (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    before = row;
  }
  return before[b.length] ?? 0;
}

/** Returns words similar to another: those that contain it, then those that differ in one or two letters. */
function alike(word: string, known: readonly string[]): string[] {
  const wanted = word.toLowerCase();
  const has = (one: string): boolean => one.toLowerCase().includes(wanted);
  const near = (one: string): boolean => !has(one) && editDistance(one.toLowerCase(), wanted) <= NEAR;
  return [...known.filter(has), ...known.filter(near)].slice(0, MOST);
}

/** Returns hints for the filters of a search with unknown names, or with values that no session has. */
export function searchHints(text: string, options: FilterOptions | undefined): SearchHint[] {
  if (options === undefined) return [];
  return [...text.matchAll(/(?<!\S)([a-z_]+):("[^"]*"|\S+)/gi)].flatMap((found): SearchHint[] => {
    const [whole, written = '', raw = ''] = found;
    const name = written.toLowerCase();
    const value = raw.replaceAll('"', '');
    const other = (word: string): SearchHint['instead'][number] => ({
      word,
      search: text.slice(0, found.index) + word + text.slice(found.index + whole.length),
    });
    const values = FILTERS.find(([known]) => known === name)?.[1](options);
    if (values === undefined) {
      const instead = alike(
        name,
        FILTERS.map(([known]) => known),
      ).map((known) => other(`${known}:${raw}`));
      return instead.length === 0 ? [] : [{ problem: `No filter is called ${written}.`, instead }];
    }
    if (/^[<>]/.test(value) || values.some((one) => one.toLowerCase() === value.toLowerCase())) return [];
    return [
      {
        problem: `${whole} matches no ${name}.`,
        instead: alike(value, values).map((one) => other(`${name}:${quoted(one)}`)),
      },
    ];
  });
}
