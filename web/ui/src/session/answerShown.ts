/** Maximum wait for a page that may never show the answer, e.g. because the user left it, in milliseconds. */
const PATIENCE_MS = 3000;

const shown = new Set<string>();
const waiting = new Set<(id: string) => void>();

/** Announces that the page shows the answer of this session. Returns the cleanup function, for use in an effect. */
export function tellAnswerShown(id: string): () => void {
  shown.add(id);
  waiting.forEach((told) => {
    told(id);
  });
  return () => {
    shown.delete(id);
  };
}

/**
 * Resolves when a page shows the answer of this session, or after `PATIENCE_MS`. Callers await it to load what stands
 * below the answer only afterwards.
 */
export async function answerShown(id: string): Promise<void> {
  if (shown.has(id)) return;
  await new Promise<void>((resolve) => {
    const over = (): void => {
      waiting.delete(told);
      clearTimeout(patience);
      resolve();
    };
    const told = (one: string): void => {
      if (one === id) over();
    };
    const patience = setTimeout(over, PATIENCE_MS);
    waiting.add(told);
  });
}
