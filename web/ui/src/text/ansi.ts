/** ANSI colours in tool output. */
import type { Tone } from '../theme/tones';

export interface Piece {
  text: string;
  bold: boolean;
  faint: boolean;
  tone: Tone | null;
}

/** Tones by the last digit of a colour's code; black and white keep the colour of the text. */
const TONES: (Tone | null)[] = [null, 'bad', 'good', 'warn', 'run', 'run', 'run', null];

// Control sequences, titles and links that a terminal would not show, also if the end of the text cuts them off.
// eslint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[([0-9;:]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\[[0-9;:]*$|[@-Z\\^_]|$)/g;

const has = (text: string): boolean => text.includes('\u001b');

/** Strips the escapes from a text. */
export const stripAnsi = (text: string): string => (has(text) ? text.replace(ESCAPES, '') : text);

function styled(now: Omit<Piece, 'text'>, codes: string): Omit<Piece, 'text'> {
  let next = now;
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    if (code === 0) next = { bold: false, faint: false, tone: null };
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, faint: true };
    else if (code === 22) next = { ...next, bold: false, faint: false };
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97))
      next = { ...next, tone: TONES[code % 10] ?? null, faint: code === 90 };
    else if (code === 39) next = { ...next, tone: null };
    // The numbers of a palette colour or an RGB colour are no codes.
    else if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
  }
  return next;
}

/** Parses ANSI codes into styled segments. */
export function parseAnsi(text: string): Piece[] {
  let look: Omit<Piece, 'text'> = { bold: false, faint: false, tone: null };
  if (!has(text)) return [{ text, ...look }];
  const out: Piece[] = [];
  let from = 0;
  const add = (to: number): void => {
    if (to > from) out.push({ text: text.slice(from, to), ...look });
  };
  for (const match of text.matchAll(ESCAPES)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm') look = styled(look, match[1] ?? '');
  }
  add(text.length);
  return out;
}
