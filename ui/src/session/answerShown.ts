/** Longest wait for a page that may never show the answer, as when it was left, milliseconds. */
const PATIENCE_MS = 3000;

const shown = new Set<string>();
const waiting = new Map<string, () => void>();

/** Tells that the answer of this session is in the page; what is returned tells that it is no longer. For an effect. */
export function tellAnswerShown(id: string): () => void {
  shown.add(id);
  waiting.get(id)?.();
  return () => { shown.delete(id); };
}

/** Resolves when a page has told so: what comes after the answer is not read before it. */
export async function answerShown(id: string): Promise<void> {
  if (shown.has(id)) return;
  await new Promise<void>((resolve) => {
    waiting.set(id, resolve);
    setTimeout(resolve, PATIENCE_MS);
  });
  waiting.delete(id);
}
