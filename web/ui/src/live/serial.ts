/**
 * Returns a function that runs a task, one run at a time. All calls during a run cause a single further run.
 * The promise of a call that starts no run resolves at once.
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
