/** The page Quality: its address and shares. */
import type { Quality, QualitySums } from '@tarsy/ui';

/** Verdicts in display order, the best first, with a colour that is visible on light and dark. */
export const VERDICTS = [
  ['supported', 'supported', '#2f9e77'],
  ['no_fault', 'no fault', '#7fc4a8'],
  ['partly_supported', 'partly supported', '#d9a12b'],
  ['inconclusive', 'inconclusive', '#8a8f98'],
  ['unsupported', 'unsupported', '#cf4f6b'],
  ['not_investigated', 'not investigated', '#9b5fb5'],
  ['not_checked', 'not checked', '#b9bdc4'],
] as const;

/** Formats a share in percent, `12 %`; `–` if `whole` is 0. A part is never shown as `0 %`, and only all as `100 %`. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 1) return '< 1 %';
  if (part < whole && percent > 99) return '> 99 %';
  return `${String(Math.round(percent))} %`;
}

export const sessionsWith = ({ verdicts }: Pick<QualitySums, 'verdicts'>, verdict: string): number =>
  verdicts[verdict]?.sessions ?? 0;

/** Sums the ratings of all verdicts. */
export function ratings({ verdicts }: Pick<QualitySums, 'verdicts'>): {
  right: number;
  partly: number;
  wrong: number;
  all: number;
} {
  const sums = { right: 0, partly: 0, wrong: 0, all: 0 };
  for (const one of Object.values(verdicts)) {
    sums.right += one.right;
    sums.partly += one.partly_right;
    sums.wrong += one.wrong;
  }
  sums.all = sums.right + sums.partly + sums.wrong;
  return sums;
}

/** Address of the list of a group's or a verdict's sessions in the shown time range. */
export function sessionsOf(
  filters: { chain?: string; verdict?: string },
  { from_us, to_us }: Pick<Quality, 'from_us' | 'to_us'>,
): string {
  return `/sessions?${new URLSearchParams({ ...filters, range: 'custom', from: String(from_us), to: String(to_us) }).toString()}`;
}
