/**
 * Runs a task when it is called, one run at a time: calls during a run are answered by a single further run.
 * The promise of a call that starts nothing resolves at once.
 */
export function serial(task: () => Promise<void>): () => Promise<void> {
  let running = false;
  let requested = false;
  return async () => {
    requested = true;
    if (running) return;
    running = true;
    try {
      while (requested) {
        requested = false;
        await task();
      }
    } finally {
      running = false;
    }
  };
}
