/** Outline of an analysis: sections and confidence. */

export interface Section {
  title: string;
  /** 1 for `#`. */
  level: number;
  /** Line of its heading, from 1. The renderer has the same line, no matter what the model wrote in the heading. */
  line: number;
}

const LEVELS = ['high', 'medium', 'low'] as const;
export type Confidence = (typeof LEVELS)[number];

export interface Outline {
  sections: readonly Section[];
  /** null: none is stated, or different ones. */
  confidence: Confidence | null;
}

/** Maximum length of a heading that is linked, in characters. */
const LONGEST = 200;
/** Maximum number of links: a row or two. */
const MOST_LINKS = 12;
const FEWEST_LINKS = 3;

const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const LINK = /\[([^[\]]*)\]\([^()]*\)/g;
/** A single word; `medium-high` does not count. */
const WORD = /^(high|medium|low)(?![\p{L}\p{N}_/–-])/iu;

/** Whether a line closes a code block: at least as many marks as opened it, and nothing else. */
const closes = (line: string, fence: string): boolean =>
  line.startsWith(fence) && line === fence.charAt(0).repeat(line.length);

/** Plain text of a heading. */
function titleOf(raw: string): string {
  let end = raw.trimEnd();
  const bare = end.replace(/#+$/, '');
  // Closing marks follow a space, so `C#` has none.
  if (bare === '' || /\s$/.test(bare)) end = bare.trimEnd();
  return end.replace(LINK, '$1').replace(/[*`]/g, '').trim();
}

/** Confidence level at the start of a text. */
function levelOf(text: string): Confidence | null {
  const word = WORD.exec(text.replace(/^[\s>*_`+-]+/, ''))?.[1]?.toLowerCase();
  return LEVELS.find((level) => level === word) ?? null;
}

/** Text after `Confidence:` at the start of a line. */
const declared = (line: string): string | null =>
  /^ {0,3}(?:#{1,6} )?confidence ?:(.*)$/i.exec(line.replace(/[*_`]/g, ''))?.[1]?.trimStart() ?? null;

const isConfidence = (title: string): boolean => /^(?:\d+[.)] ?)?confidence:?$/i.test(title);

/** The common level; null if they differ. */
const agreed = (said: readonly (Confidence | null)[]): Confidence | null =>
  said.every((level) => level === said[0]) ? (said[0] ?? null) : null;

/** Sections and stated confidence of a Markdown text. */
export function outline(markdown: string): Outline {
  const sections: Section[] = [];
  const inSections: (Confidence | null)[] = [];
  const inLines: (Confidence | null)[] = [];
  let fence: string | null = null;
  // Whether a heading `Confidence` was just above.
  let due = false;
  for (const [index, whole] of markdown.split(/\r\n|\n|\r/).entries()) {
    const line = whole.slice(0, LONGEST);
    if (fence !== null) {
      if (closes(line.trim(), fence)) fence = null;
      continue;
    }
    const [, mark, info = ''] = FENCE.exec(line) ?? [];
    const heading = HEADING.exec(line);
    if (due && line.trim() !== '') {
      inSections.push(heading === null ? levelOf(line) : null);
      due = false;
    }
    // Three backticks with another one later in the line are inline code.
    if (mark !== undefined && !(mark.startsWith('`') && info.includes('`'))) {
      fence = mark;
      continue;
    }
    const said = declared(line);
    if (said !== null && said !== '') inLines.push(levelOf(said));
    if (heading === null || whole.length > LONGEST) continue;
    const title = titleOf(heading[2] ?? '');
    if (title === '') continue;
    sections.push({ title, level: heading[1]?.length ?? 0, line: index + 1 });
    due = isConfidence(title);
  }
  if (due) inSections.push(null);
  return { sections, confidence: agreed(inSections.length > 0 ? inSections : inLines) };
}

/** Sections to link: those of the topmost level that has three or more. */
export function linked(sections: readonly Section[]): readonly Section[] {
  for (let level = 1; level <= 6; level += 1) {
    const own = sections.filter((section) => section.level === level);
    if (own.length >= FEWEST_LINKS) return own.slice(0, MOST_LINKS);
  }
  return [];
}
