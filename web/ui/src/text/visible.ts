/** Writes out what a reader can't see in a text. */

const HIDDEN = /(?![\n\r\t]|\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Writes invisible characters, and those that change the direction of writing, as `\u{202e}`. Line breaks, tabs, blanks and what emoji are joined by stay. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`);
