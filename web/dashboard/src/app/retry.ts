import { ApiError } from '@tarsy/ui';

/** Whether an error may pass by itself: the server is away or in trouble. An answer that refuses stays so. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiError) || ['unreachable', 'timeout', 'overloaded', 'server'].includes(error.kind);

/** Whether a retry may help. */
export const worthRetrying = (times: number, error: unknown): boolean => mayPass(error) && times < 2;
