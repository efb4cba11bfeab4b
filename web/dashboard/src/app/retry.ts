import { ApiError } from '@tarsy/ui';

/** Whether an error may pass by itself, because the server is away or in trouble. A refusal does not pass. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiError) || ['unreachable', 'timeout', 'overloaded', 'server'].includes(error.kind);

/** Whether a retry may help. */
export const worthRetrying = (times: number, error: unknown): boolean => mayPass(error) && times < 2;
