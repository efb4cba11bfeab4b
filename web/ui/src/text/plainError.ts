/** Errors of services in words that operators know. */

/** Wordings of operating systems and libraries, with plain replacements. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/^no (?:stage reached an analysis \((.*)\)|answer: (.*))$/, 'No answer: $1$2'],
  // The class that this removes is also in `error_class`. If several stages failed, each part has its own class.
  [/\bthe model gave no answer: (\S+): [a-z_]+: (.*?)\.?(?=$|; [^;:]+: )/g, '$2 (provider $1)'],
  [/\bits condition is false: /g, 'condition not met: '],
  [/\s*\(os error \d+\)/gi, ''],
  [/\btransport \[[^\]]*\] error: /gi, ''],
  [/\[?\b[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+\]?(?: error)?:? ?/g, ''],
  [/\bNo such file or directory\b/gi, 'not found'],
  [/\b(?:broken pipe|connection reset by peer|early eof|unexpected end of file)\b/gi, 'the connection broke'],
  [/\bconnection refused\b/gi, 'the connection was refused'],
];

/** A shorter part of an error may be the end of another part by chance. */
const SHORTEST_REPEAT = 8;

/** Removes program types and system error numbers from an error, and repeated parts of its chain. */
export function plainError(text: string): string {
  const plain = PLAIN.reduce((said, [words, meaning]) => said.replace(words, meaning), text);
  const parts = plain
    .split(/: (?=\S)/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const repeats = (part: string, before = ''): boolean =>
    part === before || (part.length >= SHORTEST_REPEAT && before.toLowerCase().endsWith(part.toLowerCase()));
  const kept = parts.filter((part, at) => !repeats(part, parts[at - 1]));
  return kept.join(': ').replace(/\.$/, '');
}

/** Explains why a runbook is missing, in one line. */
export function runbookProblem(url: string | null | undefined, error: string): string {
  const name = url == null ? 'The runbook' : `Runbook ${url}`;
  const cause = plainError(error).replace(/^failed to fetch the runbook(?:: |$)/i, '');
  return /\bnot found\b/i.test(cause)
    ? `${name} was not found`
    : `${name} could not be fetched${cause === '' ? '' : `: ${cause}`}`;
}
