/** Differences between two lists and between two texts. */
import { diffArrays } from 'diff';

/** Lists that differ by more edits are shown one after the other: the edits are slow to find, and too many to read. */
const MAX_EDITS = 1200;
/** Passages that share less than this share of letters are shown as removed and added. */
const MIN_SIMILARITY = 0.4;

export type Edit<T> = { kind: 'same'; a: T; b: T } | { kind: 'gone'; a: T } | { kind: 'new'; b: T };

/** Length of the common start of two lists, up to `limit`. */
function commonStart(a: readonly string[], b: readonly string[], limit: number): number {
  const end = a.slice(0, limit).findIndex((key, at) => key !== b[at]);
  return end === -1 ? Math.min(a.length, limit) : end;
}

/** Edits from one list to another. Entries with the same `key` are the same. In each change, removals come first. */
export function diff<T>(a: readonly T[], b: readonly T[], key: (one: T) => string): Edit<T>[] {
  const [left, right] = [a.map(key), b.map(key)];
  const shorter = Math.min(left.length, right.length);
  // Trims first, so that common starts and ends stay aligned if there are too many edits in between.
  const head = commonStart(left, right, shorter);
  const tail = commonStart(left.toReversed(), right.toReversed(), shorter - head);
  const [middleA, middleB] = [left.slice(head, left.length - tail), right.slice(head, right.length - tail)];
  const changes = diffArrays(middleA, middleB, { maxEditLength: MAX_EDITS }) ?? [
    { value: middleA, removed: true },
    { value: middleB, added: true },
  ];
  const edits: Edit<T>[] = [];
  let [x, y] = [0, 0];
  const step = (kind: Edit<T>['kind']): void => {
    if (kind === 'gone') edits.push({ kind, a: a[x] as T });
    else if (kind === 'new') edits.push({ kind, b: b[y] as T });
    else edits.push({ kind, a: a[x] as T, b: b[y] as T });
    if (kind !== 'new') x += 1;
    if (kind !== 'gone') y += 1;
  };
  const steps = (kind: Edit<T>['kind'], count: number): void => {
    for (let done = 0; done < count; done += 1) step(kind);
  };
  steps('same', head);
  for (const { value, removed = false, added = false } of changes)
    steps(removed ? 'gone' : added ? 'new' : 'same', value.length);
  steps('same', tail);
  return edits;
}

/** A part of a line. `changed`: a similar line on the other side differs here. */
export interface Piece {
  text: string;
  changed: boolean;
}
export interface Line {
  kind: 'same' | 'gone' | 'new';
  pieces: Piece[];
}

const words = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
const itself = (text: string): string => text;
const plainLines = (kind: Line['kind'], texts: readonly string[]): Line[] =>
  texts.map((text) => ({ kind, pieces: [{ text, changed: false }] }));

/** Splits pieces into lines and joins neighbours of one kind. */
function linesOf(kind: 'gone' | 'new', pieces: readonly Piece[]): Line[] {
  const lines: Line[] = [{ kind, pieces: [] }];
  for (const { text, changed } of pieces) {
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.push({ kind, pieces: [] });
      const line = lines[lines.length - 1]?.pieces ?? [];
      const last = line.at(-1);
      if (last?.changed === changed) last.text += part;
      else if (part !== '') line.push({ text: part, changed });
    });
  }
  return lines;
}

/** Lines of a changed passage, word by word if both sides are similar. */
function changed(gone: readonly string[], fresh: readonly string[]): Line[] {
  const apart = [...plainLines('gone', gone), ...plainLines('new', fresh)];
  if (gone.length === 0 || fresh.length === 0) return apart;
  const [before, after] = [gone.join('\n'), fresh.join('\n')];
  const edits = diff(words(before), words(after), itself);
  const letters = (text: string): number => text.replaceAll(/\s/g, '').length;
  const shared = edits.reduce((sum, edit) => sum + (edit.kind === 'same' ? letters(edit.a) : 0), 0);
  if (shared < MIN_SIMILARITY * Math.max(letters(before), letters(after))) return apart;
  return [
    ...linesOf(
      'gone',
      edits.flatMap((edit) => (edit.kind === 'new' ? [] : [{ text: edit.a, changed: edit.kind === 'gone' }])),
    ),
    ...linesOf(
      'new',
      edits.flatMap((edit) => (edit.kind === 'gone' ? [] : [{ text: edit.b, changed: edit.kind === 'new' }])),
    ),
  ];
}

/** Line diff of two texts. */
export function diffText(a: string, b: string): Line[] {
  const lines: Line[] = [];
  let [gone, fresh]: [string[], string[]] = [[], []];
  const flush = (): void => {
    lines.push(...changed(gone, fresh));
    [gone, fresh] = [[], []];
  };
  for (const edit of diff(a.split('\n'), b.split('\n'), itself)) {
    if (edit.kind === 'same') {
      flush();
      lines.push(...plainLines('same', [edit.a]));
    } else if (edit.kind === 'gone') gone.push(edit.a);
    else fresh.push(edit.b);
  }
  flush();
  return lines;
}

/** Folds runs of unchanged entries, except for `around` entries of context. */
export function folded<T>(all: readonly T[], isSame: (one: T) => boolean, around: number): (T[] | T)[] {
  const near = new Set<number>();
  all.forEach((one, index) => {
    if (!isSame(one)) for (let at = index - around; at <= index + around; at += 1) near.add(at);
  });
  const out: (T[] | T)[] = [];
  let run: T[] = [];
  // A single entry takes no more room than its placeholder.
  const flush = (): void => {
    if (run.length > 1) out.push(run);
    else out.push(...run);
    run = [];
  };
  all.forEach((one, index) => {
    if (near.has(index)) {
      flush();
      out.push(one);
    } else run.push(one);
  });
  flush();
  return out;
}
