/** Converts values to text, and finds text in text. */

/** Formats a value: strings as is, anything else as indented JSON. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Returns the text of a model message's content, which is a text or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) {
    return content
      .map((part: unknown) =>
        part !== null && typeof part === 'object' && 'text' in part ? asText(part.text) : asText(part),
      )
      .join('\n');
  }
  return asText(content);
}

/** Whether a text contains a needle, ignoring case. */
export const containsText = (text: string, needle: string): boolean =>
  text.toLowerCase().includes(needle.toLowerCase());

/** Splits a text at matches; odd segments are the matches. */
export function highlightSegments(text: string, needle: string): string[] {
  if (needle === '') return [text];
  const low = text.toLowerCase();
  const wanted = needle.toLowerCase();
  // Lower-casing may change the length of some scripts; then hits can't be placed.
  if (low.length !== text.length) return [text];
  const out: string[] = [];
  let from = 0;
  for (let at = low.indexOf(wanted); at !== -1; at = low.indexOf(wanted, from)) {
    out.push(text.slice(from, at), text.slice(at, at + needle.length));
    from = at + needle.length;
  }
  out.push(text.slice(from));
  return out;
}

/** First lines of a text, and whether more follow. */
export function preview(text: string, lines: number, characters: number): { text: string; cut: boolean } {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const next = text.indexOf('\n', end);
    if (next === -1) {
      end = text.length;
      break;
    }
    end = next + 1;
  }
  end = Math.min(end, characters);
  return end >= text.length ? { text, cut: false } : { text: text.slice(0, end).trimEnd(), cut: true };
}
