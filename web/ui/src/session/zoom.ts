/** Visible range of a waterfall's axis, in whole milliseconds from its start. */
import type { Bar } from './waterfall';

export interface Zoom {
  fromMs: number;
  toMs: number;
}

/** Parses the zoom of a URL; null: the whole axis. */
export function readZoom(word: string | null, spanMs: number): Zoom | null {
  const found = /^(\d+)-(\d+)$/.exec(word ?? '');
  if (found === null) return null;
  const zoom = { fromMs: Number(found[1]), toMs: Math.min(Number(found[2]), Math.ceil(spanMs)) };
  return zoom.toMs > zoom.fromMs ? zoom : null;
}

/** URL value of a zoom; null: the whole axis. */
export function writeZoom({ fromMs, toMs }: Zoom, spanMs: number): string | null {
  const from = Math.max(0, Math.floor(fromMs));
  const to = Math.min(Math.ceil(spanMs), Math.max(from + 1, Math.ceil(toMs)));
  return from === 0 && to >= spanMs ? null : `${String(from)}-${String(to)}`;
}

/** Scales a zoom around its middle, shifted to stay within the range. */
export function scaled({ fromMs, toMs }: Zoom, factor: number, spanMs: number): Zoom {
  const length = Math.min(spanMs, (toMs - fromMs) * factor);
  const from = Math.min(Math.max(0, (fromMs + toMs - length) / 2), spanMs - length);
  return { fromMs: from, toMs: from + length };
}

/** Bars that overlap a time range. */
export function within(bars: readonly Bar[], fromUs: number, toUs: number): Bar[] {
  return bars.filter((bar) => bar.endUs >= fromUs && bar.startUs <= toUs);
}
