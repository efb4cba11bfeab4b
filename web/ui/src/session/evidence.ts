/** Evidence for names in an analysis: the tool results that contain them. */
import type { Interaction } from '../api/types';
import { conversation, type StageEvent } from './conversation';
import { stripAnsi } from '../text/ansi';
import { asText } from '../text/show';

/** Tool results that contain a name. */
export interface Evidence {
  /** Number of tool results. */
  times: number;
  /** Id of the tool result that shows it best; of several, the first. */
  event: string;
}

const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/gm;
const SPAN = /(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g;
/** Shorter names occur everywhere, so they are left out. */
const SHORTEST = 3;
const LONGEST = 200;

/** Distinct inline code spans of a Markdown text; code blocks are left out. */
export function codeSpans(markdown: string): string[] {
  const spans = [...markdown.replace(FENCED, '').matchAll(SPAN)].map((match) => (match[2] ?? '').trim());
  return [...new Set(spans.filter((name) => name.length >= SHORTEST && name.length <= LONGEST))];
}

/** Splits a line of text at its code spans. Code parts come without backticks. */
export function codeParts(text: string): { text: string; code: boolean }[] {
  return text
    .split(/`([^`\n]+)`/)
    .map((part, at) => ({ text: part, code: at % 2 === 1 }))
    .filter((part) => part.text !== '');
}

const PART = /[\p{L}\p{N}_-]/u;

const joins = (edge: string | undefined, next: string): boolean => PART.test(edge ?? '') && PART.test(next);

/**
 * Yields the places where a text contains a name as a whole word, or as the beginning of a longer name, e.g. `checkout`
 * in `checkout-25796bc3`. Both must be in lower case.
 */
function* places(text: string, name: string): Generator<{ at: number; isWhole: boolean }, void> {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const next = text[at + name.length] ?? '';
    const isWhole = !joins(name.at(-1), next);
    if (!joins(name[0], text[at - 1] ?? '') && (isWhole || next === '-')) yield { at, isWhole };
  }
}

/** Whether a text contains a name as a whole word: `db-0` isn't in `db-01`. Both must be in lower case. */
export function containsWord(text: string, name: string): boolean {
  for (const { isWhole } of places(text, name)) if (isWhole) return true;
  return false;
}

/** Number of characters before a place in which the beginning of a path is searched. */
const LONGEST_PATH = 300;
const OPEN_PATH = /(?:^|[\s"'`=(<])(?:[a-z][a-z0-9+.-]*:\/)?\/[^\s"'`=(<]*$/;

/** Whether a place is within a path or a URL: `cart` of `/api/v2/cart/13` need not be the service of that name. */
const isInPath = (text: string, at: number): boolean => OPEN_PATH.test(text.slice(Math.max(0, at - LONGEST_PATH), at));

/** How well a text shows a name: 0 as a word, 1 as the beginning of a longer name, 2 only in a path; null: not at all. */
export function rankOf(text: string, name: string): number | null {
  let best: number | null = null;
  for (const { at, isWhole } of places(text, name)) {
    const rank = !name.includes('/') && isInPath(text, at) ? 2 : isWhole ? 0 : 1;
    if (rank === 0) return 0;
    best = Math.min(best ?? rank, rank);
  }
  return best;
}

/** Text that the model was given, in lower case: the alert, tool names, and arguments that a tool accepted. */
function givenText(events: readonly StageEvent[], alert: Record<string, unknown>): string {
  const tools = events.flatMap((event) =>
    event.kind === 'tools'
      ? event.names
      : event.kind !== 'tool'
        ? []
        : [event.name, event.at.success === true && event.at.details.refused !== true ? event.input : ''],
  );
  return [asText(alert), ...new Set(tools)].join('\n').toLowerCase();
}

/**
 * Finds the evidence for each name in tool results; null: no result contains it. Leaves out a name without a result if
 * it was given to the model, because it is no claim. A generator, so that the caller can yield between names.
 */
export function* evidenceLinks(
  names: readonly string[],
  record: readonly Interaction[],
  alert: Record<string, unknown> = {},
): Generator<[name: string, seen: Evidence | null], void> {
  const events = conversation(record);
  const results = events.flatMap((event) =>
    event.kind === 'tool' ? [{ id: event.id, text: stripAnsi(event.output).toLowerCase() }] : [],
  );
  const given = givenText(events, alert);
  for (const name of names) {
    const wanted = name.toLowerCase();
    const found = results.flatMap(({ id, text }) => {
      const rank = rankOf(text, wanted);
      return rank === null ? [] : [{ id, rank }];
    });
    const [best] = found.toSorted((a, b) => a.rank - b.rank);
    if (best !== undefined) yield [name, { times: found.length, event: best.id }];
    else if (rankOf(given, wanted) === null) yield [name, null];
  }
}
