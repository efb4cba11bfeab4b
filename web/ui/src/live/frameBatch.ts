/** Maximum wait of items while no frames are drawn (in a hidden tab), in milliseconds. */
const HIDDEN_MS = 250;

/** Collects items and delivers them together, once per animation frame. */
export class FrameBatch<T> {
  private items: T[] = [];
  private cancel: (() => void) | null = null;

  constructor(private readonly deliver: (items: readonly T[]) => void) {}

  push(item: T): void {
    this.items.push(item);
    if (this.cancel !== null) return;
    const flush = (): void => {
      this.flush();
    };
    const frame = requestAnimationFrame(flush);
    const timer = setTimeout(flush, HIDDEN_MS);
    this.cancel = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }

  /** Delivers the collected items now. */
  flush(): void {
    this.cancel?.();
    this.cancel = null;
    const { items } = this;
    this.items = [];
    if (items.length > 0) this.deliver(items);
  }

  /** Drops the collected items. */
  clear(): void {
    this.items = [];
    this.flush();
  }
}
