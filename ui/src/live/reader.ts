/** Reads a query again when something happened, however fast things happen. */
import type { QueryClient } from '@tanstack/react-query';

/**
 * A function that reads a query again: at once, or right behind the reading that is under way. That one is not
 * cut short: events that come faster than answers would let none through.
 */
export function reader(queries: QueryClient, queryKey: readonly unknown[]): () => Promise<void> {
  let reading = false;
  let again = false;
  return async () => {
    again = true;
    if (reading) return;
    reading = true;
    try {
      while (again) {
        // One that began before this event may have missed it.
        again = queries.isFetching({ queryKey, exact: true }) > 0;
        await queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
      }
    } finally {
      reading = false;
    }
  };
}
