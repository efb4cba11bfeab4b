// Generated from the API's OpenAPI document by `npm run types`; not edited.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report that the service runs.
         * @description Browsers are redirected to the dashboard.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The service runs */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Root"];
                    };
                };
                /** @description Redirect to the dashboard, for browsers */
                303: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alert-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the alert types that have a chain, sorted. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Alert types */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": string[];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit an alert.
         * @description Responds after the alert's session and its first job were committed together. If the same alert is sent again
         *     while its session runs, the response names that session. The same applies to a repeated `Idempotency-Key`, as long
         *     as the session is retained.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Makes the request safe to retry */
                    "Idempotency-Key"?: string | null;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SubmitAlert"];
                };
            };
            responses: {
                /** @description Accepted and committed */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SubmitAnswer"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid alert; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No LLM provider, too many pending sessions, or the database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check an alert without submitting it.
         * @description Rejects an alert that `POST /alerts` would reject because of its content. Nothing is stored, so the result may
         *     differ when the alert is submitted: a session may have ended, or another alert arrived.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description As in `POST /alerts` */
                    "Idempotency-Key"?: string | null;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SubmitAlert"];
                };
            };
            responses: {
                /** @description Result of the dry run */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Foreseen"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid alert; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No LLM provider, or the database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/runbook-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check that a runbook can be fetched.
         * @description Fetches it as a chain worker would, and stores nothing. Each caller can run one check at a time. Callers with role
         *     `ingest` do not learn whether a GitHub repository is forbidden or lacks the file.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NamedRunbook"];
                };
            };
            responses: {
                /** @description Result of the check */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunbookState"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid runbook address */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/{alert_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the status of an alert. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id returned by `POST /alerts` */
                    alert_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Status of the alert's session */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Progress"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Alert not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log, newest first.
         * @description Entries are never changed or deleted.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Name of an API key or a person. */
                    actor?: string;
                    /** @description Action, e.g. `session.cancel`. */
                    action?: string;
                    /** @description Id or name of a session, queue, worker, job or key. */
                    subject?: string;
                    /** @description `next` of the previous page. */
                    before?: number;
                    /** @description 1 to 200; default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AuditLog"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the configuration of this process, without secrets.
         * @description The configuration can't be changed through the API.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Agents, chains, servers, providers, sources, settings */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ConfigView"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/dead-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List dead jobs, newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Queue. */
                    queue?: string;
                    /** @description `exhausted`, `cancelled` or `undecodable`. */
                    reason?: string;
                    /** @description `next` of the previous page. */
                    before?: string;
                    /** @description 1 to 200; default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeadJobs"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/dead-jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a dead job with its payload. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id from the list */
                    job_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The job */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeadJob"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Dead job not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/dead-jobs/{job_id}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discard a dead job.
         * @description Refused while a running session depends on the job.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id from the list */
                    job_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReasonBody"];
                };
            };
            responses: {
                /** @description Discarded; returns the job as it was before */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeadJob"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Dead job not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A running session depends on the job */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid body; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/dead-jobs/{job_id}/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Requeue a dead job and reset its attempt counts. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id from the list */
                    job_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReasonBody"];
                };
            };
            responses: {
                /** @description Requeued; returns the job as it was before */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeadJob"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Dead job not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description An active job with the same unique key exists */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid body; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store the summary of an evaluation. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["EvaluationWanted"];
                };
            };
            responses: {
                /** @description Stored */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Evaluation"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid summary */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List keys, including revoked ones. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Keys */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Keys"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Create a key.
         * @description Only this response contains the key.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["KeyWanted"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["KeyMade"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description An active key has this name, or the key limit is reached */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `errors` names each invalid field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/keys/{key_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a key.
         * @description Every process rejects the key within three seconds. A key cannot revoke itself.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id from the list */
                    key_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReasonBody"];
                };
            };
            responses: {
                /** @description Revoked, now or earlier */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Key"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Key not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A key cannot revoke itself */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid body; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List queues.
         * @description Includes every queue that is configured, has workers, is paused or has jobs.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Queues */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["QueueStates"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/queues/{queue}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a queue.
         * @description Running jobs continue, and the pause survives restarts. If the queue is already paused, the first reason is kept.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /**
                     * @description Name of the queue
                     * @example stage:default
                     */
                    queue: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReasonBody"];
                };
            };
            responses: {
                /** @description Paused */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["QueueState"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Queue not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid body; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/queues/{queue}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a queue. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /**
                     * @description Name of the queue
                     * @example stage:default
                     */
                    queue: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReasonBody"];
                };
            };
            responses: {
                /** @description Resumed */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["QueueState"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Queue not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid body; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/rejected-alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List rejected alerts, newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Webhook source, `alerts` for `POST /alerts`, or `unknown`. */
                    source?: string;
                    /** @description Problem code of the request or one of its alerts. */
                    code?: string;
                    /** @description Fingerprint of an alert. */
                    fingerprint?: string;
                    /** @description `next` of the previous page. */
                    before?: string;
                    /** @description 1 to 200; default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Rejected alerts */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Rejections"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/rejected-alerts/{rejection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a rejected alert with its stored body. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id from the list */
                    rejection_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The rejected alert */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RejectionDetail"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rejected alert not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/rejected-alerts/{rejection_id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resubmit a rejected alert as it was sent.
         * @description Submits it on behalf of the caller. It is handled like the original request, except that the operator's
         *     credentials replace the sender's signature. The response is that of the original endpoint.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id from the list */
                    rejection_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReasonBody"];
                };
            };
            responses: {
                /** @description Response of `POST /alerts` or `POST /webhooks/{source}` */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rejected alert or its webhook source not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The stored body is incomplete */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason, or the alert is rejected again */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No LLM provider, too many pending sessions, or the database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get retention periods and table sizes. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Retention periods and table sizes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RetentionState"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/retention/prune": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete expired data in small batches.
         * @description Only counts the data, unless `dry_run` is false.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PruneAsked"];
                };
            };
            responses: {
                /** @description Result */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Pruned"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid body; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/sessions/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the running sessions that match a filter.
         * @description Only counts the sessions, unless `dry_run` is false.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BulkRequest"];
                };
            };
            responses: {
                /** @description Result */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ManySessions"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason, or an invalid filter */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/sessions/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay failed stages of sessions that match a filter.
         * @description Replays the first failed stage of each ended session. Only counts the sessions, unless `dry_run` is false.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BulkRequest"];
                };
            };
            responses: {
                /** @description Result */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ManySessions"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason, or an invalid filter */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/sessions/{session_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a running session.
         * @description The worker of its stage is notified at once and stops, even during a tool call. Nothing that the worker does
         *     afterwards is recorded.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReasonBody"];
                };
            };
            responses: {
                /** @description Cancelled */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CancelledSession"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The session has ended */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid body; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/sessions/{session_id}/care": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the triage of a session.
         * @description Acknowledges, assigns or reviews the session, rates its answer, or removes it from its incident. Triage does not
         *     affect workers.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TriageRequest"];
                };
            };
            responses: {
                /** @description The current triage */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionCare"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found, or it was never in an incident */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No field given, or an invalid value */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/sessions/{session_id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a note to a session.
         * @description A note can also describe an action that was taken.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NoteWanted"];
                };
            };
            responses: {
                /** @description Stored */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ActivityEntry"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid kind or text */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/sessions/{session_id}/stages/{stage_index}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a stage as a new attempt.
         * @description The stage must have completed or failed. The stages that need it run again too. Earlier attempts stay in the
         *     record. If two replays are requested at the same time, the second fails because the session is running.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                    /** @description Stage index, from 0 */
                    stage_index: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReplayRequest"];
                };
            };
            responses: {
                /** @description The new attempt is queued */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReplayedStage"];
                    };
                };
                /** @description Malformed JSON, or an invalid stage index */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session, stage or branch not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The session is running, the stage has neither completed nor failed, or another session handles the same alert */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason, or an invalid override */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/upstreams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List LLM providers and MCP servers.
         * @description Includes their calls of the last hour, and the MCP servers of each pool.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Configured upstreams, and those that occur only in the history */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Upstreams"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhook deliveries, newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Session id. */
                    session_id?: string;
                    /** @description Name of the target. */
                    target?: string;
                    /** @description `pending`, `delivered` or `failed`. */
                    state?: string;
                    /** @description `next` of the previous page. */
                    before?: string;
                    /** @description 1 to 200; default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deliveries */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Deliveries"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/webhook-deliveries/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Group undelivered notifications by target and reason. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Groups */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeliveryGroups"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/webhook-deliveries/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver the failed notifications of a group now.
         * @description The oldest come first.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["GroupRedelivery"];
                };
            };
            responses: {
                /** @description Result */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RedeliveredGroup"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason, or an invalid group */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/webhook-deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Redeliver a webhook now. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id from the list */
                    delivery_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReasonBody"];
                };
            };
            responses: {
                /** @description Queued */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Delivery not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid body; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List worker processes with their jobs. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Workers */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workers"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/workers/{worker_id}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Drain a worker.
         * @description The worker claims no more jobs, and finishes running jobs within its grace period. It then returns the others and
         *     exits, as on SIGTERM.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id from the list */
                    worker_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReasonBody"];
                };
            };
            responses: {
                /** @description Drain requested */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Worker not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid body; `errors` names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List approvals of stages and tool calls.
         * @description The newest come first, unless `order` is `urgent`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description `open` (default), `decided`, `all`, or one decision: `approved`, `denied`, `expired`, `cancelled`. */
                    status?: string;
                    /** @description Session id. */
                    session?: string;
                    /**
                     * @description `newest` (default): newest first. `urgent`: by severity, then by expiry (earliest first); only with status
                     *     `open`.
                     */
                    order?: string;
                    /** @description `next` of the previous page, in the same order. */
                    before?: string;
                    /** @description 1 to 200; default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Approvals */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Approvals"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{approval_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an approval, whether open or decided. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description `wait_id` of the approval */
                    approval_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The approval */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Wait"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Approval not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Approve or deny.
         * @description Requires the role that the approval names. An approval can be decided only once. A second decision gets 409, and
         *     the problem's `decision` contains the first one.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description `wait_id` of the approval */
                    approval_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ApprovalDecision"];
                };
            };
            responses: {
                /** @description Decided */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Wait"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Approval not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The approval is already decided, expired or cancelled */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No decision, or an invalid reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the knowledge store.
         * @description A session of the chain `knowledge` answers the question from records, with citations. A conversation can have only
         *     one unanswered question at a time.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Makes the request safe to retry */
                    "Idempotency-Key"?: string | null;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewQuestion"];
                };
            };
            responses: {
                /** @description Accepted and committed */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AcceptedMessage"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No knowledge store is configured, or the conversation is unknown */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Another question of the conversation is not answered yet */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid question, or the Idempotency-Key was used for another one */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No LLM provider, or the database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ask/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a question with its answer. */
        get: {
            parameters: {
                query?: {
                    /** @description Whether to return the `trace`. By default it is returned if the question was asked with `debug`. */
                    debug?: boolean;
                };
                header?: never;
                path: {
                    /** @description Session id returned by `POST /api/v1/ask` */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The question, with its answer if there is one */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Answer"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Question not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ask/{session_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a question until it is answered.
         * @description Sends server-sent events. A `draft` event has the `text` that the model has written so far. Drafts are not checked
         *     yet; each draft replaces the previous one, and the answer replaces them all. An `answer` event is the question as
         *     returned by `GET /api/v1/ask/{session_id}`. It is sent at the start and whenever the question has changed; the
         *     stream closes after the event of the ended question. A question that `guardrails` could deny has no drafts.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id returned by `POST /api/v1/ask` */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Question not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many streams and WebSockets of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many streams and WebSockets */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List changes, newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Service. */
                    service?: string;
                    /** @description Namespace. */
                    namespace?: string;
                    /** @description Cluster. */
                    cluster?: string;
                    /** @description Only changes at or after this time, in Unix microseconds. */
                    since_us?: number;
                    /** @description Only changes before this time, in Unix microseconds. */
                    until_us?: number;
                    /** @description `next` of the previous page. */
                    before?: string;
                    /** @description 1 to 200; default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Changes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Changes"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List stored evaluations. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Evaluations */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Evaluations"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/active-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List running sessions, newest first.
         * @description Sessions that answer follow-up questions are left out.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The newest 100 */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ActiveSessions"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count sessions for each value of each filter.
         * @description The counts of a filter's values take the other filters into account.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Status of the session; repeat it for any of several */
                    status?: string[];
                    /** @description Progress of a session that has not ended: needs_decision (a person must decide), stuck (no worker, a paused queue, a failing provider or a retry), queued (waits for a free worker) or in_progress; repeat it for any of several */
                    progress?: string[];
                    /** @description `chain:<chain_id>`, or an agent's name as in `agent`; `kubernetes` is the built-in `KubernetesAgent`; repeat it for any of several */
                    agent_type?: string[];
                    /** @description Alert type; repeat it for any of several */
                    alert_type?: string[];
                    /** @description Chain; repeat it for any of several */
                    chain_id?: string[];
                    /** @description Severity, or a comparison such as `>=high`; the order is critical, high, warning, low and info, and monitoring systems' names for these are understood; repeat it for any of several */
                    severity?: string[];
                    /** @description Outcome over all stages: completed, partial or failed; repeat it for any of several */
                    outcome?: string[];
                    /** @description Verdict of checking the answer: supported, partly_supported, unsupported, not_investigated, inconclusive, no_fault or not_checked; repeat it for any of several */
                    verdict?: string[];
                    /** @description Label that the concluding agent chose from those of its chain, e.g. `noise`; repeat it for any of several */
                    label?: string[];
                    /** @description Agent of any stage of the chain; repeat it for any of several */
                    agent?: string[];
                    /** @description Kind of sender, e.g. api or alertmanager; repeat it for any of several */
                    source?: string[];
                    /** @description The alert's `environment`, in its data or labels; repeat it for any of several */
                    environment?: string[];
                    /** @description The alert's `cluster`, in its data or labels; repeat it for any of several */
                    cluster?: string[];
                    /** @description The alert's `namespace`, in its data or labels; repeat it for any of several */
                    namespace?: string[];
                    /** @description Estimated cost of an ended session in dollars, e.g. `>1` or `<=0.5` */
                    cost?: string;
                    /** @description Whether the session has been acknowledged */
                    acknowledged?: boolean;
                    /** @description Whether the session has been reviewed */
                    reviewed?: boolean;
                    /** @description Assignee; repeat it for any of several */
                    assignee?: string[];
                    /** @description Rating of the answer: right, partly_right or wrong; repeat it for any of several */
                    rating?: string[];
                    /** @description Id of the incident that the session belongs to; repeat it for any of several */
                    incident?: string[];
                    /** @description Whether the session is the first one of its incident, or belongs to no incident */
                    lead?: boolean;
                    /** @description Sessions of follow-up questions: hide (default), show or only */
                    follow_ups?: string;
                    /** @description Started at or after, Unix microseconds */
                    start_date_us?: number;
                    /** @description Started before, Unix microseconds */
                    end_date_us?: number;
                    /** @description Started at or after, RFC 3339 */
                    start_date?: string;
                    /** @description Started before, RFC 3339 */
                    end_date?: string;
                    /** @description Ended at or after, RFC 3339 */
                    ended_since?: string;
                    /** @description Text in alert, errors or analysis; at least 3 characters */
                    search?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Facet counts */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FacetList"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/filter-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the values of the session filters. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Filter values */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FilterOptions"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the health of the history.
         * @description The status is always 200.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Health */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HistoryHealth"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get session metrics of the last hours. */
        get: {
            parameters: {
                query?: {
                    /** @description 1 to 720; default 24 */
                    hours?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Metrics of the period */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Metrics"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search sessions by text in alert, errors or analysis.
         * @description A session can be found a few seconds after it was accepted. Most searches cover all sessions. A search that no
         *     index supports stops after 200 ms. `searched_to_us` then shows how far it got, and `next_cursor` continues there.
         */
        get: {
            parameters: {
                query: {
                    /** @description 3 to 200 characters, case-insensitive */
                    q: string;
                    /** @description Status of the session; repeat it for any of several */
                    status?: string[];
                    /** @description Progress of a session that has not ended: needs_decision (a person must decide), stuck (no worker, a paused queue, a failing provider or a retry), queued (waits for a free worker) or in_progress; repeat it for any of several */
                    progress?: string[];
                    /** @description `chain:<chain_id>`, or an agent's name as in `agent`; `kubernetes` is the built-in `KubernetesAgent`; repeat it for any of several */
                    agent_type?: string[];
                    /** @description Alert type; repeat it for any of several */
                    alert_type?: string[];
                    /** @description Chain; repeat it for any of several */
                    chain_id?: string[];
                    /** @description Severity, or a comparison such as `>=high`; the order is critical, high, warning, low and info, and monitoring systems' names for these are understood; repeat it for any of several */
                    severity?: string[];
                    /** @description Outcome over all stages: completed, partial or failed; repeat it for any of several */
                    outcome?: string[];
                    /** @description Verdict of checking the answer: supported, partly_supported, unsupported, not_investigated, inconclusive, no_fault or not_checked; repeat it for any of several */
                    verdict?: string[];
                    /** @description Label that the concluding agent chose from those of its chain, e.g. `noise`; repeat it for any of several */
                    label?: string[];
                    /** @description Agent of any stage of the chain; repeat it for any of several */
                    agent?: string[];
                    /** @description Kind of sender, e.g. api or alertmanager; repeat it for any of several */
                    source?: string[];
                    /** @description The alert's `environment`, in its data or labels; repeat it for any of several */
                    environment?: string[];
                    /** @description The alert's `cluster`, in its data or labels; repeat it for any of several */
                    cluster?: string[];
                    /** @description The alert's `namespace`, in its data or labels; repeat it for any of several */
                    namespace?: string[];
                    /** @description Estimated cost of an ended session in dollars, e.g. `>1` or `<=0.5` */
                    cost?: string;
                    /** @description Whether the session has been acknowledged */
                    acknowledged?: boolean;
                    /** @description Whether the session has been reviewed */
                    reviewed?: boolean;
                    /** @description Assignee; repeat it for any of several */
                    assignee?: string[];
                    /** @description Rating of the answer: right, partly_right or wrong; repeat it for any of several */
                    rating?: string[];
                    /** @description Id of the incident that the session belongs to; repeat it for any of several */
                    incident?: string[];
                    /** @description Whether the session is the first one of its incident, or belongs to no incident */
                    lead?: boolean;
                    /** @description Sessions of follow-up questions: hide (default), show or only */
                    follow_ups?: string;
                    /** @description Started at or after, Unix microseconds */
                    start_date_us?: number;
                    /** @description Started before, Unix microseconds */
                    end_date_us?: number;
                    /** @description Started at or after, RFC 3339 */
                    start_date?: string;
                    /** @description Started before, RFC 3339 */
                    end_date?: string;
                    /** @description Ended at or after, RFC 3339 */
                    ended_since?: string;
                    /**
                     * @description `started_at_us` (default), `completed_at_us`, `duration_ms`, `severity` or `cost_usd`; sessions without an end
                     *     or a price come last
                     */
                    sort_by?: string;
                    /** @description desc (default) or asc */
                    sort_order?: string;
                    /** @description From 1 */
                    page?: number;
                    /** @description 1 to 100; default 20 */
                    page_size?: number;
                    /** @description `next_cursor` of the previous page; fast at any depth */
                    cursor?: string;
                    /**
                     * @description exact (default): also counts totals above 10,000, for at most 200 ms before the response; quick: estimates
                     *     them
                     */
                    total?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionList"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sessions, newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Status of the session; repeat it for any of several */
                    status?: string[];
                    /** @description Progress of a session that has not ended: needs_decision (a person must decide), stuck (no worker, a paused queue, a failing provider or a retry), queued (waits for a free worker) or in_progress; repeat it for any of several */
                    progress?: string[];
                    /** @description `chain:<chain_id>`, or an agent's name as in `agent`; `kubernetes` is the built-in `KubernetesAgent`; repeat it for any of several */
                    agent_type?: string[];
                    /** @description Alert type; repeat it for any of several */
                    alert_type?: string[];
                    /** @description Chain; repeat it for any of several */
                    chain_id?: string[];
                    /** @description Severity, or a comparison such as `>=high`; the order is critical, high, warning, low and info, and monitoring systems' names for these are understood; repeat it for any of several */
                    severity?: string[];
                    /** @description Outcome over all stages: completed, partial or failed; repeat it for any of several */
                    outcome?: string[];
                    /** @description Verdict of checking the answer: supported, partly_supported, unsupported, not_investigated, inconclusive, no_fault or not_checked; repeat it for any of several */
                    verdict?: string[];
                    /** @description Label that the concluding agent chose from those of its chain, e.g. `noise`; repeat it for any of several */
                    label?: string[];
                    /** @description Agent of any stage of the chain; repeat it for any of several */
                    agent?: string[];
                    /** @description Kind of sender, e.g. api or alertmanager; repeat it for any of several */
                    source?: string[];
                    /** @description The alert's `environment`, in its data or labels; repeat it for any of several */
                    environment?: string[];
                    /** @description The alert's `cluster`, in its data or labels; repeat it for any of several */
                    cluster?: string[];
                    /** @description The alert's `namespace`, in its data or labels; repeat it for any of several */
                    namespace?: string[];
                    /** @description Estimated cost of an ended session in dollars, e.g. `>1` or `<=0.5` */
                    cost?: string;
                    /** @description Whether the session has been acknowledged */
                    acknowledged?: boolean;
                    /** @description Whether the session has been reviewed */
                    reviewed?: boolean;
                    /** @description Assignee; repeat it for any of several */
                    assignee?: string[];
                    /** @description Rating of the answer: right, partly_right or wrong; repeat it for any of several */
                    rating?: string[];
                    /** @description Id of the incident that the session belongs to; repeat it for any of several */
                    incident?: string[];
                    /** @description Whether the session is the first one of its incident, or belongs to no incident */
                    lead?: boolean;
                    /** @description Sessions of follow-up questions: hide (default), show or only */
                    follow_ups?: string;
                    /** @description Started at or after, Unix microseconds */
                    start_date_us?: number;
                    /** @description Started before, Unix microseconds */
                    end_date_us?: number;
                    /** @description Started at or after, RFC 3339 */
                    start_date?: string;
                    /** @description Started before, RFC 3339 */
                    end_date?: string;
                    /** @description Ended at or after, RFC 3339 */
                    ended_since?: string;
                    /** @description Text in alert, errors or analysis; at least 3 characters */
                    search?: string;
                    /**
                     * @description `started_at_us` (default), `completed_at_us`, `duration_ms`, `severity` or `cost_usd`; sessions without an end
                     *     or a price come last
                     */
                    sort_by?: string;
                    /** @description desc (default) or asc */
                    sort_order?: string;
                    /** @description From 1 */
                    page?: number;
                    /** @description 1 to 100; default 20 */
                    page_size?: number;
                    /** @description `next_cursor` of the previous page; fast at any depth */
                    cursor?: string;
                    /**
                     * @description exact (default): also counts totals above 10,000, for at most 200 ms before the response; quick: estimates
                     *     them
                     */
                    total?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionList"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a session with its stages and interactions. */
        get: {
            parameters: {
                query?: {
                    /** @description `all` (default), or `none` for only counts and sums; then read `/interactions` page by page */
                    interactions?: string;
                    /** @description `true` returns alert and runbook unmasked, requires the role `operator`, and writes an audit entry. By default they are masked */
                    raw?: string;
                    /** @description Messages of each model call: `all` (default), only `new` ones since the previous call, or `none`. `new` keeps responses of long sessions small: each interaction then appears only once, in `chronological_interactions` */
                    messages?: string;
                };
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The session */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionDetail"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role does not allow `raw` */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/sessions/{session_id}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the notes and audit entries of a session. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Activity; empty for an unknown session */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Activity"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid id, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/sessions/{session_id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes nearest to a session's alert.
         * @description Changes of the alert's service and namespace count as nearest.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Changes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NearChanges"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/sessions/{session_id}/duplicates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the duplicates of a session. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Total and newest duplicates */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Duplicates"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/sessions/{session_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a session.
         * @description Alert and runbook are masked.
         */
        get: {
            parameters: {
                query?: {
                    /** @description json (default), csv or md */
                    format?: string;
                };
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The file */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionDetail"];
                        "text/csv": string;
                        "text/markdown": string;
                    };
                };
                /** @description Unknown format */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/sessions/{session_id}/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's interactions, page by page.
         * @description Interactions are ordered by attempt, then by sequence, so new ones come last. An interaction changes once after it
         *     was recorded, when its call ends. To see these changes, read again from the first interaction without `success`:
         *     pass the id of the one before it as `after`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Id of the interaction before the page; by default, the page starts at the first one */
                    after?: string;
                    /** @description 1 to 1000; default 200 */
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page; empty at the end */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Record"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/sessions/{session_id}/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the webhook request that created a session.
         * @description Requires the role `operator`, because a body may contain more than the alert, such as an unsubscribe address.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The request, if one is stored */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionRequest"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/sessions/{session_id}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the metrics of a session. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Metrics of the session */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Summary"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List incidents.
         * @description An incident is a group of sessions about one target at one time, or with one root cause.
         */
        get: {
            parameters: {
                query?: {
                    /** @description `next` of the previous page. */
                    after?: string;
                    /** @description 1 to 200; default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Incidents */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Incidents"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/incidents/{incident_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an incident with its sessions.
         * @description Also returns the reasons why the sessions belong together.
         */
        get: {
            parameters: {
                query?: {
                    /** @description `next` of the previous page. */
                    after?: string;
                    /** @description 1 to 200; default 50. */
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description Incident id */
                    incident_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The incident */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["IncidentDetail"];
                    };
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Incident not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the caller's identity. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The caller */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/quality": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sum up verdicts, ratings and scores of answers. */
        get: {
            parameters: {
                query?: {
                    /** @description Start in Unix microseconds, rounded down to the start of its step; default 7 days before `to`. At most 400 days before `to`, or 31 days with step=hour */
                    from?: number;
                    /** @description End in Unix microseconds, rounded up to the end of its hour; default now. Sessions that ended between `from` and `to` are counted, as long as they are retained */
                    to?: number;
                    /** @description chain (default); model: the model that answered most calls of a session; or configuration: agent and configuration of the session's last stage */
                    by?: string;
                    /** @description hour, day (default) or week (from Monday), in UTC */
                    step?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Sums over the period */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Quality"];
                    };
                };
                /** @description Invalid query parameter, or the period is too long */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the questions about a session, with their answers. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The conversation */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Conversation"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found, or history is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Ask a question about an ended session.
         * @description A separate session gives the answer. Its context contains the conclusion, the evidence and the earlier questions,
         *     and it has the tools of the session's agent. A conversation can have only one unanswered question at a time. If
         *     the session itself answers a question, the new question continues that conversation.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Makes the request safe to retry */
                    "Idempotency-Key"?: string | null;
                };
                path: {
                    /** @description Session id */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewMessage"];
                };
            };
            responses: {
                /** @description Accepted and committed */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AcceptedMessage"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The session is running, or another question is not answered yet */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid question, or the Idempotency-Key was used for another one */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No LLM provider, or the database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/signals/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a signal to a session.
         * @description Completes the stage that waits for the signal. The masked payload becomes its `data`. Signals are not queued: if
         *     no stage waits for the signal, the response is 409.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                    /** @description Name of the signal in the stage's configuration */
                    name: string;
                };
                cookie?: never;
            };
            /** @description Any JSON document of at most 64 KiB */
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                /** @description Delivered */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Wait"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Session not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No stage waits for the signal, or the wait has already ended */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The payload is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The document can't be stored */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange an API key for a session cookie.
         * @description The cookie is `HttpOnly` and `SameSite=Strict`, and grants the same access as the key. It is valid until it expires
         *     (`TARSY_BROWSER_SESSION`), the browser signs out, or the key is revoked. Requests that change data and
         *     authenticate with the cookie must send the header `X-Tarsy-CSRF`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Signed in; `Set-Cookie` contains the session cookie */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller did not authenticate with an API key of their own */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the ways to sign in. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Ways to sign in besides API keys */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignInOptions"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start a sign-in at the identity provider.
         * @description For browsers: uses the authorization code flow with PKCE. The page never receives a token.
         */
        get: {
            parameters: {
                query?: {
                    /**
                     * @description Path of the page to open after the sign-in, below `TARSY_PUBLIC_URL`. If it is not a page of our apps, the
                     *     dashboard opens.
                     * @example /dashboard/fleet
                     */
                    return_to?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Redirect to the identity provider, or to our page with the reason in `sign_in_failed` */
                303: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No identity provider is configured */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many sign-ins from this address */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finish a sign-in at the identity provider.
         * @description The identity provider redirects browsers here. Starts a session like `POST /api/v1/sign-in`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Authorization code. */
                    code?: string | null;
                    /** @description Binds the redirect to the browser that started the sign-in. */
                    state?: string | null;
                    /** @description Issuer (RFC 9207). */
                    iss?: string | null;
                    /** @description Error code of the provider, if there is no authorization code. */
                    error?: string | null;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Redirect to the requested page, with the session cookie in `Set-Cookie` or the failure reason in `sign_in_failed` */
                303: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Invalid query parameter */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No identity provider is configured */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many sign-ins from this address */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the session of this browser. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Signed out of tarsy, but not yet of the identity provider */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedOut"];
                    };
                };
                /** @description Signed out; `Set-Cookie` removes the session cookie */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sum up model calls or tool calls. */
        get: {
            parameters: {
                query?: {
                    /** @description Start in Unix microseconds, rounded down to the start of its step; default 7 days before `to`. At most 400 days before `to`, or 31 days with step=hour */
                    from?: number;
                    /** @description End in Unix microseconds, rounded up to the end of its hour; default now */
                    to?: number;
                    /** @description provider, model (default), chain or agent for model calls; tool for tool calls */
                    by?: string;
                    /** @description hour, day (default) or week (from Monday), in UTC */
                    step?: string;
                    /** @description json or csv; by default, the header `Accept` decides */
                    format?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Sums over the period */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Usage"];
                        "text/csv": string;
                    };
                };
                /** @description Invalid query parameter, or the period is too long */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is disabled */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ws-tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a ticket for one WebSocket.
         * @description Browsers can't send an `Authorization` header with a WebSocket, and an API key in the address would be logged. A
         *     ticket in the address is harmless, because it works only once and expires after 30 seconds.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A ticket */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Ticket"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the health of each dependency.
         * @description The status is always 200. Probes use `/livez` and `/readyz`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Health of each dependency */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Health"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Liveness probe.
         * @description Checks no dependency, because a restart would not repair a database.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The process is alive */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Probe"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Prometheus metrics.
         * @description `Accept: application/openmetrics-text` adds exemplars.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Metrics in the text format, or as OpenMetrics */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/openmetrics-text": string;
                        "text/plain": string;
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness probe.
         * @description Ready if the database responds with a compatible schema and the process is not shutting down.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Ready */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
                /** @description Not ready; `message` contains the reason */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session-id/{alert_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the session of an alert. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Id returned by `POST /alerts` */
                    alert_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The alert's session */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionOfAlert"];
                    };
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Alert not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Rate limit exceeded */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/slack/{target}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive an event of Slack.
         * @description Slack signs the event with the app's signing secret. A mention of the app in a session's thread asks a question
         *     about the session. The configuration maps the Slack user to the user who asks. The answer is posted in the thread.
         *     If Slack repeats an event, the question is asked only once. Other events are accepted and ignored.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Notification target of format `slack-app` */
                    target: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SlackEventBody"];
                };
            };
            responses: {
                /** @description Received; the user is answered in Slack */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SlackEventAnswer"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid signature */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No Slack app of this name accepts decisions */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unreadable event */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests from this app, or the database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/slack/{target}/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a button press in Slack.
         * @description Slack signs the request with the app's signing secret. The button press decides an approval; the configuration
         *     maps the Slack user to the user who decides. The decision and the name of this user then replace the buttons.
         *     Other interactions are accepted and ignored.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Notification target of format `slack-app` */
                    target: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": components["schemas"]["SlackInteraction"];
                };
            };
            responses: {
                /** @description Received; the user is answered in Slack */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid signature */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No Slack app of this name accepts decisions */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unreadable interaction */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests from this app, or the database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{source}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a webhook.
         * @description Creates one session per firing alert of a monitoring system, and records one change per event of a source of
         *     changes. Senders repeat requests that get no 2xx response, so an invalid alert does not block the others. The
         *     response contains the result of each alert.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Configured source, e.g. `alertmanager` */
                    source: string;
                };
                cookie?: never;
            };
            /** @description Alertmanager: webhook payload, version 4 */
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                /** @description Result of each alert */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Reception"];
                    };
                };
                /** @description Malformed JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Invalid signature */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Webhook source not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The content type is not JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No alert in the payload is valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No LLM provider, too many pending sessions, or the database is unavailable; retry */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        /** CloudEvents validation handshake. */
        options: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Configured source */
                    source: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Allowed, without a rate limit */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Authentication required */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The role or the page's origin is not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Webhook source not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is unavailable */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ws/dashboard/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Subscribe to live events.
         * @description Opens a WebSocket; see docs/LIVE.md for its protocol.
         */
        get: {
            parameters: {
                query?: {
                    /**
                     * @description Ticket from `POST /api/v1/ws-tickets`. Clients that are not web pages need one. If access control is on, pages
                     *     that are not signed in need one too.
                     */
                    ticket?: string | null;
                };
                header?: never;
                path: {
                    /** @description Any name that the client chooses */
                    user_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Switching to WebSocket */
                101: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not a WebSocket request */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Missing or invalid ticket or session */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Origin not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many WebSockets of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many WebSockets */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An accepted question. */
        AcceptedMessage: {
            /**
             * Format: uuid
             * @description Session that the conversation is about. For questions to the knowledge store, the first session of the
             *     conversation.
             */
            conversation_id: string;
            /**
             * Format: uuid
             * @description Session that answers the question. Its live channel is `session_<session_id>`.
             */
            session_id: string;
            /** @description `queued`, or `duplicate` if the `Idempotency-Key` was already used for this question. */
            status: components["schemas"]["Submitted"];
        };
        /** @description Sessions that have not ended. */
        ActiveSessions: {
            /** @description The newest of these sessions, at most 100. */
            active_sessions: components["schemas"]["SessionLine"][];
            /**
             * Format: int64
             * @description Number of all these sessions.
             */
            total_count: number;
        };
        /** @description Activity of a session. */
        Activity: {
            /** @description Entries, newest first. At most the newest 500 notes and the newest 500 audit entries. */
            entries: components["schemas"]["ActivityEntry"][];
        };
        /** @description One entry of a session's activity. */
        ActivityEntry: {
            /** @description Who wrote the note or acted. */
            actor: string;
            /** Format: int64 */
            at_us: number;
            /** @description Details of an audit entry. */
            details: Record<string, never>;
            /**
             * @description `note`, `action` (something that a person did), or an action of the audit log.
             * @example session.acknowledge
             */
            kind: string;
            /** @description Text of the note, or reason of the audit entry. */
            text: string;
        };
        /** @description A question with its answer. */
        Answer: {
            /** @description Only the answer; null if no record supports an answer, or a policy denies it. */
            answer?: string | null;
            /** @description Sources of the answer: `id`, `collection`, `key` and the beginning of the `text`. */
            citations: unknown[];
            /**
             * Format: uuid
             * @description First session of the conversation.
             */
            conversation_id: string;
            /** @description Why there is no answer: the error of the session, or what was refused. */
            error_message?: string | null;
            /** @description Lookups that failed or were refused, with their reasons. The answer does not use them. */
            errors: string[];
            /** @description Sources that the model cited but that do not exist. */
            invented: string[];
            /** @description The question, masked. */
            question?: string | null;
            /**
             * @description Findings of the policies of `guardrails`: `policy`, `action`, `kind`, `count`. Entries with the policy
             *     `masking` count values that were masked before.
             */
            redaction_flags: unknown[];
            /**
             * Format: uuid
             * @description Session that answers the question. Its live channel is `session_<session_id>`.
             */
            session_id: string;
            /** @example completed */
            status: string;
            /** @description Whether the answer has a source and all its sources exist. */
            supported?: boolean | null;
            /** @description Complete answer in Markdown: the answer with its sources, or a note that there is no answer. */
            text?: string | null;
            /**
             * @description How the answer was produced; only with `debug`, otherwise null. Contains `stages` with their duration, tokens
             *     and cost; the router's `intent`, `route`, `steps`, `statement` and `command`; the `search_query`; the `search`
             *     and its `results` with their scores. Also contains ids of the `evidence` that the model received, ids of
             *     records whose text was `cut`, and the number of results that were `left_out`.
             */
            trace?: unknown;
        };
        /**
         * @description Decision of a person.
         * @enum {string}
         */
        ApprovalAnswer: "approve" | "deny";
        /** @description A decision with its reason. */
        ApprovalDecision: {
            decision: components["schemas"]["ApprovalAnswer"];
            /** @description Reason; stored in the audit log and passed to the agents that follow. Default `not stated`. */
            reason?: components["schemas"]["Reason"];
        };
        /** @description A page of approvals. */
        Approvals: {
            /** @description Approvals in the requested order. */
            approvals: components["schemas"]["Wait"][];
            /**
             * Format: uuid
             * @description Cursor of the next page, for `before`.
             */
            next?: string | null;
        };
        /** @description Audit entry. */
        AuditEntry: {
            /** @example session.cancel */
            action: string;
            actor: string;
            /** Format: int64 */
            at_us: number;
            details: Record<string, never>;
            /**
             * Format: int64
             * @description Increases with time.
             */
            entry_id: number;
            /**
             * Format: uuid
             * @description The API key, if one was used.
             */
            key_id?: string | null;
            /**
             * @description Authentication method: `key`, `forwarded` (by a proxy's key), `oidc`, `off` (access control was off) or
             *     `database` (`tarsy keys`); null in older entries.
             * @example key
             */
            means?: string | null;
            /** @description Reason given by the actor. */
            reason: string;
            /** @example operator */
            role: string;
            subject: string;
            /** @example session */
            subject_kind: string;
        };
        /** @description A page of the audit log. */
        AuditLog: {
            /** @description Newest first. */
            entries: components["schemas"]["AuditEntry"][];
            /**
             * Format: int64
             * @description Cursor of the next page, for `before`.
             */
            next?: number | null;
        };
        /**
         * @description Result of one alert or change.
         * @enum {string}
         */
        Became: "queued" | "duplicate" | "suppressed" | "resolved" | "unknown" | "recorded" | "ignored" | "rejected";
        /** @description Filter and reason of a bulk action. */
        BulkRequest: {
            /**
             * @description Whether sessions are only counted. Default true.
             * @default true
             */
            dry_run: boolean;
            /**
             * @description Filters of `GET /api/v1/history/sessions` by name, e.g. `status`, `alert_type`, `agent`, `cluster` or
             *     `search`. At least one is required.
             */
            filter: Record<string, never>;
            /** @description Reason, stored in the audit log with each session. */
            reason: components["schemas"]["Reason"];
        };
        /**
         * @description Figures of recent calls. On a busy fleet, only the newest 5,000 model calls and the newest 5,000 tool calls are
         *     counted.
         */
        CallFigures: {
            /**
             * Format: int64
             * @description Calls since `since_us`, without refused tool calls.
             */
            calls: number;
            /**
             * Format: int64
             * @description Failed calls among them.
             */
            failed: number;
            /**
             * Format: int64
             * @description Start of the newest call, even if it was before `since_us`.
             */
            last_call_us: number;
            /** @description Error of the newest failed call. */
            last_error?: string | null;
            /** Format: int64 */
            last_failure_us?: number | null;
            /** Format: int64 */
            last_success_us?: number | null;
            /**
             * Format: int64
             * @description Median duration in milliseconds.
             */
            p50_ms?: number | null;
            /** Format: int64 */
            p95_ms?: number | null;
            /** @description Models that answered, or tools that were called. */
            used: string[];
        };
        /** @description Cancelled session. */
        CancelledSession: {
            /** Format: uuid */
            session_id: string;
            /** @example cancelled */
            status: string;
        };
        /** @description Numbers of stages of the session's chain. */
        ChainStatistics: {
            completed_stages: number;
            failed_stages: number;
            /** @description Number of started stages by agent. */
            stages_by_agent: {
                [key: string]: number;
            };
            total_stages: number;
        };
        /** @description One change, as another system reported it. */
        ChangeView: {
            author?: string | null;
            /** Format: uuid */
            change_id: string;
            cluster?: string | null;
            /** @description The sender's id of the change. */
            external_id: string;
            /**
             * Format: int64
             * @description When the change happened, or when it was received if the sender gives no time.
             */
            happened_at_us: number;
            /** @example deployment */
            kind: string;
            /** @description Page of the change; http or https. */
            link?: string | null;
            namespace?: string | null;
            /** @description Commit, tag or version. */
            revision?: string | null;
            service?: string | null;
            /**
             * @description Webhook source that reported it.
             * @example github
             */
            source: string;
            /**
             * @description What changed, in one line. Masked.
             * @example Deployed v2.4.1 to production
             */
            title: string;
        };
        /** @description A page of changes. */
        Changes: {
            /** @description Newest first. */
            changes: components["schemas"]["ChangeView"][];
            /**
             * Format: uuid
             * @description Cursor of the next page, for `before`.
             */
            next?: string | null;
        };
        /** @description A session that an agent dispatched to a sub-agent. */
        ChildSession: {
            /** @description Name of the sub-agent. */
            agent: string;
            /** Format: int64 */
            completed_at_us?: number | null;
            /**
             * Format: double
             * @description Cost of its stages, without its own sub-agents; null if no call has a price.
             */
            cost_usd?: number | null;
            error_message?: string | null;
            outcome?: string | null;
            /**
             * Format: uuid
             * @description Stage whose agent dispatched the session.
             */
            parent_execution_id: string;
            /** Format: uuid */
            session_id: string;
            /** Format: int64 */
            started_at_us: number;
            status: string;
            /** @description Task of the sub-agent, masked. */
            task: string;
            /** @description Result of checking the answer against the tool results. */
            verdict?: string | null;
        };
        /** @description Configuration that this process has loaded. Secrets are shown as `[secret]` or as their template. */
        ConfigView: {
            agents: Record<string, never>[];
            chains: Record<string, never>[];
            /** @description SHA-256 of the file. */
            hash: string;
            llm_providers: Record<string, never>[];
            mcp_servers: Record<string, never>[];
            notifications: Record<string, never>[];
            /** @description Defaults, limits, masking, prices, retention, runbooks. */
            settings: Record<string, never>;
            /** @description Path of the file, or `built-in`. */
            source: string;
            webhook_sources: Record<string, never>[];
        };
        /** @description The questions about a session and their answers. */
        Conversation: {
            /** @description Whether a question can be asked now: the session has ended, and all questions are answered. */
            accepts_questions: boolean;
            /**
             * Format: uuid
             * @description Session that the conversation is about.
             */
            conversation_id: string;
            /** @description The newest 200 turns, oldest first. */
            turns: components["schemas"]["Turn"][];
        };
        /** @description Postgres. */
        Database: {
            connected: boolean;
            /** @description Whether history is enabled. */
            enabled: boolean;
            /**
             * Format: int64
             * @description Retention of ended sessions in days.
             */
            retention_days: number;
        };
        /** @description Job that is no longer retried. */
        DeadJob: {
            /** Format: int32 */
            attempts: number;
            /**
             * Format: int32
             * @description Workers that crashed or froze while running it.
             */
            crashes: number;
            /** Format: int64 */
            created_at_us: number;
            /** Format: int64 */
            died_at_us: number;
            error: string;
            /** Format: uuid */
            job_id: string;
            kind: string;
            /** Format: int32 */
            max_attempts: number;
            /** @description Payload of the job. Only in the response for a single job. */
            payload?: Record<string, never> | null;
            queue: string;
            /**
             * @description `exhausted`: all attempts failed; `cancelled`: the job's handler gave up; `undecodable`: no worker can decode
             *     the job.
             */
            reason: string;
            /** Format: uuid */
            session_id?: string | null;
            /**
             * Format: int32
             * @description Number of snoozes, which do not count as attempts.
             */
            snoozes: number;
            /**
             * Format: uuid
             * @description Id of the session, stage execution or delivery.
             */
            subject: string;
        };
        /** @description A page of dead jobs. */
        DeadJobs: {
            /** @description Newest first. */
            dead_jobs: components["schemas"]["DeadJob"][];
            /** @description Cursor of the next page, for `before`. */
            next?: string | null;
        };
        /** @description A page of deliveries. */
        Deliveries: {
            /** @description Numbers of undelivered webhooks, filtered by the same session and target. */
            counts: components["schemas"]["DeliveryCounts"];
            /** @description Newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /**
             * Format: uuid
             * @description Cursor of the next page, for `before`.
             */
            next?: string | null;
        };
        /** @description One delivery. */
        Delivery: {
            /** Format: int32 */
            attempts: number;
            /** Format: int64 */
            created_at_us: number;
            /** Format: int64 */
            delivered_at_us?: number | null;
            /**
             * Format: uuid
             * @description Also sent as `webhook-id`.
             */
            delivery_id: string;
            /** @description Why the last attempt failed, without the response body. */
            error?: string | null;
            /** @example session.completed */
            event: string;
            /** Format: int64 */
            last_attempt_at_us?: number | null;
            /**
             * Format: int32
             * @description HTTP status of the last response.
             */
            response_status?: number | null;
            /** Format: uuid */
            session_id: string;
            /** @example delivered */
            state: string;
            /** @description Name of the target in the configuration. */
            target: string;
        };
        /** @description Numbers of undelivered webhooks, each up to 10,000. */
        DeliveryCounts: {
            /**
             * Format: int64
             * @description Webhooks that are no longer retried.
             */
            failed: number;
            /**
             * Format: int64
             * @description Webhooks that are due now or are retried later.
             */
            pending: number;
        };
        /** @description Undelivered notifications of one target that failed for the same reason. */
        DeliveryGroup: {
            /** @description Why the last attempts failed. */
            error?: string | null;
            /** Format: int64 */
            last_attempt_at_us?: number | null;
            /**
             * Format: int64
             * @description Number of notifications in the group. Only the newest 10,000 of each state are counted.
             */
            number: number;
            /** Format: int64 */
            oldest_us: number;
            /**
             * Format: int32
             * @description HTTP status of the last responses.
             */
            response_status?: number | null;
            /**
             * @description `failed` or `pending`.
             * @example failed
             */
            state: string;
            /** @description Name of the target in the configuration. */
            target: string;
        };
        /** @description Groups of undelivered notifications. */
        DeliveryGroups: {
            /** @description Groups of failed notifications first, then by size, largest first; at most 200. */
            groups: components["schemas"]["DeliveryGroup"][];
        };
        /** @description Duplicate alert. Its content equals that of the session's alert. */
        Duplicate: {
            /**
             * Format: int64
             * @description Time of the alert, as given by its sender.
             */
            alert_timestamp_us?: number | null;
            author?: string | null;
            /**
             * Format: int32
             * @description Position in the order of arrival, from 1.
             */
            number: number;
            /** Format: int64 */
            received_at_us: number;
            severity: string;
            source: string;
            /**
             * @description `firing` if alerts of the source have states; null for alerts of `POST /alerts`.
             * @example firing
             */
            status?: string | null;
        };
        /**
         * @description How long the same alert counts as a duplicate.
         * @enum {string}
         */
        DuplicateUntil: "until_the_session_ends" | "while_the_session_is_kept" | "until_the_cooldown_ends" | "while_it_is_flapping";
        /** @description Duplicates of a session. */
        Duplicates: {
            /**
             * Format: int32
             * @description Total number.
             */
            duplicate_count: number;
            /** @description The newest hundred duplicates, newest first. Duplicates that older versions received were only counted. */
            duplicates: components["schemas"]["Duplicate"][];
        };
        /** @description A stored evaluation. */
        Evaluation: {
            /** @description Who stored it. */
            author: string;
            /** Format: uuid */
            evaluation_id: string;
            /** Format: int64 */
            kept_at_us: number;
            name: string;
            summary: components["schemas"]["EvaluationSummary"];
        };
        /** @description Difference from another evaluation of the same cases. */
        EvaluationAgainst: {
            /** @description Cases that were not right before and are right now. */
            improved: string[];
            name: string;
            /**
             * Format: double
             * @description P-value of the exact McNemar test over the cases.
             */
            p_of_cases: number;
            /** @description Cases that were right before and are no longer right. */
            regressed: string[];
        };
        /** @description A model's judgement of the answers. */
        EvaluationJudge: {
            /**
             * Format: int32
             * @description Questions that the model answered.
             */
            answered: number;
            model: string;
            /**
             * Format: int32
             * @description Questions that the model answered like the program.
             */
            same: number;
        };
        /** @description Figures of an evaluation. `tarsy eval publish` sends them. */
        EvaluationSummary: {
            against?: components["schemas"]["EvaluationAgainst"] | null;
            /**
             * Format: int32
             * @description Cases that were run.
             */
            cases: number;
            /** @description First twelve digits of the configuration file's SHA-256, or `built-in`; null if not recorded. */
            configuration?: string | null;
            /**
             * Format: int32
             * @description Cases that the best constant answer would get right.
             */
            constant_right: number;
            /**
             * Format: double
             * @description Estimated US dollars of the model calls that have a price.
             */
            cost_usd: number;
            /**
             * Format: int32
             * @description Facts that are not in the alerts.
             */
            facts: number;
            /**
             * Format: int32
             * @description Of these, facts that the answers state.
             */
            facts_said: number;
            /**
             * Format: int32
             * @description Of these, cases whose answer names a cause.
             */
            false_alarms: number;
            /**
             * Format: int32
             * @description Of these, facts that no tool result contains.
             */
            guessed: number;
            /**
             * Format: int32
             * @description Cases in which nothing is wrong.
             */
            healthy: number;
            judge?: components["schemas"]["EvaluationJudge"] | null;
            model: string;
            /** @description Name of the provider in the configuration. */
            provider: string;
            /**
             * Format: int32
             * @description Cases whose answer is right.
             */
            right: number;
            /**
             * Format: double
             * @description Upper bound of this share.
             */
            right_high?: number | null;
            /**
             * Format: double
             * @description Lower bound of the share of right cases (bootstrap, 95 %).
             */
            right_low?: number | null;
            /**
             * Format: int32
             * @description Cases whose records answered enough calls to be scored.
             */
            scored: number;
            strategy: string;
            /** @description Right cases by tag. */
            tags: components["schemas"]["EvaluationTag"][];
            /** Format: int64 */
            tokens: number;
            /**
             * Format: int32
             * @description Sessions without a tool call.
             */
            without_call: number;
        };
        /** @description Cases with a tag. */
        EvaluationTag: {
            /** Format: int32 */
            cases: number;
            /** Format: int32 */
            right: number;
            tag: string;
        };
        /** @description An evaluation to store. */
        EvaluationWanted: {
            /**
             * @description Name of the evaluation, e.g. a model with a date: 1 to 200 characters.
             * @example gemini, new prompt
             */
            name: string;
            summary: components["schemas"]["EvaluationSummary"];
        };
        /** @description Stored evaluations. */
        Evaluations: {
            /** @description The newest 50, newest first. */
            evaluations: components["schemas"]["Evaluation"][];
        };
        /** @description Numbers of sessions by the values of each filter. */
        FacetList: {
            agent: components["schemas"]["FacetValues"];
            alert_type: components["schemas"]["FacetValues"];
            assignee: components["schemas"]["FacetValues"];
            chain_id: components["schemas"]["FacetValues"];
            cluster: components["schemas"]["FacetValues"];
            environment: components["schemas"]["FacetValues"];
            label: components["schemas"]["FacetValues"];
            namespace: components["schemas"]["FacetValues"];
            outcome: components["schemas"]["FacetValues"];
            progress: components["schemas"]["FacetValues"];
            rating: components["schemas"]["FacetValues"];
            severity: components["schemas"]["FacetValues"];
            source: components["schemas"]["FacetValues"];
            status: components["schemas"]["FacetValues"];
            verdict: components["schemas"]["FacetValues"];
        };
        /** @description Values of one filter. */
        FacetValues: {
            /**
             * @description Whether all matching sessions were counted. If not, only the newest 10,000 were counted, or the newest 1,000
             *     for values from the alerts. With a search text, only the newest 2,000 were counted, or those that were found
             *     in time.
             */
            is_exact: boolean;
            /**
             * @description Number of sessions that would match with each value. Values without a session are left out.
             * @example {
             *       "failed": 3
             *     }
             */
            values: {
                [key: string]: number;
            };
        };
        /** @description An invalid field. */
        FieldError: {
            /** @description Why the field is invalid. */
            detail: string;
            /**
             * @description Path of the field, e.g. `severity` or `data.labels.hosts[3]`.
             * @example data.labels.hosts[3]
             */
            field: string;
        };
        /** @description Values of the session filters. */
        FilterOptions: {
            /** @description `chain:<chain_id>` of each chain. */
            agent_types: string[];
            /** @description Agents of stages, both configured ones and ones of past sessions. */
            agents: string[];
            alert_types: string[];
            /** @description Persons to whom sessions are assigned. */
            assignees: string[];
            chain_ids: string[];
            clusters: string[];
            environments: string[];
            /** @description Labels of the configured chains. */
            labels: string[];
            namespaces: string[];
            outcome_options: string[];
            rating_options: string[];
            severities: string[];
            sources: string[];
            status_options: string[];
            time_ranges: components["schemas"]["TimeRange"][];
            verdict_options: string[];
        };
        /** @description Existing session of an alert. */
        First: {
            /** Format: uuid */
            alert_id: string;
            /** Format: int64 */
            completed_at_us?: number | null;
            lasts: components["schemas"]["DuplicateUntil"];
            /** Format: uuid */
            session_id: string;
            /** Format: int64 */
            started_at_us: number;
            status: string;
        };
        /** @description What `POST /alerts` would do with the alert. */
        Foreseen: {
            chain_definition: Record<string, never>;
            /** @description Chain of the alert type. */
            chain_id: string;
            duplicate_of?: components["schemas"]["First"] | null;
            /** @description Deduplication key: one session per fingerprint runs at a time. */
            fingerprint: string;
            severity: string;
        };
        /** @description A group of failed notifications to redeliver. */
        GroupRedelivery: {
            /** @description As in the group. Absent if it is null there. */
            error?: string | null;
            /** @description Reason, stored in the audit log with each delivery. */
            reason: components["schemas"]["Reason"];
            /**
             * Format: int32
             * @description As in the group. Absent if it is null there.
             */
            response_status?: number | null;
            /** @description Name of the target. */
            target: string;
        };
        /** @description Reason why sessions belong together. */
        GroupingReason: {
            /**
             * @description `target`: alerts about the same target started within 10 minutes of one another. `cause`: checked root causes
             *     have the same names, within an hour.
             * @example target
             */
            kind: string;
            /**
             * @description For a target: cluster, and namespace or object. For a cause: cluster, and the names of the root cause.
             * @example prod-eu-1 / shop
             */
            shared: string;
        };
        /** @description Response of `GET /health`. */
        Health: {
            /** @example tarsy */
            service: string;
            services: components["schemas"]["Services"];
            /** @description `healthy`, or `degraded` if a component is not healthy. */
            status: string;
            /** @description Current time, RFC 3339. */
            timestamp: string;
            version: string;
        };
        /** @description Health of the history. */
        HistoryHealth: {
            details: components["schemas"]["HistoryHealthDetails"];
            service: string;
            /** @example healthy */
            status: string;
            /**
             * Format: int64
             * @description Current time, in Unix microseconds.
             */
            timestamp_us: number;
        };
        /** @description Details of the health of the history. */
        HistoryHealthDetails: {
            database_connected: boolean;
            enabled: boolean;
            /** Format: int64 */
            retention_days: number;
        };
        /** @description Metrics of one hour. */
        Hour: {
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            hour_us: number;
            /** Format: int64 */
            sessions: number;
        };
        /** @description Identity provider at which users sign in. */
        IdentityProvider: {
            /**
             * @description Display name (`TARSY_OIDC_NAME`).
             * @example single sign-on
             */
            name: string;
        };
        /** @description Summary of an incident. */
        Incident: {
            /**
             * Format: uuid
             * @description The session whose answer has the best verdict; null while there is no answer.
             */
            answer_id?: string | null;
            /**
             * Format: double
             * @description Estimated cost of the sessions that have ended, including their sub-agents and the questions about them.
             */
            cost_usd?: number | null;
            /**
             * Format: int64
             * @description Sessions that failed.
             */
            failed: number;
            /** Format: int64 */
            first_started_at_us: number;
            /** @description That answer, in one line. */
            headline?: string | null;
            /** Format: uuid */
            incident_id: string;
            /** Format: int64 */
            last_started_at_us: number;
            /**
             * Format: uuid
             * @description The session that started first. It represents the incident.
             */
            lead_id: string;
            /**
             * Format: int64
             * @description Sessions in the incident.
             */
            members: number;
            /**
             * @description Alert name or type of the lead session, masked.
             * @example HTTPErrors
             */
            name: string;
            /**
             * Format: int64
             * @description Approvals that wait for a person.
             */
            open_approvals: number;
            /**
             * Format: int64
             * @description Sessions that have not ended.
             */
            running: number;
            /**
             * @description Target of the lead session's alert, masked.
             * @example prod-eu-1 / shop / cart-0
             */
            target?: string | null;
            /**
             * @description Verdict of that answer.
             * @example supported
             */
            verdict?: string | null;
        };
        /** @description An incident with its sessions. */
        IncidentDetail: {
            incident: components["schemas"]["Incident"];
            /** @description The sessions in the order in which they started. */
            members: components["schemas"]["SessionLine"][];
            /** @description Cursor of the next sessions, for `after`; null at the end. */
            next?: string | null;
            /** @description Why these sessions belong together, masked. */
            reasons: components["schemas"]["GroupingReason"][];
            /** @description Sessions that a person removed from the incident, at most 100. */
            removed: components["schemas"]["RemovedMember"][];
        };
        /** @description A page of incidents; the one that started last comes first. */
        Incidents: {
            incidents: components["schemas"]["Incident"][];
            /** @description Cursor of the next page, for `after`; null at the end. A page may be shorter than its limit. */
            next?: string | null;
        };
        /** @description A model call, tool call or tool list. */
        Interaction: {
            /** @description Values that only this kind of interaction has. */
            details: Record<string, never>;
            /**
             * Format: int64
             * @description Duration in milliseconds; null while the call runs, and if its process died.
             */
            duration_ms?: number | null;
            error_message?: string | null;
            /**
             * Format: uuid
             * @description Same as `interaction_id`.
             */
            event_id: string;
            /**
             * Format: uuid
             * @description Same as `interaction_id`.
             */
            id: string;
            /** Format: uuid */
            interaction_id: string;
            /** Format: int32 */
            iteration: number;
            /**
             * Format: int32
             * @description Position within the stage execution, from 0.
             */
            sequence: number;
            /** Format: uuid */
            stage_execution_id: string;
            /** @description Human-readable description, e.g. `Iteration 2: ask model`. */
            step_description: string;
            /** @description Whether the call succeeded; null if this is not known (yet). */
            success?: boolean | null;
            /** Format: int64 */
            timestamp_us: number;
            /** @description `llm` or `mcp`. */
            type: string;
        };
        /** @description Calls of a stage that failed in the same way. The analysis lacks their results. */
        InvestigationGap: {
            /** @description Error of the last of these calls. */
            error?: string | null;
            /**
             * @description `unreachable`: the server's tools could not be listed; `refused`: the call was not made; `failed`: the call
             *     failed.
             * @example unreachable
             */
            kind: string;
            /** @description MCP server. */
            server: string;
            /** @description Name of the stage, with that of the branch if it has branches. */
            stage: string;
            /** Format: int64 */
            times: number;
            /** @description Tool; null if the server was unreachable. */
            tool?: string | null;
        };
        /** @description API key without its secret. */
        Key: {
            /** Format: int64 */
            created_at_us: number;
            created_by: string;
            /**
             * Format: int64
             * @description Expiry in Unix microseconds; null if the key does not expire.
             */
            expires_at_us?: number | null;
            /** Format: uuid */
            key_id: string;
            /**
             * Format: int64
             * @description Time of the last use, accurate to half a minute.
             */
            last_used_at_us?: number | null;
            /**
             * @description Name of the key. It is the actor in the audit log.
             * @example alertmanager
             */
            name: string;
            /**
             * @description Prefix of the key.
             * @example tarsy_0123456789ab
             */
            prefix: string;
            /** Format: int64 */
            revoked_at_us?: number | null;
            /** @example ingest */
            role: string;
        };
        /** @description Created key. */
        KeyMade: components["schemas"]["Key"] & {
            /**
             * @description The key. It is shown only once.
             * @example tarsy_0123456789ab_..
             */
            key: string;
        };
        /** @description Key to create. */
        KeyWanted: {
            /**
             * Format: int64
             * @description Expiry in Unix microseconds. By default, the key does not expire.
             */
            expires_at_us?: number | null;
            /**
             * @description Name, unique among active keys.
             * @example alertmanager
             */
            name: string;
            /** @description Reason, stored in the audit log. */
            reason: components["schemas"]["Reason"];
            /**
             * @description `ingest`, `viewer`, `operator` or `admin`.
             * @example ingest
             */
            role: string;
        };
        /** @description Keys. */
        Keys: {
            /** @description Newest first. */
            keys: components["schemas"]["Key"][];
        };
        /** @description Knowledge store. */
        Knowledge: {
            /** @description Whether questions are accepted, because the configuration has a section `knowledge`. */
            enabled: boolean;
        };
        /** @description Incident of a session in a list. */
        LineIncident: {
            /** Format: uuid */
            incident_id: string;
            /**
             * Format: int64
             * @description Sessions in the incident, counted up to 10,000.
             */
            members: number;
            summary?: components["schemas"]["Incident"] | null;
        };
        /** @description Language models. */
        Llm: {
            /** @description Whether any provider is available. */
            provider_available: boolean;
            /** @description Providers that failed every call in the last minutes. */
            refusing: components["schemas"]["RefusingProvider"][];
        };
        /** @description An LLM provider. */
        LlmProvider: {
            calls?: components["schemas"]["CallFigures"] | null;
            configured?: components["schemas"]["ProviderEntry"] | null;
            name: string;
        };
        /** @description Result of a bulk action. */
        ManySessions: {
            /** @description Number of sessions that were changed, at most 1,000 per request. Repeat the request for the rest. */
            affected: number;
            dry_run: boolean;
            /**
             * Format: int64
             * @description Number of matching sessions to which the action applies, counted up to 10,000.
             */
            matched: number;
            /** @description Whether `matched` is exact. */
            matched_is_exact: boolean;
            /** @description The first 100 of these sessions. On a dry run, sessions that would be changed. */
            session_ids: string[];
        };
        /** @description MCP servers. */
        Mcp: {
            /** @description Servers whose tools could not be listed by stages in the last minutes. */
            unreachable: components["schemas"]["UnreachableServer"][];
        };
        /** @description An MCP server. */
        McpServer: {
            calls?: components["schemas"]["CallFigures"] | null;
            configured?: components["schemas"]["ServerEntry"] | null;
            name: string;
        };
        /** @description The caller's name and role. */
        Me: {
            /**
             * @description Authentication method: `off` (access control is off), `key`, `session` (a browser that signed in) or `oidc`.
             * @example key
             */
            auth: string;
            /** @description Name of the caller in the audit log. */
            name: string;
            /**
             * @description `ingest`, `viewer`, `operator` or `admin`.
             * @example operator
             */
            role: string;
        };
        /** @description Metrics of the sessions that were accepted in a period. */
        Metrics: {
            /**
             * Format: int64
             * @description Sessions that are pending or in progress.
             */
            active_sessions: number;
            /** Format: int64 */
            average_duration_ms?: number | null;
            by_alert_type: {
                [key: string]: number;
            };
            /** @description Hours, oldest first. Hours without a session are left out. */
            by_hour: components["schemas"]["Hour"][];
            /** Format: int64 */
            cancelled_sessions: number;
            /** Format: int64 */
            completed_sessions: number;
            /**
             * Format: int64
             * @description Alerts that were counted as duplicates.
             */
            duplicates: number;
            /** Format: int64 */
            failed_sessions: number;
            /**
             * Format: int64
             * @description Start of the period.
             */
            from_us: number;
            /**
             * Format: int64
             * @description Length of the period in hours.
             */
            hours: number;
            /**
             * Format: double
             * @description Share of completed sessions among completed and failed ones, 0 to 1; null if there are none.
             */
            success_rate?: number | null;
            /** Format: int64 */
            total_sessions: number;
        };
        /** @description Runbook to check. */
        NamedRunbook: {
            /**
             * @description Runbook address of an alert: an http or https URL, or `local:<name>`.
             * @example https://github.com/example/runbooks/blob/main/namespace-terminating.md
             */
            runbook: string;
        };
        /** @description Changes near an alert. */
        NearChanges: {
            /**
             * Format: int64
             * @description Time of the alert.
             */
            alert_timestamp_us: number;
            /** @description The nearest twenty changes, oldest first: from three days before the alert to an hour after it. */
            changes: components["schemas"]["ChangeView"][];
        };
        /** @description A question about an ended session. */
        NewMessage: {
            /**
             * @description The question.
             * @example Which pods were restarted before the limit was raised?
             */
            text: string;
        };
        /** @description A question to the knowledge store. */
        NewQuestion: {
            /** @description Collection to search; all collections by default. */
            collection?: string | null;
            /**
             * Format: uuid
             * @description A session of the conversation to continue.
             */
            conversation?: string | null;
            /** @description Whether the answer has a `trace`, and the session's last stage shows how the answer was produced. */
            debug?: boolean;
            /**
             * @description Values that fields of the records must have, by field: a text, or a list of which any value matches
             * @example {
             *       "component": [
             *         "power"
             *       ]
             *     }
             */
            filters?: {
                [key: string]: string | string[];
            };
            /**
             * @description The question.
             * @example Which test cases cover power loss on the Osprey 7?
             */
            question: string;
        };
        /** @description A stage that runs after a decision. */
        NextStage: {
            /** @description Agent of the stage, or what runs it instead. */
            agent: string;
            name: string;
        };
        /** @description Note about a session. */
        NoteWanted: {
            /**
             * @description `note` (default), or `action`: something that was done.
             * @default note
             */
            kind: string;
            /**
             * @description Text of the note; not only white space.
             * @example Raised the memory limit of the ledger
             */
            text: string;
        };
        /** @description Result of one alert of a payload. */
        Outcome: {
            /** Format: uuid */
            alert_id?: string | null;
            /** @description The sender's identifier of the alert. */
            fingerprint: string;
            /** @description Why the alert was rejected. */
            problem?: Record<string, never> | null;
            /** Format: uuid */
            session_id?: string | null;
            status: components["schemas"]["Became"];
        };
        /** @description Position of a page in the results. */
        Pagination: {
            /**
             * @description Cursor of the next page, for `cursor` with the same `sort_by`; fast at any depth. Null at the end. A search
             *     may return a cursor even if the page is not full.
             */
            next_cursor?: string | null;
            /** Format: int64 */
            page: number;
            /** Format: int64 */
            page_size: number;
            /**
             * Format: int64
             * @description Start time that a search reached before it ran out of time. Sessions that started earlier (with
             *     `sort_order=asc`: later) were not searched. Null if every possible match was searched.
             */
            searched_to_us?: number | null;
            /**
             * Format: int64
             * @description Lower bound of the number of all results.
             */
            total_at_least: number;
            total_is_exact: boolean;
            /**
             * Format: int64
             * @description Number of all results. It is exact if it can be counted in 200 ms (beyond 10,000 it may be up to 3 s old).
             *     Otherwise, or with `total=quick`, it is an estimate, see `total_is_exact`.
             */
            total_items: number;
            /** Format: int64 */
            total_pages: number;
        };
        /** @description MCP servers of one pool of stage workers. If each cluster has its own pool, these are the cluster's sources. */
        PoolSources: {
            pool: string;
            /** @description Servers that a worker of the pool offers, and servers that were called recently; sorted by name. */
            sources: components["schemas"]["Source"][];
            /** @description Live stage workers that claim from the pool. */
            workers: number;
        };
        /** @description Recent stages of a pool. */
        PoolStages: {
            /**
             * Format: int64
             * @description Stages started since `since_us`.
             */
            begun: number;
            /**
             * Format: int64
             * @description Stages ended since `since_us`, with any status.
             */
            ended: number;
            /** Format: double */
            ended_per_minute: number;
            /**
             * Format: int64
             * @description Stages of the last 24 hours that lost their worker and continued on another one.
             */
            recovered_last_day: number;
            /**
             * Format: int64
             * @description Median wait for a worker, in milliseconds.
             */
            wait_p50_ms?: number | null;
            /**
             * Format: int64
             * @description 95th percentile of the wait, in milliseconds.
             */
            wait_p95_ms?: number | null;
        };
        /** @description Response to a probe. */
        Probe: {
            status: string;
        };
        /** @description Body of every unsuccessful response (RFC 9457). Some codes have additional members. */
        Problem: {
            /**
             * @description Stable code, see docs/ERRORS.md.
             * @example invalid_alert
             */
            code: string;
            /** @description Details of this occurrence. */
            detail: string;
            /** @description Invalid fields. */
            errors?: components["schemas"]["FieldError"][] | null;
            /**
             * Format: int32
             * @description The HTTP status.
             * @example 422
             */
            status: number;
            /** @description Same text for every problem with this code. */
            title: string;
            /** @description Kind of problem: `urn:tarsy:problem:<code>`. */
            type: string;
        };
        /** @description Progress of an alert's session. */
        Progress: {
            /** @description Current or last agent. */
            agent?: string | null;
            /** Format: uuid */
            alert_id: string;
            /** @description MCP servers of that agent. */
            assigned_mcp_servers: string[];
            /** @description Chain of the alert. */
            chain_id: string;
            /** @description Why there is no analysis. */
            error?: string | null;
            /**
             * @description Label that the concluding agent chose from those of its chain.
             * @example noise
             */
            label?: string | null;
            /**
             * Format: int32
             * @description Percentage of finished stages; running stages count partially, by their iterations.
             */
            progress: number;
            /** @description The analysis, once there is one. */
            result?: string | null;
            /** Format: uuid */
            session_id: string;
            status: components["schemas"]["Stand"];
            /** @description Human-readable progress. */
            step: string;
            /**
             * @description Time of the response, RFC 3339.
             * @example 2026-11-20T08:00:00Z
             */
            timestamp: string;
            /**
             * @description Result of checking the analysis against the tool results.
             * @example partly_supported
             */
            verdict?: string | null;
            /** @description The verdict in one sentence. */
            verdict_summary?: string | null;
        };
        /** @description Configuration of a provider. */
        ProviderEntry: {
            /** @description Environment variable with the provider's API key. */
            api_key_env?: string | null;
            /** @description Whether the provider can be called: its key is set, or it needs none. */
            available: boolean;
            /** @description Fallback providers, in order. */
            fallbacks: string[];
            /** @description Whether this is the default provider. */
            is_default: boolean;
            model: string;
            /**
             * @description Wire format.
             * @example openai
             */
            type: string;
        };
        /** @description Prune request. */
        PruneAsked: {
            /**
             * @description Whether rows are only counted, not deleted. Default true.
             * @default true
             */
            dry_run: boolean;
            /** @description Reason, stored in the audit log. */
            reason: components["schemas"]["Reason"];
        };
        /** @description Number of deleted rows; on a dry run, number of rows that would be deleted. */
        Pruned: {
            dry_run: boolean;
            /** Format: int64 */
            events: number;
            /**
             * Format: int64
             * @description Sessions, each with all its rows; at most 20,000 per request.
             */
            sessions: number;
        };
        /** @description Sums of the scores of sessions. */
        Quality: {
            /** @example chain */
            by: string;
            /**
             * Format: int64
             * @description Start of the first step.
             */
            from_us: number;
            /** @description Groups, those with the most sessions first. */
            groups: components["schemas"]["QualityGroup"][];
            /**
             * @description Whether the sums include every session that ended more than ten minutes ago; `false` for a while after an
             *     upgrade.
             */
            is_scored: boolean;
            /** @example day */
            step: string;
            /** @description Steps in order. Steps without a session are left out. */
            steps: components["schemas"]["QualityStep"][];
            /**
             * Format: int64
             * @description End of the last hour.
             */
            to_us: number;
            /** @description Sums of all groups. */
            total: components["schemas"]["QualitySums"];
        };
        /** @description A group and its sums. */
        QualityGroup: components["schemas"]["QualitySums"] & {
            /** @description Name of the group; null for all groups beyond the largest. */
            name?: string | null;
        };
        /** @description Sessions with a verdict, by people's rating of their answers. */
        QualityRated: {
            /** Format: int64 */
            partly_right: number;
            /** Format: int64 */
            right: number;
            /** Format: int64 */
            sessions: number;
            /** Format: int64 */
            wrong: number;
        };
        /** @description Sessions that ended within a step. */
        QualityStep: {
            /**
             * Format: int64
             * @description Start of the step.
             */
            at_us: number;
            /** @description Numbers of sessions by verdict. */
            verdicts: {
                [key: string]: number;
            };
        };
        /** @description Sums of a group's sessions. Questions and sub-agents are not counted. */
        QualitySums: {
            /**
             * Format: int64
             * @description Tool calls that were sent.
             */
            calls: number;
            /**
             * Format: int64
             * @description Names, numbers and times in answers that were checked.
             */
            checked: number;
            /**
             * Format: double
             * @description Estimated US dollars of the model calls that have a price.
             */
            cost_usd: number;
            /** Format: int64 */
            failed_calls: number;
            /**
             * Format: int64
             * @description Of these, those that tool results contain.
             */
            found: number;
            /**
             * Format: int64
             * @description Sessions whose answer contains names that no tool result contains.
             */
            guessing: number;
            /**
             * Format: int64
             * @description Tool calls that were not sent: unknown tool, arguments that do not match the schema, or not approved.
             */
            refused_calls: number;
            /**
             * Format: int64
             * @description Tool calls that repeated an earlier call with the same arguments.
             */
            repeated_calls: number;
            /** Format: int64 */
            sessions: number;
            /** Format: int64 */
            tokens: number;
            /** @description Numbers of sessions by verdict, with their ratings. */
            verdicts: {
                [key: string]: components["schemas"]["QualityRated"];
            };
            /**
             * Format: int64
             * @description Sessions with a tool server that had no successful call.
             */
            with_gap: number;
            /**
             * Format: int64
             * @description Sessions in which tools were offered but not called.
             */
            without_call: number;
        };
        /** @description Queue state; empty while the database is unavailable. */
        Queue: {
            /**
             * Format: int64
             * @description Dead jobs.
             */
            dead: number;
            /**
             * Format: double
             * @description Age of the oldest job that is due.
             */
            oldest_ready_seconds: number;
            /** @description Paused queues. */
            paused: string[];
            /**
             * Format: int64
             * @description Jobs that are due.
             */
            ready: number;
            /**
             * Format: int64
             * @description Running jobs.
             */
            running: number;
            /** @description Number of workers that report regularly, by role. */
            workers: {
                [key: string]: number;
            };
            /** @description Number of workers that report a problem, by role. */
            workers_in_trouble: {
                [key: string]: number;
            };
            /** @description Number of live workers that have not reported for 15 seconds, by role. Not included in `workers`. */
            workers_not_answering: {
                [key: string]: number;
            };
        };
        /** @description Current state of a queue. */
        QueueState: {
            /**
             * Format: int64
             * @description Dead jobs.
             */
            dead: number;
            /**
             * Format: double
             * @description Age of the oldest job that is due.
             */
            oldest_ready_seconds?: number | null;
            paused: boolean;
            /** Format: int64 */
            paused_at_us?: number | null;
            paused_by?: string | null;
            /** @example stage:default */
            queue: string;
            /**
             * Format: int64
             * @description Jobs that are due.
             */
            ready: number;
            /** @description Why the queue is paused. */
            reason?: string | null;
            /**
             * Format: int64
             * @description Jobs that are running.
             */
            running: number;
            /**
             * Format: int64
             * @description Jobs that are scheduled for later.
             */
            scheduled: number;
            /**
             * Format: int64
             * @description Total concurrency of those workers, over all their queues.
             */
            slots: number;
            stages?: components["schemas"]["PoolStages"] | null;
            /**
             * Format: int64
             * @description Live workers that claim from the queue, without draining ones.
             */
            workers: number;
        };
        /** @description All queues. */
        QueueStates: {
            /** @description Sorted by name. */
            queues: components["schemas"]["QueueState"][];
            /**
             * Format: int64
             * @description Start of the period in which stages of pools are counted, in Unix microseconds. An hour ago, or less on a busy
             *     fleet.
             */
            since_us: number;
        };
        /**
         * @description Reason of an action: 1 to 500 characters, not only white space.
         * @example provider outage
         */
        Reason: string;
        /** @description Body with only a reason. */
        ReasonBody: {
            /** @description Reason, stored in the audit log. */
            reason: components["schemas"]["Reason"];
        };
        /** @description Results of a payload. */
        Reception: {
            /** @description Result of each alert, in the order of the payload. */
            results: components["schemas"]["Outcome"][];
        };
        /** @description A page of a session's interactions. */
        Record: {
            /** @description Interactions in the order of the attempts, then by sequence. Model calls have `new_messages`. */
            interactions: components["schemas"]["Interaction"][];
            /** @description Whether more interactions follow. To get them, pass the last id of this page as `after`. */
            more: boolean;
        };
        /** @description Result of redelivering a group. */
        RedeliveredGroup: {
            /** @description Deliveries queued, at most 500 per request. */
            affected: number;
            /** @description Whether the group has more notifications. Repeat the request for these. */
            has_more: boolean;
        };
        /** @description LLM provider that fails every call. */
        RefusingProvider: {
            /**
             * @description Error class of its newest call: `auth`, `rate_limited`, `connection`, ..
             * @example auth
             */
            class: string;
            /**
             * Format: int64
             * @description Model calls that failed since its last success.
             */
            failed_calls: number;
            /** @example openai */
            provider: string;
            /**
             * Format: int64
             * @description Start of the first of these calls, in Unix microseconds.
             */
            since_us: number;
        };
        /** @description One rejected alert of a webhook. */
        RejectedAlert: {
            /**
             * @description Problem code, see docs/ERRORS.md.
             * @example unknown_alert_type
             */
            code: string;
            /** @description What went wrong. */
            detail?: string;
            /** @description The sender's identifier of the alert; empty if it has none. */
            fingerprint?: string;
        };
        /** @description Request with at least one rejected alert. */
        Rejection: {
            /** @description Rejected alerts of a webhook; at most fifty. */
            alerts: components["schemas"]["RejectedAlert"][];
            author?: string | null;
            /**
             * Format: int64
             * @description Size in bytes; null if the body was not read.
             */
            body_bytes?: number | null;
            /**
             * @description Problem code, see docs/ERRORS.md. For a partly accepted request, the code of its first rejected alert.
             * @example unknown_alert_type
             */
            code: string;
            detail: string;
            /** @description Whether the sender was authenticated by a key or a signature. */
            is_proven: boolean;
            /** @description Whether the body is stored as sent and can be resubmitted. */
            is_whole: boolean;
            path: string;
            /** Format: int64 */
            received_at_us: number;
            /** Format: uuid */
            rejection_id: string;
            /**
             * @description The webhook source, `alerts` for `POST /alerts`, or `unknown`.
             * @example alertmanager
             */
            source: string;
            /**
             * Format: int32
             * @description HTTP status of the response.
             */
            status: number;
            /** Format: int64 */
            submitted_at_us?: number | null;
            submitted_by?: string | null;
        };
        /** @description Rejected request with its stored body. */
        RejectionDetail: components["schemas"]["Rejection"] & {
            /** @description Masked, and truncated if long. */
            body: string;
            content_type: string;
            /** @description Headers that identify the delivery; never credentials. */
            headers: Record<string, never>;
        };
        /** @description A page of rejected alerts. */
        Rejections: {
            /**
             * Format: uuid
             * @description Cursor of the next page, for `before`.
             */
            next?: string | null;
            /** @description Newest first. */
            rejections: components["schemas"]["Rejection"][];
        };
        /** @description A session that a person removed from an incident. */
        RemovedMember: {
            /** Format: int64 */
            removed_at_us: number;
            removed_by?: string | null;
            session: components["schemas"]["SessionLine"];
        };
        /** @description Replay request. */
        ReplayRequest: {
            /** @description Agent to run instead of the previous attempt's agent. */
            agent?: string | null;
            /**
             * Format: int32
             * @description Branch to replay, from 0; all branches of the stage by default.
             */
            branch?: number | null;
            /** @description Iteration strategy to use instead of the previous attempt's strategy, e.g. `react`. */
            iteration_strategy?: string | null;
            /** @description Whether to use `llm_provider` also for the later stages that run again, except for stages that verify. */
            later_stages?: boolean;
            /** @description LLM provider to use instead of the previous attempt's provider. */
            llm_provider?: string | null;
            /** @description Reason, stored in the audit log. */
            reason: components["schemas"]["Reason"];
        };
        /** @description New attempt of a stage. */
        ReplayedStage: {
            /**
             * Format: int32
             * @description Number of the attempt: one more than the last one. If several branches are replayed, that of the first branch.
             */
            attempt: number;
            /** @description Number of replayed branches; 1 for a stage without branches. */
            branches: number;
            /**
             * Format: uuid
             * @description Id of the new attempt. If several branches are replayed, that of the first branch.
             */
            execution_id: string;
            /** Format: uuid */
            session_id: string;
            /** Format: int32 */
            stage_index: number;
        };
        /** @description Health of the replica from which history is read. */
        ReplicaHealth: {
            /**
             * Format: int64
             * @description Bytes of the write-ahead log that the replica has not replayed; absent until they are known.
             */
            lag_bytes?: number | null;
            /**
             * Format: double
             * @description How long there have been writes that the replica has not replayed, in seconds.
             */
            lag_seconds: number;
            /** @description Why the replica is unavailable. */
            message?: string | null;
            /**
             * @description `healthy`, `behind` or `unavailable`. If it is not `healthy`, history is read from the primary.
             * @example healthy
             */
            status: string;
        };
        /** @description Retention periods and table sizes. */
        RetentionState: {
            /**
             * Format: int64
             * @description Retention of events for reconnecting WebSockets, in seconds.
             */
            event_retention_seconds: number;
            /** @description Whether interactions are retained after their session ends (`HISTORY_ENABLED`). */
            history_enabled: boolean;
            /**
             * Format: int64
             * @description Retention of ended sessions, in days (`HISTORY_RETENTION_DAYS`).
             */
            history_retention_days: number;
            /**
             * Format: int64
             * @description Expired events that are not deleted yet.
             */
            overdue_events: number;
            /**
             * Format: int64
             * @description Expired sessions that are not deleted yet.
             */
            overdue_sessions: number;
            /**
             * Format: int64
             * @description Interval between prunes of a chain worker, in seconds.
             */
            prune_interval_seconds: number;
            /** @description Tables, largest first. */
            sizes: components["schemas"]["TableSize"][];
            /**
             * Format: int64
             * @description Total size of tables and indexes.
             */
            total_bytes: number;
        };
        /** @description Response of `GET /`. */
        Root: {
            /** @example Tarsy is running */
            message: string;
            /** @example healthy */
            status: string;
        };
        /** @description Result of fetching a runbook in this process. */
        RunbookState: {
            /** @description Why the runbook could not be fetched, as a session would record it. */
            error?: string | null;
            is_reachable: boolean;
            /**
             * Format: int64
             * @description Size in bytes.
             */
            size?: number | null;
        };
        /** @description A job that a worker is running. */
        RunningJob: {
            /**
             * Format: double
             * @description Time until the lease expires if it is not renewed.
             */
            expires_in_seconds: number;
            /** Format: uuid */
            job_id: string;
            kind: string;
            queue: string;
            /** Format: uuid */
            session_id?: string | null;
            /** Format: int32 */
            stage_index?: number | null;
            stage_name?: string | null;
            /**
             * Format: uuid
             * @description Id of the session, stage execution or delivery.
             */
            subject: string;
        };
        /** @description Configuration of an MCP server. */
        ServerEntry: {
            /** @description Agents that use the server's tools, sorted. */
            agents: string[];
            /** @description A disabled server is never started. */
            enabled: boolean;
            server_type: string;
            /** @example stdio */
            transport: string;
        };
        /** @description Health of each component. */
        Services: {
            /** @description `healthy`, or why alerts are not processed. */
            alert_processing: string;
            database: components["schemas"]["Database"];
            history_replica?: components["schemas"]["ReplicaHealth"] | null;
            /** @description `healthy`, `disabled` or `unavailable`. */
            history_service: string;
            knowledge: components["schemas"]["Knowledge"];
            llm: components["schemas"]["Llm"];
            mcp: components["schemas"]["Mcp"];
            queue: components["schemas"]["Queue"];
        };
        /** @description Triage of a session: what people recorded about it. Empty at first. */
        SessionCare: {
            /**
             * Format: int64
             * @description When a person acknowledged the session.
             */
            acknowledged_at_us?: number | null;
            acknowledged_by?: string | null;
            /** @description Person to whom the session is assigned. */
            assignee?: string | null;
            /**
             * @description What is wrong with the answer: `wrong_cause`, `wrong_target`, `missing_evidence`, `invented`,
             *     `incomplete`, `unclear`.
             */
            faults: string[];
            /** Format: int64 */
            rated_at_us?: number | null;
            rated_by?: string | null;
            /** @description Rating of the answer: `right`, `partly_right` or `wrong`. */
            rating?: string | null;
            /**
             * Format: int64
             * @description Time of the review.
             */
            reviewed_at_us?: number | null;
            reviewed_by?: string | null;
            /** @description The right cause, as stated by the person who rated the answer. `tarsy eval` can use it as a case. */
            right_cause?: string | null;
        };
        /** @description A session with its stages, interactions and waits. */
        SessionDetail: {
            agent_type: string;
            /**
             * @description The alert as sent, with defaults filled in. An alert that clients can't parse, as older versions accepted, is
             *     shown as `{"unreadable": <reason>, "text": <alert>}`.
             */
            alert_data: Record<string, never>;
            /** Format: uuid */
            alert_id: string;
            /** Format: int64 */
            alert_timestamp_us: number;
            alert_type: string;
            author?: string | null;
            /** @description Triage of the session. */
            care: components["schemas"]["SessionCare"];
            /** @description Definition of the chain when the alert was accepted. */
            chain_definition: Record<string, never>;
            chain_id: string;
            /** @description Sessions that the session's agents dispatched to sub-agents, oldest first. */
            children: components["schemas"]["ChildSession"][];
            /** Format: int64 */
            completed_at_us?: number | null;
            /** @description Configurations that the stages used, by hash: agent, instructions, limits, tools, provider and model. */
            configurations: {
                [key: string]: Record<string, never>;
            };
            /** @description Questions about the session with their answers; empty unless interactions are requested too. */
            conversation: components["schemas"]["Turn"][];
            /**
             * Format: uuid
             * @description Session about which this session answers a question. That session's conversation is at
             *     `/api/v1/sessions/{id}/messages`.
             */
            conversation_id?: string | null;
            current_stage_id?: string | null;
            /** Format: int32 */
            current_stage_index?: number | null;
            /** Format: int32 */
            duplicate_count: number;
            /** Format: int64 */
            duration_ms?: number | null;
            error_message?: string | null;
            final_analysis?: string | null;
            /**
             * @description Gaps of the current attempts, in the order in which they occurred: servers that were unreachable, and calls
             *     that were refused or failed.
             */
            gaps: components["schemas"]["InvestigationGap"][];
            incident?: components["schemas"]["SessionIncident"] | null;
            /**
             * @description Label that the concluding agent chose from those of its chain.
             * @example noise
             */
            label?: string | null;
            /** @description Why an ended session has no label although its chain has labels. */
            label_error?: string | null;
            /** Format: int64 */
            llm_interaction_count: number;
            /** Format: int64 */
            mcp_communication_count: number;
            outcome?: string | null;
            /**
             * Format: uuid
             * @description Session for which this session was created: the one that the question is about, or whose agent dispatched it.
             */
            parent_session_id?: string | null;
            /** Format: int64 */
            resolved_at_us?: number | null;
            runbook_content?: string | null;
            runbook_error?: string | null;
            runbook_url?: string | null;
            /** Format: uuid */
            session_id: string;
            severity: string;
            source: string;
            /** @description Tokens and cost, including sub-agents and the questions about the session. */
            spending: components["schemas"]["SessionSpending"];
            /** @description Stages of the chain in order, each with all its branches together. */
            stage_states: components["schemas"]["StageState"][];
            /**
             * @description Every attempt of every stage, in the order of the chain. The last attempt of a stage or branch is the current
             *     one.
             */
            stages: components["schemas"]["StageDetail"][];
            /** Format: int64 */
            started_at_us: number;
            status: string;
            /** @description Task of the sub-agent, if an agent dispatched this session. */
            task?: string | null;
            /** Format: int64 */
            total_interactions: number;
            traceparent?: string | null;
            /**
             * @description Result of checking the answer against the tool results; null while the session runs.
             * @example partly_supported
             */
            verdict?: string | null;
            /**
             * @description Basis of the verdict: `summary`, `checked`, `found`, `not_found`, `sentences_not_shown`, `unknown_names`,
             *     `calls`, `answer_cut`, ..
             */
            verdict_check?: Record<string, never> | null;
            waiting?: components["schemas"]["SessionWait"] | null;
            /** @description Waits of the stages, open and ended, oldest first. */
            waits: components["schemas"]["Wait"][];
        };
        /** @description Incident of a session. */
        SessionIncident: {
            /** Format: uuid */
            incident_id: string;
            /**
             * Format: int64
             * @description Sessions in the incident, without those that were removed.
             */
            members: number;
            /**
             * Format: int64
             * @description When a person removed this session from the incident; null if it was not removed.
             */
            removed_at_us?: number | null;
            removed_by?: string | null;
        };
        /** @description One session of a list. */
        SessionLine: {
            /**
             * Format: int64
             * @description When a person acknowledged the session.
             */
            acknowledged_at_us?: number | null;
            acknowledged_by?: string | null;
            /** @description `chain:<chain_id>`. */
            agent_type: string;
            /** Format: uuid */
            alert_id: string;
            /**
             * @description The alert's `alertname`, masked.
             * @example KubePodCrashLooping
             */
            alert_name?: string | null;
            alert_type: string;
            /** @description Person to whom the session is assigned. */
            assignee?: string | null;
            author?: string | null;
            chain_id: string;
            /** Format: int64 */
            completed_at_us?: number | null;
            /** Format: int64 */
            completed_stages: number;
            /**
             * Format: uuid
             * @description Session about which this session answers a question.
             */
            conversation_id?: string | null;
            /**
             * Format: double
             * @description Estimated cost, summed like `input_tokens`; a lower bound if prices are missing.
             */
            cost_usd?: number | null;
            current_stage_id?: string | null;
            /** Format: int32 */
            current_stage_index?: number | null;
            /**
             * Format: int32
             * @description Number of duplicates of the alert.
             */
            duplicate_count: number;
            /** Format: int64 */
            duration_ms?: number | null;
            error_message?: string | null;
            /** Format: int64 */
            failed_stages: number;
            /** @description Finding in one line: the first meaningful line of the analysis. */
            headline?: string | null;
            incident?: components["schemas"]["LineIncident"] | null;
            /**
             * Format: int64
             * @description Tokens of the whole investigation, including sub-agents and the ended questions about the session.
             */
            input_tokens?: number | null;
            /**
             * @description Label that the concluding agent chose from those of its chain.
             * @example noise
             */
            label?: string | null;
            /** Format: int64 */
            llm_interaction_count: number;
            /** Format: int64 */
            mcp_communication_count: number;
            /** @description How many stages completed: `completed` (all), `partial` (some) or `failed` (none). */
            outcome?: string | null;
            /**
             * Format: int64
             * @description Counted like `input_tokens`.
             */
            output_tokens?: number | null;
            /** @description Beginning of the question that the session answers, masked. */
            question?: string | null;
            /** @description A person's rating of the answer: `right`, `partly_right` or `wrong`. */
            rating?: string | null;
            /**
             * Format: int64
             * @description When the source reported that the alert is resolved.
             */
            resolved_at_us?: number | null;
            /**
             * Format: int64
             * @description Time of the review.
             */
            reviewed_at_us?: number | null;
            /** Format: uuid */
            session_id: string;
            severity: string;
            /** @description Kind of sender, e.g. `api` or `alertmanager`. */
            source: string;
            /** @description Stages of the chain, in order. */
            stage_states: components["schemas"]["StageState"][];
            /** Format: int64 */
            started_at_us: number;
            /** @example completed */
            status: string;
            /**
             * @description Cluster, namespace, and pod, host or service, as far as the alert contains them.
             * @example demo / team-payments / ledger-0
             */
            target?: string | null;
            /** Format: int64 */
            total_interactions: number;
            /** Format: int32 */
            total_stages: number;
            /**
             * @description Result of checking the answer against the tool results; null while the session runs.
             * @example partly_supported
             */
            verdict?: string | null;
            /** @description The verdict in one sentence. */
            verdict_summary?: string | null;
            waiting?: components["schemas"]["SessionWait"] | null;
        };
        /** @description A page of sessions. */
        SessionList: {
            /** @description The filters as the service interpreted them. */
            filters_applied: Record<string, never>;
            pagination: components["schemas"]["Pagination"];
            sessions: components["schemas"]["SessionLine"][];
        };
        /** @description An alert and its session. */
        SessionOfAlert: {
            /** Format: uuid */
            alert_id: string;
            /** Format: uuid */
            session_id: string;
        };
        /** @description Request that created a session. */
        SessionRequest: {
            request?: components["schemas"]["WebhookRequest"] | null;
        };
        /** @description Tokens and cost of an investigation: of a session and of all sessions that were created for it. */
        SessionSpending: {
            /** @description The session's own agents, in all attempts. */
            agents: components["schemas"]["SpendingPart"];
            /** @description The questions about it, with their sub-agents. */
            questions: components["schemas"]["SpendingPart"];
            /** @description Its sub-agents, and the sub-agents of these. */
            sub_agents: components["schemas"]["SpendingPart"];
            total: components["schemas"]["SpendingPart"];
        };
        /** @description Why a session that has not ended does not continue. */
        SessionWait: {
            /**
             * @description Class of the provider's error: `rate_limited`, `overloaded`, `server_error`, `connection`, ..
             * @example rate_limited
             */
            error_class?: string | null;
            /** @description Error of the last try. */
            last_error?: string | null;
            /**
             * Format: int32
             * @description Maximum number of failed tries; null if there is no limit.
             */
            max_tries?: number | null;
            /**
             * Format: int64
             * @description Time of the next try, or of the expiry of a stage's wait, in Unix microseconds; null if it depends on
             *     something else.
             */
            next_try_us?: number | null;
            /** @description LLM provider that refused or failed. */
            provider?: string | null;
            /**
             * @description Queue of its job; null if a stage waits, because it then has no job.
             * @example stage:default
             */
            queue?: string | null;
            /**
             * @description `queued`, `queue_paused`, `no_worker`, `retrying`, `snoozed`, `after_crash` or `worker_not_answering`. For a
             *     stage that waits: `approval`, `signal` or `timer`.
             * @example snoozed
             */
            reason: string;
            /**
             * Format: int64
             * @description Start of the wait, in Unix microseconds.
             */
            since_us: number;
            /** @description Stage that waits; null if the first step of the chain waits. */
            stage_name?: string | null;
            /**
             * Format: int32
             * @description Tries so far.
             */
            tries: number;
            /** @description Worker that does not answer, as `host:pid`. */
            worker?: string | null;
        };
        /** @description Ways to sign in, besides API keys. */
        SignInOptions: {
            identity_provider?: components["schemas"]["IdentityProvider"] | null;
        };
        /** @description Browser session that was started. */
        SignedIn: {
            /**
             * Format: int64
             * @description Lifetime in seconds.
             */
            expires_in_seconds: number;
        };
        /** @description Session that was ended here, but not yet at the identity provider. */
        SignedOut: {
            /** @description URL at which the browser also signs out of the identity provider. */
            provider_sign_out_url: string;
        };
        /** @description Response to an event. */
        SlackEventAnswer: {
            /** @description The challenge that Slack sent to verify the address. */
            challenge?: string | null;
        };
        /** @description An event of Slack's Events API. This schema is only documentation, because the signature covers the raw body. */
        SlackEventBody: {
            /** @description Value that Slack expects back for `url_verification`. */
            challenge?: string | null;
            /** @description The event; `app_mention` asks a question. */
            event?: unknown;
            /** @description Id of the event. If Slack repeats the event, the id stays the same. */
            event_id?: string | null;
            /**
             * @description `url_verification` or `event_callback`.
             * @example event_callback
             */
            type: string;
        };
        /** @description The form that Slack posts. This schema is only documentation, because the signature covers the raw body. */
        SlackInteraction: {
            /** @description The interaction as JSON. */
            payload: string;
        };
        /** @description An MCP server, as one pool uses it. */
        Source: {
            /**
             * Format: int64
             * @description Calls from the pool since `since_us`.
             */
            calls: number;
            /**
             * Format: int64
             * @description Failed calls among them.
             */
            failed: number;
            /** @description Error of the newest failed call. */
            last_error?: string | null;
            /** Format: int64 */
            last_failure_us?: number | null;
            /** Format: int64 */
            last_success_us?: number | null;
            server: string;
            /** @description Live workers of the pool in whose configuration the server is enabled. */
            workers: number;
        };
        /** @description Tokens and cost of one part of an investigation. */
        SpendingPart: {
            /**
             * Format: double
             * @description Estimated cost; a lower bound if prices are missing. Null if no call has a price.
             */
            cost_usd?: number | null;
            /** Format: int64 */
            input_tokens: number;
            /** @description Whether every call that used tokens has a price. */
            is_cost_complete: boolean;
            /** Format: int64 */
            output_tokens: number;
            /**
             * Format: int64
             * @description Number of sessions. A question's sub-agents are counted with the question.
             */
            sessions: number;
        };
        /** @description One attempt of one stage. */
        StageDetail: {
            agent: string;
            /**
             * Format: int32
             * @description Number of the attempt, from 1. A replay adds one. In a stage with branches, it counts the attempts of all
             *     branches together.
             */
            attempt: number;
            /**
             * Format: int32
             * @description Index of the branch, from 0; 0 for a stage without branches.
             */
            branch: number;
            /**
             * Format: int32
             * @description Number of branches of the stage in this run.
             */
            branch_count: number;
            /** @description Item of the branch, if the stage has one branch for each item of a list. */
            branch_item?: Record<string, never> | null;
            /** @description Name of the branch; null for a stage without branches. */
            branch_name?: string | null;
            /**
             * @description Model calls, tool calls and tool lists in the order in which they happened. As requested, model calls have the
             *     conversation so far (`messages`) or only its new part (`new_messages`).
             */
            chronological_interactions: components["schemas"]["Interaction"][];
            /** Format: int64 */
            completed_at_us?: number | null;
            /**
             * @description Hash of the configuration that the attempt used, see `configurations` of the session; null until the attempt
             *     has ended.
             */
            configuration_hash?: string | null;
            cost_completeness?: string | null;
            /** Format: double */
            cost_usd?: number | null;
            /**
             * Format: int32
             * @description Number of times that a worker died while running the attempt.
             */
            crash_count: number;
            /** Format: int64 */
            created_at_us: number;
            /** Format: int64 */
            duration_ms?: number | null;
            error_class?: string | null;
            error_message?: string | null;
            /**
             * Format: uuid
             * @description Same as `stage_execution_id`.
             */
            execution_id: string;
            /** Format: int64 */
            input_tokens?: number | null;
            /** @description Whether this is the current attempt of its stage, or of its branch. */
            is_current: boolean;
            iteration_strategy?: string | null;
            /** Format: int32 */
            iterations?: number | null;
            /** Format: int64 */
            llm_interaction_count: number;
            /** @description Model calls without their messages; empty unless all messages are requested. */
            llm_interactions: components["schemas"]["Interaction"][];
            llm_provider?: string | null;
            /** Format: int64 */
            mcp_communication_count: number;
            /** @description Tool calls and tool lists; empty unless all messages are requested. */
            mcp_communications: components["schemas"]["Interaction"][];
            /** Format: int64 */
            output_tokens?: number | null;
            pool: string;
            /** Format: uuid */
            session_id: string;
            /** Format: uuid */
            stage_execution_id: string;
            /** @description `<name>_<index>`. */
            stage_id: string;
            /** Format: int32 */
            stage_index: number;
            /**
             * Format: int64
             * @description Total duration of the interactions, in milliseconds.
             */
            stage_interactions_duration_ms: number;
            stage_name: string;
            stage_output?: Record<string, never> | null;
            /** Format: int64 */
            started_at_us?: number | null;
            status: string;
            /** Format: int64 */
            total_interactions: number;
            /** @description Why no live worker can run the attempt; null otherwise. The attempt fails after its `schedule_timeout`. */
            waiting_for?: string | null;
        };
        /** @description A stage of a chain with its status, all branches together. */
        StageState: {
            name: string;
            /**
             * @description Status of its current attempt, or `not_started`. For a stage with branches, the status with which the chain
             *     continues. Such a stage failed if a branch failed, unless a single completed branch is enough.
             */
            status: string;
        };
        /**
         * @description Status of an alert.
         * @enum {string}
         */
        Stand: "queued" | "processing" | "completed" | "error" | "cancelled";
        /** @description An alert. Additional fields are stored in `data`. */
        SubmitAlert: {
            /**
             * @description Selects the chain; see `GET /alert-types`.
             * @example kubernetes
             */
            alert_type: string;
            /** @description Alert data, stored as sent. */
            data?: Record<string, never> | null;
            /**
             * @description Deduplication key: while a session with the same fingerprint runs, the alert is counted as its duplicate.
             *     Default: a digest of the alert's content, which is not used for suppression. Never matches fingerprints of
             *     webhook sources.
             * @example prod-eu/payments/HighErrorRate
             */
            fingerprint?: string | null;
            /**
             * @description Runbook address: an http or https URL, or `local:<name>`. Without it, the agents investigate without a
             *     runbook.
             * @example https://github.com/example/runbooks/blob/main/namespace-terminating.md
             */
            runbook?: string | null;
            /**
             * @description Free text; the severities of common monitoring systems determine the priority. Default `warning`.
             * @example critical
             */
            severity?: string | null;
            /**
             * Format: int64
             * @description Time of the alert, in Unix microseconds; default now.
             */
            timestamp?: number | null;
        };
        /** @description Response to an accepted alert. */
        SubmitAnswer: {
            /**
             * Format: uuid
             * @description Id for `GET /alerts/{alert_id}`.
             */
            alert_id: string;
            /** @description Human-readable message. */
            message: string;
            /**
             * Format: uuid
             * @description The alert's session.
             */
            session_id: string;
            status: components["schemas"]["Submitted"];
            /** @description Problems that may prevent an analysis, e.g. LLM providers that fail every call. */
            warnings?: string[];
        };
        /**
         * @description Result of a submission.
         * @enum {string}
         */
        Submitted: "queued" | "duplicate" | "suppressed";
        /** @description Metrics of a session. */
        Summary: {
            chain_statistics: components["schemas"]["ChainStatistics"];
            /**
             * Format: double
             * @description Estimated cost, summed like `input_tokens`; a lower bound if prices are missing.
             */
            cost_usd: number;
            /**
             * Format: int64
             * @description Number of failed interactions.
             */
            errors_count: number;
            /**
             * Format: int64
             * @description Tokens of the whole investigation, including sub-agents and the questions about the session. The counts do not
             *     include these.
             */
            input_tokens: number;
            /** Format: int64 */
            llm_interactions: number;
            /** Format: int64 */
            mcp_communications: number;
            /**
             * Format: int64
             * @description Counted like `input_tokens`.
             */
            output_tokens: number;
            /**
             * Format: int64
             * @description Always 0; kept for clients of the first design.
             */
            system_events: number;
            /**
             * Format: int64
             * @description Time from acceptance to the end, or until now, in milliseconds.
             */
            total_duration_ms: number;
            /** Format: int64 */
            total_interactions: number;
            /**
             * Format: int64
             * @description Counted like `input_tokens`.
             */
            total_tokens: number;
        };
        /** @description A table on disk. */
        TableSize: {
            /**
             * Format: int64
             * @description Size including indexes.
             */
            bytes: number;
            /**
             * Format: int64
             * @description Estimate from the planner's statistics.
             */
            rows: number;
            /** @example llm_interactions */
            table: string;
        };
        /** @description A ticket for one WebSocket. */
        Ticket: {
            /**
             * Format: int64
             * @description Lifetime in seconds.
             */
            expires_in_seconds: number;
            /** @description For one use, as `?ticket=` in the WebSocket's address. */
            ticket: string;
        };
        /** @description A preset time range. */
        TimeRange: {
            label: string;
            value: string;
        };
        /** @description Changes to a session's triage. Omitted members stay unchanged. */
        TriageRequest: {
            /** @description `true`: acknowledge the session; `false`: take the acknowledgement back. The first acknowledgement is kept. */
            acknowledged?: boolean | null;
            /** @description New assignee; null removes the assignee. */
            assignee?: string | null;
            /**
             * @description What is wrong with the answer, if it is rated `partly_right` or `wrong`: `wrong_cause`,
             *     `wrong_target`, `missing_evidence`, `invented`, `incomplete`, `unclear`.
             */
            faults?: string[] | null;
            /** @description `false`: remove the session from its incident, and never group it again; `true`: put it back. */
            incident_member?: boolean | null;
            /** @description Rating of the answer: `right`, `partly_right` or `wrong`; null removes the rating. */
            rating?: string | null;
            /** @description Reason, stored in the audit log. Default `not stated`. */
            reason?: components["schemas"]["Reason"];
            /** @description `true`: mark the session as reviewed; `false`: take the review back. The first review is kept. */
            reviewed?: boolean | null;
            /**
             * @description The right cause, if the answer is rated `partly_right` or `wrong`; null removes it. `tarsy eval record` uses
             *     it as the expected cause of a case.
             */
            right_cause?: string | null;
        };
        /** @description A question and its answer. */
        Turn: {
            /** @description Answer in Markdown. */
            answer?: string | null;
            /**
             * Format: int64
             * @description When the question was asked, in Unix microseconds.
             */
            asked_at_us: number;
            /** @description Who asked. */
            author?: string | null;
            /**
             * Format: int64
             * @description When it was answered or failed, in Unix microseconds.
             */
            completed_at_us?: number | null;
            /**
             * Format: double
             * @description Estimated cost of all model calls so far; a lower bound if prices are missing.
             */
            cost_usd?: number | null;
            /** @description Why there is no answer. */
            error_message?: string | null;
            /** Format: int64 */
            input_tokens?: number | null;
            /** Format: int64 */
            output_tokens?: number | null;
            /** @description The question, masked. */
            question: string;
            /**
             * Format: uuid
             * @description Session that answers the question.
             */
            session_id: string;
            /** @example completed */
            status: string;
            /**
             * Format: int64
             * @description Tool calls so far.
             */
            tool_calls: number;
        };
        /** @description A model whose calls have no price. */
        UnpricedModel: {
            /** Format: int64 */
            calls: number;
            /** Format: int64 */
            input_tokens: number;
            model: string;
            /** Format: int64 */
            output_tokens: number;
            provider: string;
            /**
             * Format: int64
             * @description Number of calls without a token count.
             */
            uncounted_calls: number;
        };
        /** @description An unreachable MCP server. */
        UnreachableServer: {
            /** @description Error of the newest attempt. */
            error?: string | null;
            /**
             * Format: int64
             * @description Attempts that failed since its last success.
             */
            failed_tries: number;
            /**
             * Format: int64
             * @description Start of the last of these attempts, in Unix microseconds. The next attempt is made when a session needs the
             *     server.
             */
            last_tried_us: number;
            /** @example kubernetes */
            server: string;
            /**
             * Format: int64
             * @description Start of the first of these attempts, in Unix microseconds.
             */
            since_us: number;
        };
        /** @description LLM providers and MCP servers. */
        Upstreams: {
            /** @description Configured servers first, then those that occur only in the history. */
            mcp_servers: components["schemas"]["McpServer"][];
            /** @description The MCP servers of each pool of stage workers. */
            pools: components["schemas"]["PoolSources"][];
            /** @description Configured providers first, then those that occur only in the history. */
            providers: components["schemas"]["LlmProvider"][];
            /**
             * Format: int64
             * @description Start of the period in which calls are counted, in Unix microseconds.
             */
            since_us: number;
        };
        /** @description Sums of model calls or tool calls. */
        Usage: {
            /** @example model */
            by: string;
            /**
             * Format: int64
             * @description Start of the first step.
             */
            from_us: number;
            /** @description Groups, the most expensive first. */
            groups: components["schemas"]["UsageGroup"][];
            /**
             * @description Whether the sums include every session that ended more than ten minutes ago; `false` for a while after an
             *     upgrade.
             */
            is_summed_up: boolean;
            /** @description Models whose calls are not included in the cost, those with the most tokens first. */
            not_priced: components["schemas"]["UnpricedModel"][];
            /** @example day */
            step: string;
            /** @description Sums by step and group. Steps and groups without a call are left out. */
            steps: components["schemas"]["UsageStep"][];
            /**
             * Format: int64
             * @description End of the last hour.
             */
            to_us: number;
            /** @description Sums of all groups. */
            total: components["schemas"]["UsageSums"];
        };
        /** @description A group and its sums. */
        UsageGroup: components["schemas"]["UsageSums"] & {
            /** @description Name of the group; null for all groups beyond the largest. */
            name?: string | null;
        };
        /** @description Sums of a group in one step. */
        UsageStep: components["schemas"]["UsageSums"] & {
            /**
             * Format: int64
             * @description Start of the step.
             */
            at_us: number;
            /** @description Name of the group; null for all groups beyond the largest. */
            name?: string | null;
        };
        /** @description Sums of calls. */
        UsageSums: {
            /**
             * Format: int64
             * @description Of these, tokens that were read from the provider's cache.
             */
            cached_tokens: number;
            /** Format: int64 */
            calls: number;
            /**
             * Format: double
             * @description Estimated US dollars of the calls that have a price.
             */
            cost_usd: number;
            /** Format: int64 */
            failed: number;
            /**
             * Format: int64
             * @description Prompt tokens.
             */
            input_tokens: number;
            /** @description Whether every token has a price. Otherwise the cost is a lower bound. */
            is_cost_complete: boolean;
            /** Format: int64 */
            max_duration_ms?: number | null;
            /** Format: int64 */
            mean_duration_ms?: number | null;
            /**
             * Format: int64
             * @description Completion tokens.
             */
            output_tokens: number;
            /** @description Sources of the prices: `own`, `catalogue <date>`, `none`, `uncounted`. */
            prices: string[];
            /**
             * Format: int64
             * @description Calls whose tokens the provider did not count.
             */
            uncounted_calls: number;
            /**
             * Format: int64
             * @description Tokens of calls without a price.
             */
            unpriced_tokens: number;
        };
        /** @description Approval, signal, timer or other event that a stage waits for, and its result. */
        Wait: {
            /** @description Agent that asks. Only for tool calls and spending. */
            agent?: string | null;
            /**
             * @description The alert's `alertname`, masked.
             * @example KubePodCrashLooping
             */
            alert_name?: string | null;
            alert_type: string;
            /** Format: int64 */
            asked_at_us: number;
            /** @description Who submitted the alert or asked the question; null if unknown. */
            author?: string | null;
            /**
             * @description The tool call to decide about: `server`, `tool`, `arguments` (masked), `effect`, `thought`, and `shown`.
             *     `shown` is the whole call as text, with invisible characters written out. Show it to the person who decides.
             */
            call?: Record<string, never> | null;
            chain_id: string;
            /**
             * @description Cluster of the alert, masked.
             * @example prod-eu-1
             */
            cluster?: string | null;
            /** Format: int64 */
            decided_at_us?: number | null;
            /** @description Who decided; null while the wait is open, and if it expired or elapsed. */
            decided_by?: string | null;
            decided_role?: string | null;
            /** @description Conclusions of the stages that the gate needs. Only for an open gate. */
            evidence: components["schemas"]["WaitEvidence"][];
            /** Format: uuid */
            execution_id: string;
            /** Format: int64 */
            expires_at_us: number;
            /** @description Findings so far in one line, masked: the newest conclusion of the session, or else the alert's summary. */
            headline?: string | null;
            incident?: components["schemas"]["LineIncident"] | null;
            /**
             * Format: uuid
             * @description The API key, if one was used.
             */
            key_id?: string | null;
            /** @description Authentication method of that person: `key`, `forwarded`, `oidc` or `off`. */
            means?: string | null;
            /**
             * @description Namespace of the alert, masked.
             * @example shop
             */
            namespace?: string | null;
            /**
             * @description Pod, host, instance or service of the alert, masked.
             * @example cart-0
             */
            object?: string | null;
            on_approve?: components["schemas"]["WaitConsequence"] | null;
            on_deny?: components["schemas"]["WaitConsequence"] | null;
            /** @description The question in one sentence. */
            question: string;
            reason?: string | null;
            /** @description Role that may decide; null if no person decides. */
            role?: string | null;
            /** Format: uuid */
            session_id: string;
            severity: string;
            /** @description Signal that the stage waits for. */
            signal?: string | null;
            /**
             * @description `approval`, `tool_call`, `spending`, `timer`, `signal` or `children`.
             * @example approval
             */
            sort: string;
            /** Format: int32 */
            stage_index: number;
            stage_name: string;
            /**
             * @description `open`, or how the wait ended: `approved`, `denied`, `signalled`, `elapsed`, `expired`, `cancelled` or
             *     `children_ended`.
             * @example open
             */
            status: string;
            /**
             * Format: uuid
             * @description Id of the wait. For an approval, it is the `approval_id`.
             */
            wait_id: string;
        };
        /** @description What a chain does after a decision. */
        WaitConsequence: {
            /** @description Whether the session ends, because no stage is left. */
            ends: boolean;
            /** @description Stages that run next. */
            runs: components["schemas"]["NextStage"][];
            /** @description Names of the stages that are skipped. */
            skips: string[];
        };
        /** @description Conclusion of a stage that a gate needs. */
        WaitEvidence: {
            /** @description Name of the branch; null for a stage without branches. */
            branch_name?: string | null;
            /** @description The stage's result, at most 4,000 characters; null if the stage failed. */
            conclusion?: string | null;
            stage_name: string;
            /** @example completed */
            status: string;
        };
        /** @description Webhook request. */
        WebhookRequest: {
            /** @description Complete and unmasked body. Invalid UTF-8 is replaced. */
            body: string;
            content_type: string;
            /** @description Headers that identify the delivery; never credentials. */
            headers: Record<string, never>;
            /** Format: int64 */
            received_at_us: number;
            /**
             * Format: int64
             * @description Size of the body in bytes.
             */
            size: number;
        };
        /** @description A worker process. */
        Worker: {
            /** @description Whether its process holds its liveness lock. */
            alive: boolean;
            /** @description Whether the worker is alive and has reported within the last 15 seconds. */
            answering: boolean;
            /** @description SHA-256 of the configuration file that the worker uses; null if the worker does not report it. */
            config_hash?: string | null;
            /**
             * Format: int64
             * @description Time since which it uses this file, in Unix microseconds.
             */
            config_since_us?: number | null;
            /** @description Whether a drain was requested. */
            drain_requested: boolean;
            /** @description Whether the worker is draining. */
            draining: boolean;
            /** Format: double */
            heartbeat_age_seconds: number;
            /** Format: int64 */
            heartbeat_at_us: number;
            host: string;
            /** Format: int32 */
            pid: number;
            /** @description Queues from which the worker claims. */
            queues: string[];
            /** @example stage-worker */
            role: string;
            running: components["schemas"]["RunningJob"][];
            /**
             * Format: int32
             * @description Number of jobs that can run at the same time.
             */
            slots: number;
            /** Format: int64 */
            started_at_us: number;
            /** @description Problem that the worker reports. */
            trouble?: string | null;
            version: string;
            /**
             * Format: uuid
             * @description Id of the process; it changes with each start.
             */
            worker_id: string;
        };
        /** @description All workers. */
        Workers: {
            /** @description SHA-256 of the configuration file that the responding process uses. */
            config_hash: string;
            /** @description Oldest first. */
            workers: components["schemas"]["Worker"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
