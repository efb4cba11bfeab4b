/** What an analysis names, and where tools told of it: claims are one press away from their evidence. */
import type { Interaction } from '../api/types';
import { conversation } from './conversation';
import { stripAnsi } from '../text/ansi';

/** Where a name was seen. */
export interface Evidence {
  /** In how many tool results. */
  times: number;
  /** The first of them. */
  event: string;
}

const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/gm;
const SPAN = /(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g;
/** Shorter ones stand everywhere. */
const SHORTEST = 3;
const LONGEST = 200;

/** What stands as code in a line of prose: names of objects, conditions, files; each once. Blocks of code are commands. */
export function codeSpans(markdown: string): string[] {
  const spans = [...markdown.replace(FENCED, '').matchAll(SPAN)].map((match) => (match[2] ?? '').trim());
  return [...new Set(spans.filter((name) => name.length >= SHORTEST && name.length <= LONGEST))];
}

/** The names that stand in what tools answered. One after another, so that whoever asks may rest between two. */
export function* evidenceLinks(names: readonly string[], record: readonly Interaction[]): Generator<[name: string, seen: Evidence | null], void> {
  const told = conversation(record).flatMap((event) => (event.kind === 'tool' ? [{ id: event.id, text: stripAnsi(event.output).toLowerCase() }] : []));
  for (const name of names) {
    const wanted = name.toLowerCase();
    const where = told.filter(({ text }) => text.includes(wanted));
    const [first] = where;
    yield [name, first === undefined ? null : { times: where.length, event: first.id }];
  }
}
