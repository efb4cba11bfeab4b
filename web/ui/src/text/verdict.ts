/** The verdict of a report: the first sentence of the parts that readers look for, in the author's words. */
import { outline, type Section } from './sections';

export interface ReportVerdict {
  /** What happened: the report's title, or its first sentence. */
  headline: string | null;
  cause: string | null;
  impact: string | null;
  /** What to do first: the first step whose stated risk is none or low, else the first step. */
  step: string | null;
  isStepSafe: boolean;
}

/** Titles of the parts of a report. The agents' instructions use the first title of each. */
const CAUSE = /^(?:\d+[.)] ?)?(?:root |probable )?cause\b/i;
const IMPACT = /^(?:\d+[.)] ?)?impact\b/i;
const STEPS =
  /^(?:\d+[.)] ?)?(?:next steps|recommend|remediation|mitigation|what to do|(?:suggested |recommended )?actions?\b)/i;

/** A shorter title is a name, not a sentence. */
const FEWEST_WORDS = 4;
/** Maximum length of a step that is shown whole, in characters. */
const LONGEST_STEP = 320;
const LIST_MARK = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const NO_PROSE = /^\s*(?:\||`{3}|~{3}|>)/;
const SAFE = /\brisk(?:\s+is)?\s*[:=]?\s*\**\s*(?:none|no\b|low|minimal|negligible)/i;
const SENTENCE_END = /[.!?](?=\s+["'(`*\p{Lu}\d]|\s*$)/gu;
const SHORTENED = /\b(?:e\.g|i\.e|etc|vs|approx|no)\.$/i;

/** Splits lines into paragraphs and list items; `null` stands for a table, code or a quotation. */
function blocks(lines: readonly string[]): (string | null)[] {
  const all: string[][] = [];
  let isOpen = false;
  for (const line of lines) {
    if (line.trim() === '') {
      isOpen = false;
      continue;
    }
    if (!isOpen || LIST_MARK.test(line)) all.push([]);
    all.at(-1)?.push(line.replace(LIST_MARK, '').trim());
    isOpen = true;
  }
  return all.map((block) => (NO_PROSE.test(block[0] ?? '') ? null : block.join(' ')));
}

/** Returns the first sentence of a text. A full stop within code or emphasis does not end it. */
export function firstSentence(text: string): string {
  for (const { index } of text.matchAll(SENTENCE_END)) {
    const sentence = text.slice(0, index + 1);
    const isWithin = (mark: string): boolean => (sentence.split(mark).length - 1) % 2 === 1;
    if (!SHORTENED.test(sentence) && !isWithin('`') && !isWithin('**')) return sentence;
  }
  return text;
}

/** Extracts the verdict of a report; null: it has no part about a cause, an impact or next steps. */
export function reportVerdict(markdown: string): ReportVerdict | null {
  const { sections } = outline(markdown);
  const lines = markdown.split(/\r\n|\n|\r/);
  const below = (at: number): (string | null)[] =>
    blocks(lines.slice(sections[at]?.line ?? 0, (sections[at + 1]?.line ?? lines.length + 1) - 1));
  const part = (title: RegExp): (string | null)[] => {
    const at = sections.findIndex((section) => title.test(section.title));
    return at < 0 ? [] : below(at);
  };
  const opening = (all: readonly (string | null)[]): string | null => {
    const [first] = all;
    return first == null ? null : firstSentence(first);
  };
  const steps = part(STEPS).filter((block) => block !== null);
  const safe = steps.find((block) => SAFE.test(block));
  const step = safe ?? steps[0] ?? null;
  const cause = opening(part(CAUSE));
  const impact = opening(part(IMPACT));
  if (cause === null && impact === null && step === null) return null;
  const [first] = sections;
  const isTitle = (section: Section): boolean =>
    section.level === 1 && section.title.split(/\s+/).length >= FEWEST_WORDS;
  const head = opening(blocks(lines.slice(0, (first?.line ?? lines.length + 1) - 1)));
  const belowTitle = first?.level === 1 ? opening(below(0)) : null;
  return {
    headline: head ?? (first !== undefined && isTitle(first) ? first.title : belowTitle),
    cause,
    impact,
    step: step !== null && step.length > LONGEST_STEP ? firstSentence(step) : step,
    isStepSafe: safe !== undefined,
  };
}
