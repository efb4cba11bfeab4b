/** Longest wait for a page that may never show the answer, as when it was left, milliseconds. */
const PATIENCE_MS = 3000;

const shown = new Set<string>();
const waiting = new Set<(id: string) => void>();

/** Tells that the answer of this session is in the page; what is returned tells that it is no longer. For an effect. */
export function tellAnswerShown(id: string): () => void {
  shown.add(id);
  waiting.forEach((told) => {
    told(id);
  });
  return () => {
    shown.delete(id);
  };
}

/** Resolves when a page has told so: what comes after the answer is not read before it. */
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
