/** Evidence for names in an analysis: the tool results that contain them. */
import type { Interaction } from '../api/types';
import { conversation } from './conversation';
import { stripAnsi } from '../text/ansi';

/** Tool results that contain a name. */
export interface Evidence {
  /** Number of tool results. */
  times: number;
  /** The first of them. */
  event: string;
}

const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/gm;
const SPAN = /(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g;
/** Shorter names occur everywhere. */
const SHORTEST = 3;
const LONGEST = 200;

/** Distinct inline code spans of a Markdown text; code blocks are left out. */
export function codeSpans(markdown: string): string[] {
  const spans = [...markdown.replace(FENCED, '').matchAll(SPAN)].map((match) => (match[2] ?? '').trim());
  return [...new Set(spans.filter((name) => name.length >= SHORTEST && name.length <= LONGEST))];
}

/** Parts of a line of text, those in backticks without them. */
export function codeParts(text: string): { text: string; code: boolean }[] {
  return text.split(/`([^`\n]+)`/).map((part, at) => ({ text: part, code: at % 2 === 1 })).filter((part) => part.text !== '');
}

const PART = /[\p{L}\p{N}_-]/u;

/** Whether a text contains a name as a whole word: `db-0` isn't in `db-01`, nor `eu` in `queue`. Both in lower case. */
export function containsWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? '';
    const after = text[at + name.length] ?? '';
    const joins = (edge: string | undefined, beside: string): boolean => PART.test(edge ?? '') && PART.test(beside);
    if (!joins(name[0], before) && !joins(name.at(-1), after)) return true;
  }
  return false;
}

/** Evidence for each name in tool results. A generator, so that the caller can yield between names. */
export function* evidenceLinks(names: readonly string[], record: readonly Interaction[]): Generator<[name: string, seen: Evidence | null], void> {
  const told = conversation(record).flatMap((event) => (event.kind === 'tool' ? [{ id: event.id, text: stripAnsi(event.output).toLowerCase() }] : []));
  for (const name of names) {
    const wanted = name.toLowerCase();
    const where = told.filter(({ text }) => containsWord(text, wanted));
    const [first] = where;
    yield [name, first === undefined ? null : { times: where.length, event: first.id }];
  }
}
