/** Completion of filters in the search text. */
import type { FilterOptions } from '@tarsy/ui';

/** Progress values of unfinished sessions, as the API names them. */
export const PROGRESS = ['needs_decision', 'stuck', 'queued', 'in_progress'];

/** Filters that can be typed, with the source of their values. */
export const FILTERS: readonly (readonly [string, (options: FilterOptions) => readonly string[]])[] = [
  ['severity', ({ severities }) => [...severities, '>=high', '>=warning', '<=info']],
  ['status', (options) => options.status_options],
  ['progress', () => PROGRESS],
  ['outcome', (options) => options.outcome_options],
  ['verdict', (options) => options.verdict_options],
  ['label', (options) => options.labels],
  ['alert', (options) => options.alert_types],
  ['chain', (options) => options.chain_ids],
  ['agent', (options) => options.agents],
  ['namespace', (options) => options.namespaces],
  ['cluster', (options) => options.clusters],
  ['environment', (options) => options.environments],
  ['source', (options) => options.sources],
  ['assignee', (options) => options.assignees],
  ['rating', (options) => options.rating_options],
  ['acknowledged', () => ['true', 'false']],
  ['reviewed', () => ['true', 'false']],
  ['cost', () => ['>0.1', '>1', '>10']],
];

/** Removes a filter at the end of the text that has no value yet, because as plain text it would match nothing. */
export function withoutUnfinished(text: string): string {
  const end = /(?:^|\s+)([a-z]+):(?:[<>]=?|")?$/i.exec(text);
  return end !== null && FILTERS.some(([name]) => name === end[1]?.toLowerCase()) ? text.slice(0, end.index) : text;
}

/** Returns the words of a search without its named filters. */
export function freeWords(text: string): string {
  return text
    .replaceAll(/(^|\s)([a-z]+):(?:"[^"]*"?|\S*)/gi, (whole, _, name: string) =>
      FILTERS.some(([known]) => known === name.toLowerCase()) ? ' ' : whole,
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Maximum number of suggestions. */
const MOST = 8;

/** Returns the word at the caret. An unclosed quotation extends to the caret. */
export function wordAt(text: string, caret: number): { from: number; to: number; word: string } {
  const before = text.slice(0, caret);
  const quote = /(?:^|\s)([^\s"]*:?"[^"]*)$/.exec(before);
  const start = quote?.[1] === undefined ? before.search(/\S*$/) : before.length - quote[1].length;
  const rest = quote === null ? (/^\S*/.exec(text.slice(caret))?.[0].length ?? 0) : 0;
  return { from: start, to: caret + rest, word: text.slice(start, caret) };
}

/** Value in the form to type it. */
export const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value);

/** Returns completions of the word. A suggested name ends with its colon, a suggested value is complete. */
export function suggestions(word: string, options: FilterOptions | undefined): string[] {
  const colon = word.indexOf(':');
  if (colon < 0)
    return word.length === 0
      ? []
      : FILTERS.map(([name]) => `${name}:`)
          .filter((name) => name.startsWith(word.toLowerCase()))
          .slice(0, MOST);
  const name = word.slice(0, colon);
  const typed = word
    .slice(colon + 1)
    .replace(/^"/, '')
    .toLowerCase();
  const values = FILTERS.find(([known]) => known === name)?.[1];
  if (values === undefined || options === undefined) return [];
  const found = [...new Set(values(options))].filter((value) => value.toLowerCase().includes(typed));
  // Values that start with the typed text come first.
  found.sort((a, b) => Number(b.toLowerCase().startsWith(typed)) - Number(a.toLowerCase().startsWith(typed)));
  return found
    .map((value) => `${name}:${quoted(value)}`)
    .filter((whole) => whole !== word)
    .slice(0, MOST);
}

/** Replaces the word by a suggestion. Returns the text and the new position of the caret. */
export function completed(
  text: string,
  { from, to }: { from: number; to: number },
  suggestion: string,
): { text: string; caret: number } {
  const tail = text.slice(to).trimStart();
  const head = `${text.slice(0, from)}${suggestion}${suggestion.endsWith(':') ? '' : ' '}`;
  return { text: head + tail, caret: head.length };
}
