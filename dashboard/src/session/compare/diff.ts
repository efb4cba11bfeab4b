/** What is different between two lists, and between two texts. The way of Myers: the fewest steps from one to the other. */

/** Beyond this many steps two lists are told one after the other: nobody would read the steps, and finding them takes long. */
const MOST = 1200;
/** Two passages that share less than this of their letters are not one that was changed. */
const ALIKE = 0.4;

export type Step<T> = { kind: 'same'; a: T; b: T } | { kind: 'gone'; a: T } | { kind: 'new'; b: T };

/** How far each diagonal reaches after 0, 1, 2... steps, until both ends are met; null: too many. */
function reaches(a: readonly string[], b: readonly string[]): Int32Array[] | null {
  const most = Math.min(a.length + b.length, MOST);
  const far = new Int32Array(2 * most + 3);
  const before: Int32Array[] = [];
  for (let steps = 0; steps <= most; steps += 1) {
    before.push(far.slice(most - steps, most + steps + 3));
    for (let k = -steps; k <= steps; k += 2) {
      const at = most + 1 + k;
      const down = k === -steps || (k !== steps && (far[at - 1] ?? 0) < (far[at + 1] ?? 0));
      let x = down ? (far[at + 1] ?? 0) : (far[at - 1] ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      far[at] = x;
      if (x >= a.length && x - k >= b.length) return before;
    }
  }
  return null;
}

/** Steps from one list to another; `key` tells what is the same. What is gone stands before what is new in its place. */
export function diff<T>(a: readonly T[], b: readonly T[], key: (one: T) => string): Step<T>[] {
  const [left, right] = [a.map(key), b.map(key)];
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;
  const same = (x: number, y: number): Step<T> => ({ kind: 'same', a: a[x] as T, b: b[y] as T });
  const [midA, midB] = [left.slice(head, left.length - tail), right.slice(head, right.length - tail)];
  const middle: Step<T>[] = [];
  let [x, y] = [midA.length, midB.length];
  const gone = (): void => { x -= 1; middle.push({ kind: 'gone', a: a[head + x] as T }); };
  const fresh = (): void => { y -= 1; middle.push({ kind: 'new', b: b[head + y] as T }); };
  const before = reaches(midA, midB) ?? [];
  for (let steps = before.length - 1; steps > 0; steps -= 1) {
    // The diagonal k stands at k + steps + 1 of what was kept of that step.
    const at = (k: number): number => before[steps]?.[k + steps + 1] ?? 0;
    const k = x - y;
    const down = k === -steps || (k !== steps && at(k - 1) < at(k + 1));
    const from = down ? at(k + 1) : at(k - 1);
    const turn = down ? from : from + 1;
    while (x > turn) { x -= 1; y -= 1; middle.push(same(head + x, head + y)); }
    if (down) fresh(); else gone();
  }
  if (before.length > 0) while (x > 0) { x -= 1; y -= 1; middle.push(same(head + x, head + y)); }
  while (y > 0) fresh();
  while (x > 0) gone();
  return ordered([
    ...left.slice(0, head).map((_, index) => same(index, index)), ...middle.reverse(),
    ...left.slice(left.length - tail).map((_, index) => same(left.length - tail + index, right.length - tail + index)),
  ]);
}

/** Within each change, what is gone first. */
function ordered<T>(steps: readonly Step<T>[]): Step<T>[] {
  const out: Step<T>[] = [];
  let later: Step<T>[] = [];
  for (const step of steps) {
    if (step.kind === 'new') { later.push(step); continue; }
    if (step.kind === 'same') { out.push(...later); later = []; }
    out.push(step);
  }
  return [...out, ...later];
}

/** A part of a line; `changed` where a line like it has another there. */
export interface Piece { text: string; changed: boolean }
export interface Line { kind: 'same' | 'gone' | 'new'; pieces: Piece[] }

const words = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
const itself = (text: string): string => text;
const plainLines = (kind: Line['kind'], texts: readonly string[]): Line[] => texts.map((text) => ({ kind, pieces: [{ text, changed: false }] }));

/** Pieces cut into lines where they hold line ends; neighbours of one kind become one. */
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

/** A passage and what stands in its place: word by word where they are alike. */
function changed(gone: readonly string[], fresh: readonly string[]): Line[] {
  const apart = [...plainLines('gone', gone), ...plainLines('new', fresh)];
  if (gone.length === 0 || fresh.length === 0) return apart;
  const [before, after] = [gone.join('\n'), fresh.join('\n')];
  const steps = diff(words(before), words(after), itself);
  const letters = (text: string): number => text.replaceAll(/\s/g, '').length;
  const shared = steps.reduce((sum, step) => sum + (step.kind === 'same' ? letters(step.a) : 0), 0);
  if (shared < ALIKE * Math.max(letters(before), letters(after))) return apart;
  return [
    ...linesOf('gone', steps.flatMap((step) => (step.kind === 'new' ? [] : [{ text: step.a, changed: step.kind === 'gone' }]))),
    ...linesOf('new', steps.flatMap((step) => (step.kind === 'gone' ? [] : [{ text: step.b, changed: step.kind === 'new' }]))),
  ];
}

/** Two texts as one list of lines. */
export function diffText(a: string, b: string): Line[] {
  const lines: Line[] = [];
  let [gone, fresh]: [string[], string[]] = [[], []];
  const flush = (): void => { lines.push(...changed(gone, fresh)); [gone, fresh] = [[], []]; };
  for (const step of diff(a.split('\n'), b.split('\n'), itself)) {
    if (step.kind === 'same') { flush(); lines.push(...plainLines('same', [step.a])); }
    else if (step.kind === 'gone') gone.push(step.a);
    else fresh.push(step.b);
  }
  flush();
  return lines;
}

/** Runs of what is the same become one entry each, but for what stands `around` a change. */
export function folded<T>(all: readonly T[], isSame: (one: T) => boolean, around: number): (T[] | T)[] {
  const near = new Set<number>();
  all.forEach((one, index) => { if (!isSame(one)) for (let at = index - around; at <= index + around; at += 1) near.add(at); });
  const out: (T[] | T)[] = [];
  let run: T[] = [];
  // One that stands alone takes no more room than what would stand for it.
  const flush = (): void => { if (run.length > 1) out.push(run); else out.push(...run); run = []; };
  all.forEach((one, index) => { if (near.has(index)) { flush(); out.push(one); } else run.push(one); });
  flush();
  return out;
}
