/** Makes the invisible characters of a text visible. */

const HIDDEN = /(?![\n\r\t]|\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/**
 * Replaces invisible characters, and those that change the writing direction, by escapes like `\u{202e}`. Keeps line
 * breaks, tabs, spaces and the characters that join emoji.
 */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`);
