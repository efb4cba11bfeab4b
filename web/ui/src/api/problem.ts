/** API errors. */

/** RFC 9457 body; `code` is listed in docs/ERRORS.md. */
export interface ProblemBody {
  title?: string;
  status?: number;
  code?: string;
  detail?: string;
  errors?: { field: string; detail: string }[];
  [member: string]: unknown;
}

/** Error kinds that are shown differently. */
export type ProblemKind =
  | 'unreachable'
  | 'timeout'
  | 'unauthorized'
  | 'forbidden'
  | 'absent'
  | 'not_found'
  | 'invalid'
  | 'overloaded'
  | 'server';

/** A failed request. */
export class ApiError extends Error {
  readonly kind: ProblemKind;
  readonly status: number;
  readonly problem: ProblemBody;

  constructor(kind: ProblemKind, status: number, problem: ProblemBody) {
    super(problem.detail ?? problem.title ?? `HTTP ${String(status)}`);
    this.name = 'ApiError';
    this.kind = kind;
    this.status = status;
    this.problem = problem;
  }

  /** Error code of the API, or the kind if the API gave none. */
  get code(): string {
    return this.problem.code ?? this.kind;
  }
}

/** Returns the kind of an error. Code `not_found` means an unknown path, so the kind is `absent`. */
export function kindOf(status: number, code: string | undefined): ProblemKind {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 405) return 'absent';
  if (status === 404) return code === 'not_found' || code === undefined ? 'absent' : 'not_found';
  if (status === 503 || status === 429) return 'overloaded';
  if (status >= 500) return 'server';
  return 'invalid';
}

/** Converts any thrown value to an `ApiError`. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiError('server', 0, { title: 'Something went wrong in this page', detail });
}
