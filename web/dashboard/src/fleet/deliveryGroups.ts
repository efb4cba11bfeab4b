/** Undelivered notifications in groups. */
import type { DeliveryGroup, RedeliveredGroup } from '@tarsy/ui';
import { ANSWERED } from './deliveries';

/** Why the notifications of a group were not delivered. */
export function groupReason({
  error,
  response_status: status,
}: Pick<DeliveryGroup, 'error' | 'response_status'>): string {
  return error?.replace(ANSWERED, 'HTTP $1') ?? (status == null ? 'not attempted yet' : `HTTP ${String(status)}`);
}

/** Redelivers part after part until the group is empty or a part affects nothing. Returns how many it redelivered. */
export async function redeliverAll(
  part: () => Promise<RedeliveredGroup>,
  onProgress: (done: number) => void,
): Promise<number> {
  let done = 0;
  for (;;) {
    const { affected, has_more: hasMore } = await part();
    done += affected;
    onProgress(done);
    if (!hasMore || affected === 0) return done;
  }
}
