/** The part of a waterfall's axis that is looked at, in whole milliseconds from its begin. */
import type { Bar } from './waterfall';

export interface Zoom { fromMs: number; toMs: number }

/** As it stands in an address, or null for all of it. */
export function readZoom(word: string | null, spanMs: number): Zoom | null {
  const found = /^(\d+)-(\d+)$/.exec(word ?? '');
  if (found === null) return null;
  const zoom = { fromMs: Number(found[1]), toMs: Math.min(Number(found[2]), Math.ceil(spanMs)) };
  return zoom.toMs > zoom.fromMs ? zoom : null;
}

/** For an address; null where it is all of it. */
export function writeZoom({ fromMs, toMs }: Zoom, spanMs: number): string | null {
  const from = Math.max(0, Math.floor(fromMs));
  const to = Math.min(Math.ceil(spanMs), Math.max(from + 1, Math.ceil(toMs)));
  return from === 0 && to >= spanMs ? null : `${String(from)}-${String(to)}`;
}

/** Around its middle, `factor` times as long; moved rather than cut where it would reach over an end. */
export function scaled({ fromMs, toMs }: Zoom, factor: number, spanMs: number): Zoom {
  const length = Math.min(spanMs, (toMs - fromMs) * factor);
  const from = Math.min(Math.max(0, (fromMs + toMs - length) / 2), spanMs - length);
  return { fromMs: from, toMs: from + length };
}

/** Bars that reach into a span; a stage stays with its calls. */
export function within(bars: readonly Bar[], fromUs: number, toUs: number): Bar[] {
  return bars.filter((bar) => bar.endUs >= fromUs && bar.startUs <= toUs);
}
