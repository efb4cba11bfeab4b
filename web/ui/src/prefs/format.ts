/** Number formats. */

/** `1,204`, `12.4k`, `3.1M`. */
export function formatCount(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  // Formatted by hand, because the browser's formatter takes 20 ms on its first use.
  if (value < 10_000) return String(value).replace(/(\d)(\d{3})$/, '$1,$2');
  if (value < 1_000_000) return `${(value / 1000).toFixed(value < 100_000 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** `$0.0042`, `$1.20`. Completeness `partial` makes it a lower bound, `none` means that there is no price. */
export function formatCost(usd: number | null | undefined, completeness?: string | null): string {
  if (usd === null || usd === undefined) return '–';
  if (completeness === 'none') return 'no price';
  const text = usd === 0 ? '$0' : usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
  return completeness === 'partial' ? `≥ ${text}` : text;
}

/** `812 B`, `4.2 kB`, `1.3 MB`. */
export function formatBytes(size: number): string {
  if (size < 1000) return `${String(size)} B`;
  if (size < 1_000_000) return `${(size / 1000).toFixed(1)} kB`;
  return `${(size / 1_000_000).toFixed(1)} MB`;
}

/** `1 stage`, `3 stages`. */
export function pluralize(number: number, word: string, many = `${word}s`): string {
  return `${formatCount(number)} ${number === 1 ? word : many}`;
}
