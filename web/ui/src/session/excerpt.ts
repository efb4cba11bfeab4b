/** Finds the part of a tool result that supports a sentence. */
import { stripAnsi } from '../text/ansi';
import { rankOf } from './evidence';

export interface Excerpt {
  /** Lines around the supporting line, including it. */
  lines: string[];
  /** Line number of the first of them, from 1. */
  from: number;
  /** Number of the supporting line; null: no line contains any of the words. */
  at: number | null;
  /** Total number of lines. */
  all: number;
}

/** Lines shown before and after the supporting line. */
const AROUND = 7;
/** Maximum shown length of a line, in characters. */
const LONGEST_LINE = 600;
const WORD = /[\p{L}\p{N}](?:[\p{L}\p{N}._:/-]*[\p{L}\p{N}])?/gu;
const SHORTEST_WORD = 5;

/** Returns the words that a tool may have shown: those with a digit, a dash or the like, else the long ones. */
export function tellingWords(sentence: string): string[] {
  const words = [...new Set([...sentence.matchAll(WORD)].map(([word]) => word))];
  const names = words.filter((word) => word.length > 1 && /[\d._:/-]|\p{Ll}\p{Lu}/u.test(word));
  return names.length > 0 ? names : words.filter((word) => word.length >= SHORTEST_WORD);
}

/** Cuts a long line around the first of the words. */
function cutLine(line: string, words: readonly string[]): string {
  if (line.length <= LONGEST_LINE) return line;
  const low = line.toLowerCase();
  const places = words.map((word) => low.indexOf(word)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...places, line.length) - LONGEST_LINE / 2);
  const from = places.length === 0 ? 0 : Math.floor(start);
  const cut = line.slice(from, from + LONGEST_LINE);
  return `${from > 0 ? '…' : ''}${cut}${from + LONGEST_LINE < line.length ? '…' : ''}`;
}

/** Returns the lines around the one with the most words. A name counts more than the same word within a path. */
export function excerpt(text: string, words: readonly string[]): Excerpt {
  const lines = stripAnsi(text).split('\n');
  const wanted = words.map((word) => word.toLowerCase());
  let best = { at: -1, score: 0 };
  for (const [at, line] of lines.entries()) {
    const low = line.toLowerCase();
    const score = wanted.reduce((sum, word) => {
      const rank = rankOf(low, word);
      return rank === null ? sum : sum + 3 - rank;
    }, 0);
    if (score > best.score) best = { at, score };
  }
  const from = Math.max(0, best.at - AROUND);
  const to = Math.max(0, best.at) + AROUND + 1;
  return {
    lines: lines.slice(from, to).map((line) => cutLine(line, wanted)),
    from: from + 1,
    at: best.at < 0 ? null : best.at + 1,
    all: lines.length,
  };
}
