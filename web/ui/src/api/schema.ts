// Generated from the API's OpenAPI document by `npm run types`; not edited.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Report that the service runs; browsers are redirected to the dashboard. */
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
         * @description Responds once the alert's session and its first job are committed together. The same alert,
         *     while its session runs, returns that session; so does a repeated `Idempotency-Key`, as long as
         *     the session is retained.
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
                /** @description Committed */
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
         * Dry run of an alert by the rules of `POST /alerts`.
         * @description Rejects what `POST /alerts` would reject because of the alert. Nothing is stored: a session may end,
         *     or another alert arrive, before it is submitted.
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
         * Check that a runbook can be fetched, as a chain worker would; nothing is stored.
         * @description One check per caller runs at a time. Callers with role `ingest` do not learn whether a GitHub
         *     repository is forbidden or lacks the file.
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
                /** @description Status of its session */
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
        /** List the audit log, newest first. Entries are never changed or deleted. */
        get: {
            parameters: {
                query?: {
                    /** @description Actor: API key or person. */
                    actor?: string;
                    /** @description Action, e.g. `session.cancel`. */
                    action?: string;
                    /** @description Subject: session, queue, worker, job or key. */
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
        /** The configuration as this process has read it, without secrets. It can't be changed here. */
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
        /** Discard a dead job. Refused while a running session depends on it. */
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
                /** @description Discarded; the job as it was */
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
        /** Requeue a dead job with fresh attempt counts. */
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
                /** @description Requeued; the job as it was */
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
        /** Keep the summary of an evaluation. */
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
                /** @description Kept */
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
        /** Create a key. Only this response contains it. */
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
        /** Revoke a key; every process rejects it within three seconds. A key cannot revoke itself. */
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
        /** List queues that are configured, served, paused or have jobs. */
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
         * Pause a queue; running jobs continue.
         * @description The pause survives restarts. Pausing a paused queue keeps the first reason.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /**
                     * @description Id from the list
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
                     * @description Id from the list
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
                    /** @description Last one of the previous page. */
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
         * Resubmit a rejected alert as it was sent, on behalf of the caller.
         * @description Handled like the original request, except that the operator's credentials replace the sender's
         *     signature. The response is that of the original endpoint.
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
        /** Delete expired data in small batches; only counts it unless `dry_run` is false. */
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
        /** Cancel the running sessions that match a filter; only counts them unless `dry_run` is false. */
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
         * Replay the first failed stage of each ended session that matches a filter; only counts them
         *     unless `dry_run` is false.
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
         * @description The worker of its stage is notified at once and stops, including a running tool call; nothing
         *     it does afterwards is recorded.
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
         * Acknowledge, assign or review a session, rate its answer, or take it out of its incident.
         * @description Triage does not affect workers.
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
        /** Write a note about a session, or an action that was taken. */
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
         * Replay a stage that has completed or failed as a new attempt, and the stages that need it.
         * @description Earlier attempts stay in the record. Of two concurrent replays, the second fails because the
         *     session is running.
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
        /** List LLM providers and MCP servers with their calls of the last hour, and the MCP servers of each pool. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Configured ones, and those known only from the history */
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
                    /** @description Session. */
                    session_id?: string;
                    /** @description Target. */
                    target?: string;
                    /** @description `pending`, `delivered` or `failed`. */
                    state?: string;
                    /** @description Last delivery of the previous page. */
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
        /** Redeliver the failed notifications of a group now, the oldest first. */
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
         * Drain a worker: it claims no more jobs, finishes running ones within its grace period, returns
         *     the others and exits, as on SIGTERM.
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
        /** List approvals of stages and tool calls, newest first unless `order` is `urgent`. */
        get: {
            parameters: {
                query?: {
                    /** @description `open` (default), `decided`, `all`, or one decision: `approved`, `denied`, `expired`, `cancelled`. */
                    status?: string;
                    /** @description Session id. */
                    session?: string;
                    /** @description `newest` (default): newest first. `urgent`: open ones by severity, then the one that expires first; only with status `open`. */
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
        /** Get an approval, open or decided. */
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
         * @description Requires the role that the approval names. An approval is decided once: a second decision gets 409, and
         *     `decision` of that problem holds the first one.
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
                /** @description It is decided, expired or cancelled already */
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
         * @description The question is answered by a session of the chain `knowledge`, from records and with citations. A conversation has
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
                /** @description Committed */
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
        /** Read the answer to a question. */
        get: {
            parameters: {
                query?: {
                    /** @description Whether `trace` is shown; by default if the question was asked with `debug`. */
                    debug?: boolean;
                };
                header?: never;
                path: {
                    /** @description Session id, as `POST /api/v1/ask` returns it */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The question, with its answer if there is one by now */
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
                /** @description No such question, or history is disabled */
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
         * @description Server-sent events. `draft` has the `text` that the model has written so far: it is not checked yet, each one replaces the
         *     one before, and the answer replaces them all. `answer` is the question as `GET /api/v1/ask/{session_id}` shows it, at first
         *     and whenever it has changed; the stream ends with the one that has ended. A question that `guardrails` could deny has no drafts.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id, as `POST /api/v1/ask` returns it */
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
                /** @description No such question, or history is disabled */
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
                    /** @description At or after this time, in Unix microseconds. */
                    since_us?: number;
                    /** @description Before this time, in Unix microseconds. */
                    until_us?: number;
                    /** @description Last change of the previous page. */
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
        /** List kept evaluations. */
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
        /** List running sessions, newest first; without follow-up questions. */
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
        /** Count the sessions for each value of a filter, given the other filters. */
        get: {
            parameters: {
                query?: {
                    /** @description Status of the session; repeated: any of the values */
                    status?: string[];
                    /** @description How far a session that has not ended is: needs_decision (of a person), stuck (no worker, a paused queue, a failing provider or a retry), queued (for a free worker) or in_progress; repeated: any of the values */
                    progress?: string[];
                    /** @description `chain:<chain_id>`, or an agent's name as in `agent`; `kubernetes` is the built-in `KubernetesAgent`; repeated: any of the values */
                    agent_type?: string[];
                    /** @description Alert type; repeated: any of the values */
                    alert_type?: string[];
                    /** @description Chain; repeated: any of the values */
                    chain_id?: string[];
                    /** @description Severity; `>=high` and the like compare critical, high, warning, low and info, and what monitoring systems call these; repeated: any of the values */
                    severity?: string[];
                    /** @description Outcome over all stages: completed, partial or failed; repeated: any of the values */
                    outcome?: string[];
                    /** @description What the check of the answer found: supported, partly_supported, unsupported, not_investigated, inconclusive, no_fault or not_checked; repeated: any of the values */
                    verdict?: string[];
                    /** @description Label of the chain that the concluding agent gave, e.g. `noise`; repeated: any of the values */
                    label?: string[];
                    /** @description Agent of any stage of the chain; repeated: any of the values */
                    agent?: string[];
                    /** @description Kind of sender, e.g. api or alertmanager; repeated: any of the values */
                    source?: string[];
                    /** @description The alert's `environment`, in its data or labels; repeated: any of the values */
                    environment?: string[];
                    /** @description The alert's `cluster`, in its data or labels; repeated: any of the values */
                    cluster?: string[];
                    /** @description The alert's `namespace`, in its data or labels; repeated: any of the values */
                    namespace?: string[];
                    /** @description Estimated cost of an ended session in dollars, e.g. `>1` or `<=0.5` */
                    cost?: string;
                    /** @description Whether the session has been acknowledged */
                    acknowledged?: boolean;
                    /** @description Whether the session has been reviewed */
                    reviewed?: boolean;
                    /** @description Assignee; repeated: any of the values */
                    assignee?: string[];
                    /** @description Rating of the answer: right, partly_right or wrong; repeated: any of the values */
                    rating?: string[];
                    /** @description Id of the incident that the session belongs to; repeated: any of the values */
                    incident?: string[];
                    /** @description Whether the session stands for its incident, as its first one, or belongs to none */
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
                    /** @description Text of 3 characters or more in alert, errors or analysis */
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
        /** Get the health of the history; always 200. */
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
        /** Get metrics of the last hours. */
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
                /** @description Sums */
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
         * @description A session is found a few seconds after it was accepted. Most searches cover all sessions. One that
         *     no index supports stops after a fifth of a second: `searched_to_us` tells how far it got, and
         *     `next_cursor` continues there.
         */
        get: {
            parameters: {
                query: {
                    /** @description 3 to 200 characters, case-insensitive */
                    q: string;
                    /** @description Status of the session; repeated: any of the values */
                    status?: string[];
                    /** @description How far a session that has not ended is: needs_decision (of a person), stuck (no worker, a paused queue, a failing provider or a retry), queued (for a free worker) or in_progress; repeated: any of the values */
                    progress?: string[];
                    /** @description `chain:<chain_id>`, or an agent's name as in `agent`; `kubernetes` is the built-in `KubernetesAgent`; repeated: any of the values */
                    agent_type?: string[];
                    /** @description Alert type; repeated: any of the values */
                    alert_type?: string[];
                    /** @description Chain; repeated: any of the values */
                    chain_id?: string[];
                    /** @description Severity; `>=high` and the like compare critical, high, warning, low and info, and what monitoring systems call these; repeated: any of the values */
                    severity?: string[];
                    /** @description Outcome over all stages: completed, partial or failed; repeated: any of the values */
                    outcome?: string[];
                    /** @description What the check of the answer found: supported, partly_supported, unsupported, not_investigated, inconclusive, no_fault or not_checked; repeated: any of the values */
                    verdict?: string[];
                    /** @description Label of the chain that the concluding agent gave, e.g. `noise`; repeated: any of the values */
                    label?: string[];
                    /** @description Agent of any stage of the chain; repeated: any of the values */
                    agent?: string[];
                    /** @description Kind of sender, e.g. api or alertmanager; repeated: any of the values */
                    source?: string[];
                    /** @description The alert's `environment`, in its data or labels; repeated: any of the values */
                    environment?: string[];
                    /** @description The alert's `cluster`, in its data or labels; repeated: any of the values */
                    cluster?: string[];
                    /** @description The alert's `namespace`, in its data or labels; repeated: any of the values */
                    namespace?: string[];
                    /** @description Estimated cost of an ended session in dollars, e.g. `>1` or `<=0.5` */
                    cost?: string;
                    /** @description Whether the session has been acknowledged */
                    acknowledged?: boolean;
                    /** @description Whether the session has been reviewed */
                    reviewed?: boolean;
                    /** @description Assignee; repeated: any of the values */
                    assignee?: string[];
                    /** @description Rating of the answer: right, partly_right or wrong; repeated: any of the values */
                    rating?: string[];
                    /** @description Id of the incident that the session belongs to; repeated: any of the values */
                    incident?: string[];
                    /** @description Whether the session stands for its incident, as its first one, or belongs to none */
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
                     * @description exact (default): a total beyond 10,000 is counted too, for at most 200 ms before the page is sent; quick: it is
                     *     an estimate
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
                    /** @description Status of the session; repeated: any of the values */
                    status?: string[];
                    /** @description How far a session that has not ended is: needs_decision (of a person), stuck (no worker, a paused queue, a failing provider or a retry), queued (for a free worker) or in_progress; repeated: any of the values */
                    progress?: string[];
                    /** @description `chain:<chain_id>`, or an agent's name as in `agent`; `kubernetes` is the built-in `KubernetesAgent`; repeated: any of the values */
                    agent_type?: string[];
                    /** @description Alert type; repeated: any of the values */
                    alert_type?: string[];
                    /** @description Chain; repeated: any of the values */
                    chain_id?: string[];
                    /** @description Severity; `>=high` and the like compare critical, high, warning, low and info, and what monitoring systems call these; repeated: any of the values */
                    severity?: string[];
                    /** @description Outcome over all stages: completed, partial or failed; repeated: any of the values */
                    outcome?: string[];
                    /** @description What the check of the answer found: supported, partly_supported, unsupported, not_investigated, inconclusive, no_fault or not_checked; repeated: any of the values */
                    verdict?: string[];
                    /** @description Label of the chain that the concluding agent gave, e.g. `noise`; repeated: any of the values */
                    label?: string[];
                    /** @description Agent of any stage of the chain; repeated: any of the values */
                    agent?: string[];
                    /** @description Kind of sender, e.g. api or alertmanager; repeated: any of the values */
                    source?: string[];
                    /** @description The alert's `environment`, in its data or labels; repeated: any of the values */
                    environment?: string[];
                    /** @description The alert's `cluster`, in its data or labels; repeated: any of the values */
                    cluster?: string[];
                    /** @description The alert's `namespace`, in its data or labels; repeated: any of the values */
                    namespace?: string[];
                    /** @description Estimated cost of an ended session in dollars, e.g. `>1` or `<=0.5` */
                    cost?: string;
                    /** @description Whether the session has been acknowledged */
                    acknowledged?: boolean;
                    /** @description Whether the session has been reviewed */
                    reviewed?: boolean;
                    /** @description Assignee; repeated: any of the values */
                    assignee?: string[];
                    /** @description Rating of the answer: right, partly_right or wrong; repeated: any of the values */
                    rating?: string[];
                    /** @description Id of the incident that the session belongs to; repeated: any of the values */
                    incident?: string[];
                    /** @description Whether the session stands for its incident, as its first one, or belongs to none */
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
                    /** @description Text of 3 characters or more in alert, errors or analysis */
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
                     * @description exact (default): a total beyond 10,000 is counted too, for at most 200 ms before the page is sent; quick: it is
                     *     an estimate
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
        /** A session with its stages and interactions. */
        get: {
            parameters: {
                query?: {
                    /** @description `all` (default), or `none`: only counts and sums; read `/interactions` page by page */
                    interactions?: string;
                    /** @description `true`: unmasked alert and runbook. Requires operator and writes an audit entry. Default: masked */
                    raw?: string;
                    /** @description Messages of each model call: `all` (default), only `new` ones since the previous call, or `none`. `new` keeps long sessions small: each interaction then appears once, in `chronological_interactions` */
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
        /** List what people did with a session and wrote about it. */
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
                /** @description Activity; of an unknown session none */
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
        /** List the changes nearest to the alert of a session: those of its service and namespace count as nearest. */
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
        /** Export a session; alert and runbook are masked. */
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
         * @description Ordered by attempt, then by sequence: later ones come last. An interaction changes once after it
         *     was recorded, when its call ends: read again `after` the one before the first without `success`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Interaction before the page; default: start at the first */
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
         * @description Requires operator: a body may contain more than the alert, such as an unsubscribe address.
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
                /** @description Sums */
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
        /** List incidents: groups of sessions about one target at one time, or with one root cause. */
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
        /** Get an incident with its sessions and why they belong together. */
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
        /** Sum up what a program and people say of answers. */
        get: {
            parameters: {
                query?: {
                    /** @description Unix microseconds, moved back to the start of its step; default 7 days before `to`. At most 31 days before `to` with step=hour, else 400 */
                    from?: number;
                    /** @description Unix microseconds, moved on to the end of its hour; default now. Sessions that ended from `from` to `to` are counted, as long as they are kept */
                    to?: number;
                    /** @description chain (default); model: the one that answered most calls of a session; or configuration: agent and configuration of its last stage */
                    by?: string;
                    /** @description hour, day (default) or week from Monday, in UTC */
                    step?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Sums */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Quality"];
                    };
                };
                /** @description A parameter is invalid, or the span is too long */
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
         * @description The answer is given by a session of its own, with the conclusion, the evidence and the earlier questions as context
         *     and the tools of the session's agent. A conversation has one unanswered question at a time. Asked of a session that
         *     answers a question, it continues that conversation.
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
                /** @description Committed */
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
         * @description Completes the stage that waits for the signal; the masked payload is its `data`. Signals are not queued: without a
         *     waiting stage the request gets 409.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Session id */
                    session_id: string;
                    /** @description Signal, as the stage names it */
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
                /** @description No stage waits for the signal, or the wait is decided already */
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
                /** @description A document that can't be stored */
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
         * Exchange an API key for a cookie of this browser.
         * @description The cookie is for HTTP only and SameSite=Strict. It opens what the key opens until it expires
         *     (`TARSY_BROWSER_SESSION`), the browser signs out, or the key is revoked. Requests that change
         *     something by it carry the header `X-Tarsy-CSRF`.
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
                /** @description Signed in; `Set-Cookie` has the session */
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
                /** @description The caller shows no API key of their own */
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
                /** @description Ways besides keys */
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
         * @description For browsers: authorization code with PKCE. No token reaches the page.
         */
        get: {
            parameters: {
                query?: {
                    /**
                     * @description Path of the page to open afterwards, below `TARSY_PUBLIC_URL`; any other than of our apps opens the dashboard.
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
                /** @description To the identity provider; or to our page, with the reason in `sign_in_failed` */
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
                /** @description Too many sign-ins of this address */
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
         * @description The identity provider sends browsers here. Opens a session as `POST /api/v1/sign-in` does.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Authorization code. */
                    code?: string | null;
                    /** @description Binds the answer to the browser that began the sign-in. */
                    state?: string | null;
                    /** @description Issuer (RFC 9207). */
                    iss?: string | null;
                    /** @description Why there is no code. */
                    error?: string | null;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description To the page that the sign-in began at; `Set-Cookie` has the session, or `sign_in_failed` the reason */
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
                /** @description Too many sign-ins of this address */
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
                /** @description Signed out of tarsy; the identity provider signs out, too */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedOut"];
                    };
                };
                /** @description Signed out; `Set-Cookie` takes the session away */
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
                    /** @description Unix microseconds, moved back to the start of its step; default 7 days before `to`. At most 31 days before `to` with step=hour, else 400 */
                    from?: number;
                    /** @description Unix microseconds, moved on to the end of its hour; default now */
                    to?: number;
                    /** @description provider, model (default), chain, agent: model calls; tool: tool calls */
                    by?: string;
                    /** @description hour, day (default) or week from Monday, in UTC */
                    step?: string;
                    /** @description json or csv; default by the header `Accept` */
                    format?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Sums */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Usage"];
                        "text/csv": string;
                    };
                };
                /** @description A parameter is invalid, or the span is too long */
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
         * @description Browsers can't send an `Authorization` header with a WebSocket, and a key in an address
         *     ends up in logs; a ticket is harmless there: it works once, for 30 seconds.
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
        /** Get the health of each dependency; always 200. Probes use `/livez` and `/readyz`. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Each dependency */
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
        /** Liveness probe. Checks no dependency: a restart would not repair a database. */
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
        /** Get Prometheus metrics; `Accept: application/openmetrics-text` adds exemplars. */
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
        /** Readiness probe: the database responds with a schema that fits, and the process is not shutting down. */
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
                /** @description Not ready; `message` says why */
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
                /** @description Its session */
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
         * @description Slack signs it with the app's signing secret. A mention of the app in a session's thread asks a question about the session,
         *     as the user that the configuration maps the Slack user to; the answer is posted into the thread. An event that Slack
         *     repeats asks once. Other events are accepted and ignored.
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
                /** @description No Slack app of this name takes decisions */
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
                /** @description Too many requests of this app, or the database is unavailable */
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
         * @description Slack signs it with the app's signing secret. The press decides an approval as the user that the configuration maps
         *     the Slack user to; who decided is shown in place of the buttons. Other interactions are accepted and ignored.
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
                /** @description No Slack app of this name takes decisions */
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
                /** @description Too many requests of this app, or the database is unavailable */
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
         * Receive a webhook: one session per firing alert of a monitoring system, one change per event of a source of changes.
         * @description Senders repeat requests without a 2xx response, so an invalid alert does not block the others:
         *     the response has the result of each.
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
         * @description A WebSocket; see docs/LIVE.md for its protocol.
         */
        get: {
            parameters: {
                query?: {
                    /**
                     * @description From `POST /api/v1/ws-tickets`; required for clients that are not web pages, and if access
                     *     control is on for pages that are not signed in.
                     */
                    ticket?: string | null;
                };
                header?: never;
                path: {
                    /** @description Any name of the client */
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
             * @description Session that the conversation is about; of questions to the knowledge store, its first one.
             */
            conversation_id: string;
            /**
             * Format: uuid
             * @description Session that answers it; its live channel is `session_<session_id>`.
             */
            session_id: string;
            /** @description `queued`, or `duplicate` if the `Idempotency-Key` was used for this question before. */
            status: components["schemas"]["Submitted"];
        };
        /** @description Sessions that have not ended. */
        ActiveSessions: {
            /** @description The newest, at most 100. */
            active_sessions: components["schemas"]["SessionLine"][];
            /**
             * Format: int64
             * @description How many there are.
             */
            total_count: number;
        };
        /** @description Activity of a session. */
        Activity: {
            /** @description Newest first; the newest 500 notes and audit entries. */
            entries: components["schemas"]["ActivityEntry"][];
        };
        /** @description One entry of a session's activity. */
        ActivityEntry: {
            /** @description Who. */
            actor: string;
            /** Format: int64 */
            at_us: number;
            /** @description Details of an audit entry. */
            details: Record<string, never>;
            /**
             * @description `note`, `action` (something that was done), or an action of the audit log.
             * @example session.acknowledge
             */
            kind: string;
            /** @description What was written; of an audit entry its reason. */
            text: string;
        };
        /** @description A question with its answer. */
        Answer: {
            /** @description The answer alone; null if nothing in the store supports one, or a policy denies it. */
            answer?: string | null;
            /** @description What the answer is based on: `id`, `collection`, `key` and the beginning of the `text`. */
            citations: unknown[];
            /**
             * Format: uuid
             * @description First session of the conversation.
             */
            conversation_id: string;
            /** @description Why there is no answer: why the session failed, or what was refused. */
            error_message?: string | null;
            /** @description Lookups that failed or were refused, and why: the answer goes without them. */
            errors: string[];
            /** @description Citations of the model that do not exist. */
            invented: string[];
            /** @description Masked. */
            question?: string | null;
            /** @description What policies of `guardrails` found, and as `masking` what was masked before: `policy`, `action`, `kind`, `count`. */
            redaction_flags: unknown[];
            /**
             * Format: uuid
             * @description Session that answers it; its live channel is `session_<session_id>`.
             */
            session_id: string;
            /** @example completed */
            status: string;
            /** @description Whether each of the answer's sources exists, and there is one. */
            supported?: boolean | null;
            /** @description The answer in Markdown with its sources, or that there is none. */
            text?: string | null;
            /**
             * @description How the answer came about, with `debug`; null otherwise. `stages` with what they took; the router's `intent`, `route`,
             *     `steps`, `statement` and `command`; `search_query`; how the `search` went and its `results` with their scores; ids of the
             *     `evidence` that the model was given, of those whose text was `cut`, and how many results were `left_out`.
             */
            trace?: unknown;
        };
        /**
         * @description What a person decides.
         * @enum {string}
         */
        ApprovalAnswer: "approve" | "deny";
        /** @description A decision with its reason. */
        ApprovalDecision: {
            decision: components["schemas"]["ApprovalAnswer"];
            /** @description Reason: stored in the audit log, and handed to the agents that follow. Default `not stated`. */
            reason?: components["schemas"]["Reason"];
        };
        /** @description A page of approvals. */
        Approvals: {
            /** @description In the order that was asked for. */
            approvals: components["schemas"]["Wait"][];
            /**
             * Format: uuid
             * @description Cursor of the next page, as `before`.
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
             * @description Authentication method: `key`, `forwarded` (by a proxy's key), `oidc`, `off` (access control
             *     was off) or `database` (`tarsy keys`); null in older entries.
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
        /** @description A page of the log. */
        AuditLog: {
            /** @description Newest first. */
            entries: components["schemas"]["AuditEntry"][];
            /**
             * Format: int64
             * @description Cursor of the next page.
             */
            next?: number | null;
        };
        /**
         * @description What became of one alert.
         * @enum {string}
         */
        Became: "queued" | "duplicate" | "suppressed" | "resolved" | "unknown" | "recorded" | "ignored" | "rejected";
        /** @description Filter and reason of a bulk action. */
        BulkRequest: {
            /**
             * @description Only count; the default.
             * @default true
             */
            dry_run: boolean;
            /**
             * @description Filters of `GET /api/v1/history/sessions` by name, e.g. `status`, `alert_type`, `agent`,
             *     `cluster` or `search`; at least one.
             */
            filter: Record<string, never>;
            /** @description Reason, stored in the audit log with each session. */
            reason: components["schemas"]["Reason"];
        };
        /** @description How calls went. Of a busy fleet the newest 5,000 of each kind are counted. */
        CallFigures: {
            /**
             * Format: int64
             * @description Since `since_us`.
             */
            calls: number;
            /**
             * Format: int64
             * @description Of those; a tool call that was refused is in neither.
             */
            failed: number;
            /**
             * Format: int64
             * @description When the newest one began, before `since_us` too.
             */
            last_call_us: number;
            /** @description What the last that failed, failed with. */
            last_error?: string | null;
            /** Format: int64 */
            last_failure_us?: number | null;
            /** Format: int64 */
            last_success_us?: number | null;
            /**
             * Format: int64
             * @description Median time in ms.
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
        /** @description The stages of its chain. */
        ChainStatistics: {
            completed_stages: number;
            failed_stages: number;
            /** @description How many of the stages that were begun each agent has. */
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
            /** @description The sender's name of it. */
            external_id: string;
            /**
             * Format: int64
             * @description When it happened; when it was received, if its sender gives no time.
             */
            happened_at_us: number;
            /** @example deployment */
            kind: string;
            /** @description Its page; http or https. */
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
             * @description What changed, on one line. Masked.
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
             * @description Cursor of the next page, as `before`.
             */
            next?: string | null;
        };
        /** @description A session that an agent dispatched to a sub-agent. */
        ChildSession: {
            /** @description The sub-agent. */
            agent: string;
            /** Format: int64 */
            completed_at_us?: number | null;
            /**
             * Format: double
             * @description Of its stages; none without a price. Those of its own children are not in it.
             */
            cost_usd?: number | null;
            error_message?: string | null;
            outcome?: string | null;
            /**
             * Format: uuid
             * @description The stage whose agent dispatched it.
             */
            parent_execution_id: string;
            /** Format: uuid */
            session_id: string;
            /** Format: int64 */
            started_at_us: number;
            status: string;
            /** @description What it is to do, masked. */
            task: string;
            /** @description What the check of its answer found. */
            verdict?: string | null;
        };
        /**
         * @description Configuration that this process has loaded; secrets are shown as `[secret]` or as their
         *     template.
         */
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
            /** @description The file, or `built-in`. */
            source: string;
            webhook_sources: Record<string, never>[];
        };
        /** @description The questions about a session and their answers. */
        Conversation: {
            /** @description Whether a question can be asked now: the session has ended, and no question is unanswered. */
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
        /** @description Job that is not retried. */
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
            /** @description Payload; only in the response for one job. */
            payload?: Record<string, never> | null;
            queue: string;
            /**
             * @description `exhausted`: all attempts failed; `cancelled`: its handler gave up; `undecodable`: no worker
             *     can decode it.
             */
            reason: string;
            /** Format: uuid */
            session_id?: string | null;
            /**
             * Format: int32
             * @description Waits that do not count as attempts.
             */
            snoozes: number;
            /**
             * Format: uuid
             * @description Session, stage execution or delivery.
             */
            subject: string;
        };
        /** @description A page of dead jobs. */
        DeadJobs: {
            /** @description Newest first. */
            dead_jobs: components["schemas"]["DeadJob"][];
            /** @description Cursor of the next page. */
            next?: string | null;
        };
        /** @description A page of deliveries. */
        Deliveries: {
            /** @description Numbers of undelivered ones with this session or target. */
            counts: components["schemas"]["DeliveryCounts"];
            /** @description Newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /**
             * Format: uuid
             * @description Cursor of the next page, as `before`.
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
            /** @description Why the last attempt failed; without the response body. */
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
            /** @description Name in the configuration. */
            target: string;
        };
        /** @description Numbers of undelivered webhooks, each up to 10,000. */
        DeliveryCounts: {
            /**
             * Format: int64
             * @description No more retries.
             */
            failed: number;
            /**
             * Format: int64
             * @description Due, or retried later.
             */
            pending: number;
        };
        /** @description Undelivered notifications of one target that failed alike. */
        DeliveryGroup: {
            /** @description Why the last attempts failed. */
            error?: string | null;
            /** Format: int64 */
            last_attempt_at_us?: number | null;
            /**
             * Format: int64
             * @description How many there are; of each state the newest 10,000 are counted.
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
            /** @description Name in the configuration. */
            target: string;
        };
        /** @description Groups of undelivered notifications. */
        DeliveryGroups: {
            /** @description Failed ones first, then the largest; 200 at most. */
            groups: components["schemas"]["DeliveryGroup"][];
        };
        /** @description Duplicate alert; its content equals the session's alert. */
        Duplicate: {
            /**
             * Format: int64
             * @description Time of the alert, given by its sender.
             */
            alert_timestamp_us?: number | null;
            author?: string | null;
            /**
             * Format: int32
             * @description From 1, in order of arrival.
             */
            number: number;
            /** Format: int64 */
            received_at_us: number;
            severity: string;
            source: string;
            /**
             * @description `firing` if its source has states; alerts of `POST /alerts` have none.
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
            /** @description The newest hundred, newest first. Older versions only counted. */
            duplicates: components["schemas"]["Duplicate"][];
        };
        /** @description An evaluation that is kept. */
        Evaluation: {
            /** @description Who sent it. */
            author: string;
            /** Format: uuid */
            evaluation_id: string;
            /** Format: int64 */
            kept_at_us: number;
            name: string;
            summary: components["schemas"]["EvaluationSummary"];
        };
        /** @description The difference to another evaluation of the same cases. */
        EvaluationAgainst: {
            /** @description Cases that are right now. */
            improved: string[];
            name: string;
            /**
             * Format: double
             * @description P of the exact McNemar test over the cases.
             */
            p_of_cases: number;
            /** @description Cases that are no longer right. */
            regressed: string[];
        };
        /** @description A model's opinion of the answers. */
        EvaluationJudge: {
            /**
             * Format: int32
             * @description Questions that it answered.
             */
            answered: number;
            model: string;
            /**
             * Format: int32
             * @description Questions that it answered as the program does.
             */
            same: number;
        };
        /** @description Figures of an evaluation, as `tarsy eval publish` sends them. */
        EvaluationSummary: {
            against?: components["schemas"]["EvaluationAgainst"] | null;
            /**
             * Format: int32
             * @description Cases that were run.
             */
            cases: number;
            /** @description The first twelve digits of the configuration file's SHA-256, or `built-in`; none: not recorded. */
            configuration?: string | null;
            /**
             * Format: int32
             * @description Cases that the best constant answer has right.
             */
            constant_right: number;
            /**
             * Format: double
             * @description Estimated US dollars of the model calls that have a price.
             */
            cost_usd: number;
            /**
             * Format: int32
             * @description Facts that the alerts don't say.
             */
            facts: number;
            /**
             * Format: int32
             * @description Of those, facts that the answers say.
             */
            facts_said: number;
            /**
             * Format: int32
             * @description Of those, cases whose answer names a cause.
             */
            false_alarms: number;
            /**
             * Format: int32
             * @description Of those, facts that no result shows.
             */
            guessed: number;
            /**
             * Format: int32
             * @description Cases in which nothing is wrong.
             */
            healthy: number;
            judge?: components["schemas"]["EvaluationJudge"] | null;
            model: string;
            /** @description Provider, by its name in the configuration. */
            provider: string;
            /**
             * Format: int32
             * @description Cases whose answer is right.
             */
            right: number;
            /** Format: double */
            right_high?: number | null;
            /**
             * Format: double
             * @description Bounds of the share of right cases (bootstrap, 95 %).
             */
            right_low?: number | null;
            /**
             * Format: int32
             * @description Cases whose records answered enough calls.
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
        /** @description An evaluation to keep. */
        EvaluationWanted: {
            /**
             * @description What it is called, e.g. a model with a date: 1 to 200 characters.
             * @example gemini, new prompt
             */
            name: string;
            summary: components["schemas"]["EvaluationSummary"];
        };
        /** @description Kept evaluations. */
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
        /** @description One filter's values. */
        FacetValues: {
            /**
             * @description Whether all that match were counted; else only the newest 10,000, by what alerts say of themselves the newest 1,000, of a text the newest 2,000
             *     or those that were found in time.
             */
            is_exact: boolean;
            /**
             * @description Sessions that each value would leave; a value without any is not named.
             * @example {
             *       "failed": 3
             *     }
             */
            values: {
                [key: string]: number;
            };
        };
        /** @description One field that is not as it should be. */
        FieldError: {
            /** @description What is wrong with it. */
            detail: string;
            /**
             * @description The field, e.g. `severity` or `data.labels.hosts[3]`.
             * @example data.labels.hosts[3]
             */
            field: string;
        };
        /** @description List the values of the session filters. */
        FilterOptions: {
            /** @description `chain:<chain_id>` of each chain. */
            agent_types: string[];
            /** @description Agents of stages, configured and seen. */
            agents: string[];
            alert_types: string[];
            /** @description People that sessions are assigned to. */
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
        /** @description A group of failed notifications, and why it is redelivered. */
        GroupRedelivery: {
            /** @description As in the group; absent: null there. */
            error?: string | null;
            /** @description Reason, stored in the audit log with each delivery. */
            reason: components["schemas"]["Reason"];
            /**
             * Format: int32
             * @description As in the group; absent: null there.
             */
            response_status?: number | null;
            /** @description Name of the target. */
            target: string;
        };
        /** @description What sessions of an incident share. */
        GroupingReason: {
            /**
             * @description `target`: alerts about it started within 10 minutes of one another. `cause`: checked root causes name the same, within an hour.
             * @example target
             */
            kind: string;
            /**
             * @description Cluster, and namespace or object; or cluster, and the names of the root cause.
             * @example prod-eu-1 / shop
             */
            shared: string;
        };
        /** @description Response of `GET /health`. */
        Health: {
            /** @example tarsy */
            service: string;
            services: components["schemas"]["Services"];
            /** @description `healthy`, or `degraded` if a component is not. */
            status: string;
            /** @description Now, RFC 3339. */
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
             * @description Now, Unix microseconds.
             */
            timestamp_us: number;
        };
        /** @description Its components. */
        HistoryHealthDetails: {
            database_connected: boolean;
            enabled: boolean;
            /** Format: int64 */
            retention_days: number;
        };
        /** @description One hour. */
        Hour: {
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            hour_us: number;
            /** Format: int64 */
            sessions: number;
        };
        /** @description An identity provider that people sign in at. */
        IdentityProvider: {
            /**
             * @description `TARSY_OIDC_NAME`.
             * @example single sign-on
             */
            name: string;
        };
        /** @description What the sessions of an incident come to. */
        Incident: {
            /**
             * Format: uuid
             * @description The member whose answer has the best verdict; none while there is no answer.
             */
            answer_id?: string | null;
            /**
             * Format: double
             * @description Of those that ended: each with its sub-agents and the questions about it. Estimated.
             */
            cost_usd?: number | null;
            /**
             * Format: int64
             * @description How many failed.
             */
            failed: number;
            /** Format: int64 */
            first_started_at_us: number;
            /** @description That answer in one line. */
            headline?: string | null;
            /** Format: uuid */
            incident_id: string;
            /** Format: int64 */
            last_started_at_us: number;
            /**
             * Format: uuid
             * @description The session that started first, which stands for the incident.
             */
            lead_id: string;
            /**
             * Format: int64
             * @description Sessions in it.
             */
            members: number;
            /**
             * @description The lead's alert name or type, masked.
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
             * @description How many have not ended.
             */
            running: number;
            /**
             * @description Where the lead's alert is, masked.
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
            /** @description The sessions in order of their starts. */
            members: components["schemas"]["SessionLine"][];
            /** @description Cursor of the next members, as `after`; none at the end. */
            next?: string | null;
            /** @description Why these sessions belong together, masked. */
            reasons: components["schemas"]["GroupingReason"][];
            /** @description Sessions that a person took out, at most 100. */
            removed: components["schemas"]["RemovedMember"][];
        };
        /** @description A page of incidents, the one that began last first. */
        Incidents: {
            incidents: components["schemas"]["Incident"][];
            /** @description Cursor of the next page, as `after`; none at the end. A page may be shorter than its limit. */
            next?: string | null;
        };
        /** @description A model call, tool call or tool list. */
        Interaction: {
            /** @description What is particular to its kind. */
            details: Record<string, never>;
            /**
             * Format: int64
             * @description None while it runs, or when its process died.
             */
            duration_ms?: number | null;
            error_message?: string | null;
            /**
             * Format: uuid
             * @description The same as `interaction_id`.
             */
            event_id: string;
            /**
             * Format: uuid
             * @description The same as `interaction_id`.
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
            /** @description For people, e.g. `Iteration 2: ask model`. */
            step_description: string;
            /** @description None: the outcome is not known (yet). */
            success?: boolean | null;
            /** Format: int64 */
            timestamp_us: number;
            /** @description `llm` or `mcp`. */
            type: string;
        };
        /** @description Calls of a stage that went wrong alike: the analysis knows nothing of what they would have shown. */
        InvestigationGap: {
            /** @description What the last one failed with. */
            error?: string | null;
            /**
             * @description `unreachable`: the server's tools could not be listed; `refused`: a call was not made; `failed`.
             * @example unreachable
             */
            kind: string;
            /** @description MCP server. */
            server: string;
            /** @description Stage, with its branch if it has some. */
            stage: string;
            /** Format: int64 */
            times: number;
            /** @description Tool; none where the server was unreachable. */
            tool?: string | null;
        };
        /** @description API key without its secret. */
        Key: {
            /** Format: int64 */
            created_at_us: number;
            created_by: string;
            /**
             * Format: int64
             * @description Expiry; null: never.
             */
            expires_at_us?: number | null;
            /** Format: uuid */
            key_id: string;
            /**
             * Format: int64
             * @description Accurate to half a minute.
             */
            last_used_at_us?: number | null;
            /**
             * @description Name of the key: the actor in the audit log.
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
             * @description The key; it is shown only once.
             * @example tarsy_0123456789ab_..
             */
            key: string;
        };
        /** @description Key to create. */
        KeyWanted: {
            /**
             * Format: int64
             * @description Expiry in Unix microseconds; default never.
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
            /** @description Whether the configuration has a section `knowledge`: questions are accepted. */
            enabled: boolean;
        };
        /** @description The incident of a session in a list. */
        LineIncident: {
            /** Format: uuid */
            incident_id: string;
            /**
             * Format: int64
             * @description Sessions in it; counted up to 10,000.
             */
            members: number;
            summary?: components["schemas"]["Incident"] | null;
        };
        /** @description Language models. */
        Llm: {
            /** @description Whether any provider is available. */
            provider_available: boolean;
            /** @description Providers that failed every call of the last minutes. */
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
            /** @description Sessions acted on, at most 1,000 per request; repeat the request for the rest. */
            affected: number;
            dry_run: boolean;
            /**
             * Format: int64
             * @description Matching sessions that the action applies to, counted up to 10,000.
             */
            matched: number;
            /** @description Whether the count is exact. */
            matched_is_exact: boolean;
            /** @description The first 100 of them; on a dry run, those that would be acted on. */
            session_ids: string[];
        };
        /** @description MCP servers. */
        Mcp: {
            /** @description Servers whose tools stages failed to list within the last minutes. */
            unreachable: components["schemas"]["UnreachableServer"][];
        };
        /** @description An MCP server. */
        McpServer: {
            calls?: components["schemas"]["CallFigures"] | null;
            configured?: components["schemas"]["ServerEntry"] | null;
            name: string;
        };
        /** @description The caller and its role. */
        Me: {
            /**
             * @description Authentication method: `off` (access control is off), `key`, `session` (a browser that signed
             *     in) or `oidc`.
             * @example key
             */
            auth: string;
            /** @description Name in the audit log. */
            name: string;
            /**
             * @description `ingest`, `viewer`, `operator` or `admin`.
             * @example operator
             */
            role: string;
        };
        /** @description Figures of the sessions that were accepted within a span of time. */
        Metrics: {
            /**
             * Format: int64
             * @description Pending and in progress.
             */
            active_sessions: number;
            /** Format: int64 */
            average_duration_ms?: number | null;
            by_alert_type: {
                [key: string]: number;
            };
            /** @description Oldest first; hours without a session are left out. */
            by_hour: components["schemas"]["Hour"][];
            /** Format: int64 */
            cancelled_sessions: number;
            /** Format: int64 */
            completed_sessions: number;
            /**
             * Format: int64
             * @description Alerts that were taken for one that was there.
             */
            duplicates: number;
            /** Format: int64 */
            failed_sessions: number;
            /**
             * Format: int64
             * @description Its begin.
             */
            from_us: number;
            /**
             * Format: int64
             * @description The span, in hours.
             */
            hours: number;
            /**
             * Format: double
             * @description Completed of completed and failed, 0 to 1; none while nothing has ended.
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
            /** @description The nearest twenty, oldest first: of three days before the alert and an hour after it. */
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
            /** @description The collection that is searched; all by default. */
            collection?: string | null;
            /**
             * Format: uuid
             * @description A session of the conversation that the question continues.
             */
            conversation?: string | null;
            /** @description Whether the answer comes with its trace, and the session's last stage says how it came about. */
            debug?: boolean;
            /**
             * @description Values that fields of the records must have, by field: a text, or a list any of which will do
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
        /** @description A stage that runs next. */
        NextStage: {
            /** @description Its agent, or what else runs it. */
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
             * @description The text: more than white space.
             * @example Raised the memory limit of the ledger
             */
            text: string;
        };
        /** @description One alert of a payload. */
        Outcome: {
            /** Format: uuid */
            alert_id?: string | null;
            /** @description The sender's name for the alert. */
            fingerprint: string;
            /** @description Why it can't be used. */
            problem?: Record<string, never> | null;
            /** Format: uuid */
            session_id?: string | null;
            status: components["schemas"]["Became"];
        };
        /** @description Where a page is. */
        Pagination: {
            /**
             * @description Give it as `cursor` for the next page, with the same `sort_by`; fast at any depth. None at the
             *     end. A search may have one though its page is not full.
             */
            next_cursor?: string | null;
            /** Format: int64 */
            page: number;
            /** Format: int64 */
            page_size: number;
            /**
             * Format: int64
             * @description A search came so far, then its time was up: sessions that started earlier (with
             *     `sort_order=asc`: later) were not looked at. None where all that can match was.
             */
            searched_to_us?: number | null;
            /**
             * Format: int64
             * @description There are at least so many.
             */
            total_at_least: number;
            total_is_exact: boolean;
            /**
             * Format: int64
             * @description Exact if it can be counted in 200 ms, then at most 3 s old beyond 10,000; else, or with `total=quick`, an estimate: see `total_is_exact`.
             */
            total_items: number;
            /** Format: int64 */
            total_pages: number;
        };
        /** @description The MCP servers of one pool of stage workers. A pool per cluster makes this the sources of a cluster. */
        PoolSources: {
            pool: string;
            /** @description Those that a worker offers, and those that were called lately; by name. */
            sources: components["schemas"]["Source"][];
            /** @description Live stage workers that claim from it. */
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
             * @description Stages of the last 24 hours that lost their worker and continued on another.
             */
            recovered_last_day: number;
            /**
             * Format: int64
             * @description Median wait for a worker, in ms.
             */
            wait_p50_ms?: number | null;
            /**
             * Format: int64
             * @description 95th percentile of the wait, in ms.
             */
            wait_p95_ms?: number | null;
        };
        /** @description Response to a probe. */
        Probe: {
            status: string;
        };
        /** @description The body of every answer that is not a success (RFC 9457); some codes add members of their own. */
        Problem: {
            /**
             * @description Stable name, see docs/ERRORS.md.
             * @example invalid_alert
             */
            code: string;
            /** @description What went wrong this time. */
            detail: string;
            /** @description Each field that is not as it should be. */
            errors?: components["schemas"]["FieldError"][] | null;
            /**
             * Format: int32
             * @description The HTTP status.
             * @example 422
             */
            status: number;
            /** @description The same for every problem of this code. */
            title: string;
            /** @description Names the kind of problem: `urn:tarsy:problem:<code>`. */
            type: string;
        };
        /** @description Where an alert's session stands. */
        Progress: {
            /** @description Current or last agent. */
            agent?: string | null;
            /** Format: uuid */
            alert_id: string;
            /** @description MCP servers of that agent. */
            assigned_mcp_servers: string[];
            /** @description Chain of the alert. */
            chain_id: string;
            /** @description Why there is none. */
            error?: string | null;
            /**
             * @description The label of its chain that the agent which concluded gave it.
             * @example noise
             */
            label?: string | null;
            /**
             * Format: int32
             * @description Percentage of finished stages; a running one counts in part, by its iterations.
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
             * @description What the check of the analysis against tool results found.
             * @example partly_supported
             */
            verdict?: string | null;
            /** @description The verdict in one sentence. */
            verdict_summary?: string | null;
        };
        /** @description What the configuration says of a provider. */
        ProviderEntry: {
            /** @description The environment variable of its key. */
            api_key_env?: string | null;
            /** @description Whether it can be asked: it has its key, or needs none. */
            available: boolean;
            /** @description Fallbacks, in order. */
            fallbacks: string[];
            /** @description Whether it is the default. */
            is_default: boolean;
            model: string;
            /**
             * @description The wire format.
             * @example openai
             */
            type: string;
        };
        /** @description Prune request. */
        PruneAsked: {
            /**
             * @description Only count; the default.
             * @default true
             */
            dry_run: boolean;
            /** @description Reason, stored in the audit log. */
            reason: components["schemas"]["Reason"];
        };
        /** @description Deleted rows; on a dry run, those that would be deleted. */
        Pruned: {
            dry_run: boolean;
            /** Format: int64 */
            events: number;
            /**
             * Format: int64
             * @description Sessions with their rows; at most 20,000 per request.
             */
            sessions: number;
        };
        /** @description Scores of sessions, summed up. */
        Quality: {
            /** @example chain */
            by: string;
            /**
             * Format: int64
             * @description Start of the first step.
             */
            from_us: number;
            /** @description Those with most sessions first. */
            groups: components["schemas"]["QualityGroup"][];
            /** @description Whether every session that ended more than ten minutes ago is in the sums; `false` for a while after an upgrade. */
            is_scored: boolean;
            /** @example day */
            step: string;
            /** @description By step; steps without a session are left out. */
            steps: components["schemas"]["QualityStep"][];
            /**
             * Format: int64
             * @description End of the last hour.
             */
            to_us: number;
            /** @description The sums of all groups. */
            total: components["schemas"]["QualitySums"];
        };
        /** @description A group and its sums. */
        QualityGroup: components["schemas"]["QualitySums"] & {
            /** @description `null`: all groups beyond the largest. */
            name?: string | null;
        };
        /** @description Sessions of a verdict, and what people say of their answers. */
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
        /** @description Sessions that ended in a step. */
        QualityStep: {
            /**
             * Format: int64
             * @description Start of the step.
             */
            at_us: number;
            /** @description Sessions, by verdict. */
            verdicts: {
                [key: string]: number;
            };
        };
        /** @description Sessions of a group. Questions and sub-agents are not counted. */
        QualitySums: {
            /**
             * Format: int64
             * @description Tool calls that were sent.
             */
            calls: number;
            /**
             * Format: int64
             * @description Names, numbers and times of answers that were looked up.
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
             * @description Of those, what results contain.
             */
            found: number;
            /**
             * Format: int64
             * @description The answer has names that no result contains.
             */
            guessing: number;
            /**
             * Format: int64
             * @description Not sent: no such tool, arguments against the schema, not approved.
             */
            refused_calls: number;
            /**
             * Format: int64
             * @description Sent before, with the same arguments.
             */
            repeated_calls: number;
            /** Format: int64 */
            sessions: number;
            /** Format: int64 */
            tokens: number;
            /** @description Sessions by verdict, with their ratings. */
            verdicts: {
                [key: string]: components["schemas"]["QualityRated"];
            };
            /**
             * Format: int64
             * @description Of a tool server, no call succeeded.
             */
            with_gap: number;
            /**
             * Format: int64
             * @description Tools were offered, and no call was sent.
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
             * @description Age of the oldest due job.
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
            /** @description Workers that answer, by role. */
            workers: {
                [key: string]: number;
            };
            /** @description Workers that report a problem. */
            workers_in_trouble: {
                [key: string]: number;
            };
            /** @description Workers that live and have not reported for 15 seconds, by role; not among `workers`. */
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
             * @description Age of the oldest due job.
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
            /** @description Why it is paused. */
            reason?: string | null;
            /**
             * Format: int64
             * @description Jobs that are running.
             */
            running: number;
            /**
             * Format: int64
             * @description Jobs that are scheduled.
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
             * @description Live workers of the queue, without draining ones.
             */
            workers: number;
        };
        /** @description All queues. */
        QueueStates: {
            /** @description By name. */
            queues: components["schemas"]["QueueState"][];
            /**
             * Format: int64
             * @description Start of the period that pools are counted over, Unix microseconds: an hour, or less on a busy fleet.
             */
            since_us: number;
        };
        /**
         * @description Reason of an action: 1 to 500 characters, not all of them spaces.
         * @example provider outage
         */
        Reason: string;
        /** @description Body with only a reason. */
        ReasonBody: {
            /** @description Reason, stored in the audit log. */
            reason: components["schemas"]["Reason"];
        };
        /** @description What became of a payload. */
        Reception: {
            /** @description Each alert, in the order of the payload. */
            results: components["schemas"]["Outcome"][];
        };
        /** @description A part of a session's record. */
        Record: {
            /**
             * @description Attempts in the order they were made, within each by sequence; model calls with
             *     `new_messages`.
             */
            interactions: components["schemas"]["Interaction"][];
            /** @description Whether more follow; they are asked for `after` the last of these. */
            more: boolean;
        };
        /** @description Result of redelivering a group. */
        RedeliveredGroup: {
            /** @description Deliveries queued, at most 500 per request. */
            affected: number;
            /** @description Whether the group has more; repeat the request for these. */
            has_more: boolean;
        };
        /** @description A provider that refuses everybody. */
        RefusingProvider: {
            /**
             * @description What its newest call failed with: `auth`, `rate_limited`, `connection`, ..
             * @example auth
             */
            class: string;
            /**
             * Format: int64
             * @description Model calls that failed since it last answered.
             */
            failed_calls: number;
            /** @example openai */
            provider: string;
            /**
             * Format: int64
             * @description When the first of them began, Unix microseconds.
             */
            since_us: number;
        };
        /** @description One alert of a webhook that was rejected. */
        RejectedAlert: {
            /**
             * @description Code of its problem, see docs/ERRORS.md.
             * @example unknown_alert_type
             */
            code: string;
            /** @description What went wrong. */
            detail?: string;
            /** @description The sender's name for it; empty if it has none. */
            fingerprint?: string;
        };
        /** @description Request with at least one rejected alert. */
        Rejection: {
            /** @description Rejected alerts of a webhook, at most fifty. */
            alerts: components["schemas"]["RejectedAlert"][];
            author?: string | null;
            /**
             * Format: int64
             * @description Size in bytes; null if the body was not read.
             */
            body_bytes?: number | null;
            /**
             * @description Problem code, see docs/ERRORS.md; of a partly accepted request, that of its first rejected alert.
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
             * @description Cursor of the next page, as `before`.
             */
            next?: string | null;
            /** @description Newest first. */
            rejections: components["schemas"]["Rejection"][];
        };
        /** @description A session that a person took out. */
        RemovedMember: {
            /** Format: int64 */
            removed_at_us: number;
            removed_by?: string | null;
            session: components["schemas"]["SessionLine"];
        };
        /** @description Replay request. */
        ReplayRequest: {
            /** @description Agent to run instead of that of the attempt before. */
            agent?: string | null;
            /**
             * Format: int32
             * @description Branch to replay, from 0; all branches of the stage by default.
             */
            branch?: number | null;
            /** @description Iteration strategy to use instead of that of the attempt before, e.g. `react`. */
            iteration_strategy?: string | null;
            /** @description Whether `llm_provider` also answers for the stages that run again after it, except those that verify. */
            later_stages?: boolean;
            /** @description LLM provider to use instead of that of the attempt before. */
            llm_provider?: string | null;
            /** @description Reason, stored in the audit log. */
            reason: components["schemas"]["Reason"];
        };
        /** @description The new attempt. */
        ReplayedStage: {
            /**
             * Format: int32
             * @description One more than the last one's; of several branches that of the first.
             */
            attempt: number;
            /** @description How many branches are replayed; 1 for a stage without branches. */
            branches: number;
            /**
             * Format: uuid
             * @description Of several branches that of the first.
             */
            execution_id: string;
            /** Format: uuid */
            session_id: string;
            /** Format: int32 */
            stage_index: number;
        };
        /** @description Health of the replica that history is read from. */
        ReplicaHealth: {
            /**
             * Format: int64
             * @description Bytes of the write-ahead log that it did not replay; absent until it was asked.
             */
            lag_bytes?: number | null;
            /**
             * Format: double
             * @description For how long something has been written that it did not replay.
             */
            lag_seconds: number;
            /** @description Why it is unavailable. */
            message?: string | null;
            /**
             * @description `healthy`; `behind` or `unavailable`: history is read from the primary.
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
             * @description Expired events.
             */
            overdue_events: number;
            /**
             * Format: int64
             * @description Expired sessions.
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
        /** @description Result of fetching a runbook from this process. */
        RunbookState: {
            /** @description Why fetching failed, as a session would record it. */
            error?: string | null;
            is_reachable: boolean;
            /**
             * Format: int64
             * @description Size in bytes.
             */
            size?: number | null;
        };
        /** @description A job that a worker holds. */
        RunningJob: {
            /**
             * Format: double
             * @description Time until the lease expires, unless renewed.
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
             * @description Session, stage execution or delivery.
             */
            subject: string;
        };
        /** @description What the configuration says of an MCP server. */
        ServerEntry: {
            /** @description Agents whose tools it has, sorted. */
            agents: string[];
            /** @description A disabled server is never started. */
            enabled: boolean;
            server_type: string;
            /** @example stdio */
            transport: string;
        };
        /** @description Each part. */
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
        /** @description What people said of a session. It is empty until somebody says something. */
        SessionCare: {
            /**
             * Format: int64
             * @description When somebody said that they have seen it.
             */
            acknowledged_at_us?: number | null;
            acknowledged_by?: string | null;
            /** @description Whose it is. */
            assignee?: string | null;
            /**
             * @description What is wrong with the answer: `wrong_cause`, `wrong_target`, `missing_evidence`, `invented`,
             *     `incomplete`, `unclear`.
             */
            faults: string[];
            /** Format: int64 */
            rated_at_us?: number | null;
            rated_by?: string | null;
            /** @description Whether its answer is `right`, `partly_right` or `wrong`. */
            rating?: string | null;
            /**
             * Format: int64
             * @description Time of the review.
             */
            reviewed_at_us?: number | null;
            reviewed_by?: string | null;
            /** @description The right cause, as the person states it who rated the answer; a case for `tarsy eval`. */
            right_cause?: string | null;
        };
        /** @description A session and everything that happened in it. */
        SessionDetail: {
            agent_type: string;
            /**
             * @description The alert as it came, defaults filled in. One that clients can't read, as older versions
             *     accepted, is `{"unreadable": <why>, "text": <the alert>}`.
             */
            alert_data: Record<string, never>;
            /** Format: uuid */
            alert_id: string;
            /** Format: int64 */
            alert_timestamp_us: number;
            alert_type: string;
            author?: string | null;
            /** @description What people said of it. */
            care: components["schemas"]["SessionCare"];
            /** @description The chain as it was when the alert was accepted. */
            chain_definition: Record<string, never>;
            chain_id: string;
            /** @description Sessions that its agents dispatched to sub-agents, oldest first. */
            children: components["schemas"]["ChildSession"][];
            /** Format: int64 */
            completed_at_us?: number | null;
            /** @description What its stages ran under, by hash: agent, instructions, limits, tools, provider and model. */
            configurations: {
                [key: string]: Record<string, never>;
            };
            /** @description Questions about it and their answers; empty unless its interactions are asked for too. */
            conversation: components["schemas"]["Turn"][];
            /**
             * Format: uuid
             * @description Session that this one answers a question about; its turns are at `/api/v1/sessions/{id}/messages`.
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
             * @description What its current attempts could not see, in the order they met it: servers that were unreachable, calls that were refused or
             *     failed.
             */
            gaps: components["schemas"]["InvestigationGap"][];
            incident?: components["schemas"]["SessionIncident"] | null;
            /**
             * @description The label of its chain that the agent which concluded gave it.
             * @example noise
             */
            label?: string | null;
            /** @description Why an ended session of a chain with labels has none. */
            label_error?: string | null;
            /** Format: int64 */
            llm_interaction_count: number;
            /** Format: int64 */
            mcp_communication_count: number;
            outcome?: string | null;
            /**
             * Format: uuid
             * @description Session that this one was made for: that it asks about, or whose agent dispatched it.
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
            /** @description What it took, with its sub-agents and the questions about it. */
            spending: components["schemas"]["SessionSpending"];
            /** @description Each stage of its chain, in order, all its branches together. */
            stage_states: components["schemas"]["StageState"][];
            /** @description Every attempt of every stage, in the order of the chain; the last of a stage or branch is its current one. */
            stages: components["schemas"]["StageDetail"][];
            /** Format: int64 */
            started_at_us: number;
            status: string;
            /** @description What a sub-agent is to do, in a session that an agent dispatched. */
            task?: string | null;
            /** Format: int64 */
            total_interactions: number;
            traceparent?: string | null;
            /**
             * @description What the check of the answer against tool results found; none while the session runs.
             * @example partly_supported
             */
            verdict?: string | null;
            /** @description What the verdict is drawn from: `summary`, `checked`, `found`, `not_found`, `sentences_not_shown`, `unknown_names`, `calls`, `answer_cut`, .. */
            verdict_check?: Record<string, never> | null;
            waiting?: components["schemas"]["SessionWait"] | null;
            /** @description What its stages wait for and waited for, oldest first. */
            waits: components["schemas"]["Wait"][];
        };
        /** @description The incident of a session. */
        SessionIncident: {
            /** Format: uuid */
            incident_id: string;
            /**
             * Format: int64
             * @description Sessions in it, without those that were taken out.
             */
            members: number;
            /**
             * Format: int64
             * @description When a person took this session out; none while it is in.
             */
            removed_at_us?: number | null;
            removed_by?: string | null;
        };
        /** @description One session of a list. */
        SessionLine: {
            /**
             * Format: int64
             * @description When somebody said that they have seen it.
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
            /** @description Whose it is. */
            assignee?: string | null;
            author?: string | null;
            chain_id: string;
            /** Format: int64 */
            completed_at_us?: number | null;
            /** Format: int64 */
            completed_stages: number;
            /**
             * Format: uuid
             * @description Session that this one answers a question about.
             */
            conversation_id?: string | null;
            /**
             * Format: double
             * @description As `input_tokens`. Estimated; a lower bound where prices are missing.
             */
            cost_usd?: number | null;
            current_stage_id?: string | null;
            /** Format: int32 */
            current_stage_index?: number | null;
            /**
             * Format: int32
             * @description Alerts that came again while the session lived.
             */
            duplicate_count: number;
            /** Format: int64 */
            duration_ms?: number | null;
            error_message?: string | null;
            /** Format: int64 */
            failed_stages: number;
            /** @description What was found, in one line: the first of the analysis that says something. */
            headline?: string | null;
            incident?: components["schemas"]["LineIncident"] | null;
            /**
             * Format: int64
             * @description Of the whole investigation: with its sub-agents, and the questions about it that have ended.
             */
            input_tokens?: number | null;
            /**
             * @description The label of its chain that the agent which concluded gave it.
             * @example noise
             */
            label?: string | null;
            /** Format: int64 */
            llm_interaction_count: number;
            /** Format: int64 */
            mcp_communication_count: number;
            /** @description How many stages made it: `completed`, `partial` or `failed`. */
            outcome?: string | null;
            /**
             * Format: int64
             * @description As `input_tokens`.
             */
            output_tokens?: number | null;
            /** @description Beginning of the question that it answers, masked. */
            question?: string | null;
            /** @description Whether its answer is `right`, `partly_right` or `wrong`, as somebody who knows says. */
            rating?: string | null;
            /**
             * Format: int64
             * @description When the source said that the alert is over.
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
            /** @description Each stage of its chain, in order. */
            stage_states: components["schemas"]["StageState"][];
            /** Format: int64 */
            started_at_us: number;
            /** @example completed */
            status: string;
            /**
             * @description Cluster, namespace and pod, host or service, as far as the alert names them.
             * @example demo / team-payments / ledger-0
             */
            target?: string | null;
            /** Format: int64 */
            total_interactions: number;
            /** Format: int32 */
            total_stages: number;
            /**
             * @description What the check of the answer against tool results found; none while the session runs.
             * @example partly_supported
             */
            verdict?: string | null;
            /** @description The verdict in one sentence. */
            verdict_summary?: string | null;
            waiting?: components["schemas"]["SessionWait"] | null;
        };
        /** @description A page of sessions. */
        SessionList: {
            /** @description The filters as they were understood. */
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
        /** @description Tokens and cost of an investigation: of a session and of all sessions that were made for it. */
        SessionSpending: {
            /** @description Its own agents, in all attempts. */
            agents: components["schemas"]["SpendingPart"];
            /** @description The questions about it, with their sub-agents. */
            questions: components["schemas"]["SpendingPart"];
            /** @description Its sub-agents, and theirs. */
            sub_agents: components["schemas"]["SpendingPart"];
            total: components["schemas"]["SpendingPart"];
        };
        /** @description Why a session that hasn't ended doesn't go on. */
        SessionWait: {
            /**
             * @description Class of its error: `rate_limited`, `overloaded`, `server_error`, `connection`, ..
             * @example rate_limited
             */
            error_class?: string | null;
            /** @description What the last try ended with. */
            last_error?: string | null;
            /**
             * Format: int32
             * @description Tries that may fail; none: not limited.
             */
            max_tries?: number | null;
            /**
             * Format: int64
             * @description When it is tried again, or a stage's wait expires, Unix microseconds; none: when something else changes.
             */
            next_try_us?: number | null;
            /** @description LLM provider that refused or failed. */
            provider?: string | null;
            /**
             * @description Queue of its job; none: a stage that waits has no job.
             * @example stage:default
             */
            queue?: string | null;
            /**
             * @description `queued`, `queue_paused`, `no_worker`, `retrying`, `snoozed`, `after_crash`, `worker_not_answering`, or of a
             *     stage that waits: `approval`, `signal` or `timer`.
             * @example snoozed
             */
            reason: string;
            /**
             * Format: int64
             * @description Since when, Unix microseconds.
             */
            since_us: number;
            /** @description Stage that waits; none: the chain's first step. */
            stage_name?: string | null;
            /**
             * Format: int32
             * @description Tries so far.
             */
            tries: number;
            /** @description Worker that doesn't answer, `host:pid`. */
            worker?: string | null;
        };
        /** @description What the sign-in screen offers besides keys. */
        SignInOptions: {
            identity_provider?: components["schemas"]["IdentityProvider"] | null;
        };
        /** @description A session that began. */
        SignedIn: {
            /**
             * Format: int64
             * @description Lifetime in seconds.
             */
            expires_in_seconds: number;
        };
        /** @description A session that ended here, and goes on at the identity provider. */
        SignedOut: {
            /** @description Where the browser ends it there, too. */
            provider_sign_out_url: string;
        };
        /** @description Answer to an event. */
        SlackEventAnswer: {
            /** @description What Slack sent to see whether the address is ours. */
            challenge?: string | null;
        };
        /** @description An event of Slack's Events API. Only documents it: the signature covers the raw body. */
        SlackEventBody: {
            /** @description What Slack wants back for `url_verification`. */
            challenge?: string | null;
            /** @description The event; `app_mention` asks a question. */
            event?: unknown;
            /** @description Names the event; a repetition has the same. */
            event_id?: string | null;
            /**
             * @description `url_verification` or `event_callback`.
             * @example event_callback
             */
            type: string;
        };
        /** @description The form that Slack posts. Only documents it: the signature covers the raw body. */
        SlackInteraction: {
            /** @description The interaction as JSON. */
            payload: string;
        };
        /** @description An MCP server, seen from one pool. */
        Source: {
            /**
             * Format: int64
             * @description Calls of the pool since `since_us`.
             */
            calls: number;
            /**
             * Format: int64
             * @description Of those.
             */
            failed: number;
            /** @description What the last that failed, failed with. */
            last_error?: string | null;
            /** Format: int64 */
            last_failure_us?: number | null;
            /** Format: int64 */
            last_success_us?: number | null;
            server: string;
            /** @description Live workers of the pool whose configuration has it enabled. */
            workers: number;
        };
        /** @description Tokens and cost of one part of an investigation. */
        SpendingPart: {
            /**
             * Format: double
             * @description Estimated; a lower bound where prices are missing. None: no call has a price.
             */
            cost_usd?: number | null;
            /** Format: int64 */
            input_tokens: number;
            /** @description Whether each call that took tokens has a price. */
            is_cost_complete: boolean;
            /** Format: int64 */
            output_tokens: number;
            /**
             * Format: int64
             * @description How many sessions. Sub-agents of a question count with it.
             */
            sessions: number;
        };
        /** @description One attempt of one stage. */
        StageDetail: {
            agent: string;
            /**
             * Format: int32
             * @description From 1; a replay adds one. In a stage with branches it counts the runs of all of them together.
             */
            attempt: number;
            /**
             * Format: int32
             * @description Which branch, from 0; 0 in a stage without branches.
             */
            branch: number;
            /**
             * Format: int32
             * @description How many branches the stage had in this run.
             */
            branch_count: number;
            /** @description The item that the branch is about, in a stage with a branch for each item of a list. */
            branch_item?: Record<string, never> | null;
            /** @description Name of the branch; none in a stage without branches. */
            branch_name?: string | null;
            /**
             * @description Both, in the order they happened; model calls with the conversation so far (`messages`),
             *     or with what is new in it (`new_messages`), as was asked for.
             */
            chronological_interactions: components["schemas"]["Interaction"][];
            /** Format: int64 */
            completed_at_us?: number | null;
            /** @description Names what it ran under, in `configurations` of the session; none until it has ended. */
            configuration_hash?: string | null;
            cost_completeness?: string | null;
            /** Format: double */
            cost_usd?: number | null;
            /**
             * Format: int32
             * @description How often a worker died running it.
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
             * @description The same as `stage_execution_id`.
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
            /** @description Its model calls, without their conversations; empty unless all messages are asked for. */
            llm_interactions: components["schemas"]["Interaction"][];
            llm_provider?: string | null;
            /** Format: int64 */
            mcp_communication_count: number;
            /** @description Its tool calls and tool lists; empty unless all messages are asked for. */
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
             * @description The sum of its interactions' times.
             */
            stage_interactions_duration_ms: number;
            stage_name: string;
            stage_output?: Record<string, never> | null;
            /** Format: int64 */
            started_at_us?: number | null;
            status: string;
            /** Format: int64 */
            total_interactions: number;
            /** @description Why no live worker can run it, as long as that is so; it fails after its `schedule_timeout`. */
            waiting_for?: string | null;
        };
        /** @description A stage of a chain and where it stands, all its branches together. */
        StageState: {
            name: string;
            /**
             * @description Status of its current attempt, or `not_started`. A stage with branches has the status that its chain goes on with: it failed
             *     if a branch failed, unless one that completed is enough.
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
             *     Default: a digest of the alert's content, by which nothing is suppressed. Fingerprints of webhook sources never match these.
             * @example prod-eu/payments/HighErrorRate
             */
            fingerprint?: string | null;
            /**
             * @description Runbook address: an http or https URL, or `local:<name>`. Without one the agents investigate without a runbook.
             * @example https://github.com/example/runbooks/blob/main/namespace-terminating.md
             */
            runbook?: string | null;
            /**
             * @description Free text; severities of common monitoring systems set the priority. Default `warning`.
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
        /** @description Sums over a session. */
        Summary: {
            chain_statistics: components["schemas"]["ChainStatistics"];
            /**
             * Format: double
             * @description As `input_tokens`. Estimated; a lower bound where prices are missing.
             */
            cost_usd: number;
            /**
             * Format: int64
             * @description Interactions that failed.
             */
            errors_count: number;
            /**
             * Format: int64
             * @description Of the whole investigation: with its sub-agents and the questions about it, which the counts leave out.
             */
            input_tokens: number;
            /** Format: int64 */
            llm_interactions: number;
            /** Format: int64 */
            mcp_communications: number;
            /**
             * Format: int64
             * @description As `input_tokens`.
             */
            output_tokens: number;
            /**
             * Format: int64
             * @description Kept for clients of the first design; always 0.
             */
            system_events: number;
            /**
             * Format: int64
             * @description From acceptance to the end, or until now.
             */
            total_duration_ms: number;
            /** Format: int64 */
            total_interactions: number;
            /**
             * Format: int64
             * @description As `input_tokens`.
             */
            total_tokens: number;
        };
        /** @description A table on disk. */
        TableSize: {
            /**
             * Format: int64
             * @description Including indexes.
             */
            bytes: number;
            /**
             * Format: int64
             * @description Estimated by the planner's statistics.
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
            /** @description For one use, as `?ticket=` of the WebSocket's address. */
            ticket: string;
        };
        /** @description A choice of a time. */
        TimeRange: {
            label: string;
            value: string;
        };
        /** @description Changes to a session's triage; omitted members stay unchanged. */
        TriageRequest: {
            /** @description Acknowledge, or take it back. The first acknowledgement counts. */
            acknowledged?: boolean | null;
            /** @description New assignee; null: none. */
            assignee?: string | null;
            /**
             * @description What is wrong with the answer, if it is rated `partly_right` or `wrong`: `wrong_cause`,
             *     `wrong_target`, `missing_evidence`, `invented`, `incomplete`, `unclear`.
             */
            faults?: string[] | null;
            /** @description `false`: take the session out of its incident, and never group it again; `true`: put it back. */
            incident_member?: boolean | null;
            /** @description Rating of the answer: `right`, `partly_right` or `wrong`; null: none. */
            rating?: string | null;
            /** @description Reason, stored in the audit log. Default `not stated`. */
            reason?: components["schemas"]["Reason"];
            /** @description Mark as reviewed, or take it back. The first review counts. */
            reviewed?: boolean | null;
            /** @description The right cause of an answer that is rated `partly_right` or `wrong`; null: none. `tarsy eval record` makes it the truth of a case. */
            right_cause?: string | null;
        };
        /** @description A question and its answer. */
        Turn: {
            /** @description Answer in Markdown. */
            answer?: string | null;
            /**
             * Format: int64
             * @description When it was asked, Unix microseconds.
             */
            asked_at_us: number;
            /** @description Who asked. */
            author?: string | null;
            /**
             * Format: int64
             * @description When it was answered, or failed.
             */
            completed_at_us?: number | null;
            /**
             * Format: double
             * @description Estimated, of all model calls so far; a lower bound where prices are missing.
             */
            cost_usd?: number | null;
            /** @description Why there is no answer. */
            error_message?: string | null;
            /** Format: int64 */
            input_tokens?: number | null;
            /** Format: int64 */
            output_tokens?: number | null;
            /** @description Masked. */
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
        /** @description A model whose calls have no cost. */
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
             * @description Of the calls, how many have no count of tokens.
             */
            uncounted_calls: number;
        };
        /** @description An unreachable MCP server. */
        UnreachableServer: {
            /** @description What the newest try failed with. */
            error?: string | null;
            /**
             * Format: int64
             * @description Tries that failed since it last answered.
             */
            failed_tries: number;
            /**
             * Format: int64
             * @description When the last of them began, Unix microseconds. It is tried again when a session needs it.
             */
            last_tried_us: number;
            /** @example kubernetes */
            server: string;
            /**
             * Format: int64
             * @description When the first of them began, Unix microseconds.
             */
            since_us: number;
        };
        /** @description Providers and MCP servers. */
        Upstreams: {
            /** @description Configured ones, then those that only the history knows. */
            mcp_servers: components["schemas"]["McpServer"][];
            /** @description The MCP servers of each pool of stage workers. */
            pools: components["schemas"]["PoolSources"][];
            /** @description Configured ones, then those that only the history knows. */
            providers: components["schemas"]["LlmProvider"][];
            /**
             * Format: int64
             * @description Calls are counted since then, Unix microseconds.
             */
            since_us: number;
        };
        /** @description What models or tools were used for. */
        Usage: {
            /** @example model */
            by: string;
            /**
             * Format: int64
             * @description Start of the first step.
             */
            from_us: number;
            /** @description Those that cost most first. */
            groups: components["schemas"]["UsageGroup"][];
            /** @description Whether every session that ended more than ten minutes ago is in the sums; `false` for a while after an upgrade. */
            is_summed_up: boolean;
            /** @description Models whose calls are not in the cost, those with most tokens first. */
            not_priced: components["schemas"]["UnpricedModel"][];
            /** @example day */
            step: string;
            /** @description By step and group; steps and groups without a call are left out. */
            steps: components["schemas"]["UsageStep"][];
            /**
             * Format: int64
             * @description End of the last hour.
             */
            to_us: number;
            /** @description The sums of all groups. */
            total: components["schemas"]["UsageSums"];
        };
        /** @description A group and its sums. */
        UsageGroup: components["schemas"]["UsageSums"] & {
            /** @description `null`: all groups beyond the largest. */
            name?: string | null;
        };
        /** @description A group in one step. */
        UsageStep: components["schemas"]["UsageSums"] & {
            /**
             * Format: int64
             * @description Start of the step.
             */
            at_us: number;
            /** @description `null`: all groups beyond the largest. */
            name?: string | null;
        };
        /** @description Sums of calls. */
        UsageSums: {
            /**
             * Format: int64
             * @description Of those, read from the provider's cache.
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
             * @description Answer tokens.
             */
            output_tokens: number;
            /** @description Where prices came from: `own`, `catalogue <date>`, `none`, `uncounted`. */
            prices: string[];
            /**
             * Format: int64
             * @description Answers whose tokens the provider did not count.
             */
            uncounted_calls: number;
            /**
             * Format: int64
             * @description Tokens of calls without a price.
             */
            unpriced_tokens: number;
        };
        /** @description What a stage waits for, and how that was decided. */
        Wait: {
            /** @description Agent that asks: of a tool call and of spending. */
            agent?: string | null;
            /**
             * @description The alert's `alertname`, masked.
             * @example KubePodCrashLooping
             */
            alert_name?: string | null;
            alert_type: string;
            /** Format: int64 */
            asked_at_us: number;
            /** @description Who submitted the alert or asked the question; null if nobody is known. */
            author?: string | null;
            /**
             * @description The tool call that is asked about: `server`, `tool`, `arguments` (masked), `effect`, `thought`, and `shown`: all of
             *     it as text, in which what can't be seen is written out. Show that to whoever decides.
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
            /** @description Who decided; null while it is open, and if it expired or elapsed. */
            decided_by?: string | null;
            decided_role?: string | null;
            /** @description Of an open gate: what the stages that it needs concluded. */
            evidence: components["schemas"]["WaitEvidence"][];
            /** Format: uuid */
            execution_id: string;
            /** Format: int64 */
            expires_at_us: number;
            /** @description What is known, in one line: the newest conclusion of the session, else the alert's summary, masked. */
            headline?: string | null;
            incident?: components["schemas"]["LineIncident"] | null;
            /**
             * Format: uuid
             * @description The API key, if one was used.
             */
            key_id?: string | null;
            /** @description How they showed who they are: `key`, `forwarded`, `oidc` or `off`. */
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
            /** @description What is asked, in a sentence. */
            question: string;
            reason?: string | null;
            /** @description Role that may decide; null where no person does. */
            role?: string | null;
            /** Format: uuid */
            session_id: string;
            severity: string;
            /** @description Signal that it waits for. */
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
             * @description `open`, or how it ended: `approved`, `denied`, `signalled`, `elapsed`, `expired`, `cancelled` or `children_ended`.
             * @example open
             */
            status: string;
            /**
             * Format: uuid
             * @description Of an approval it is the `approval_id`.
             */
            wait_id: string;
        };
        /** @description What a chain does next. */
        WaitConsequence: {
            /** @description Whether the session ends, because no stage is left. */
            ends: boolean;
            /** @description Stages that run next. */
            runs: components["schemas"]["NextStage"][];
            /** @description Names of the stages that are skipped. */
            skips: string[];
        };
        /** @description What a stage that a gate needs concluded. */
        WaitEvidence: {
            /** @description Name of the branch; none in a stage without branches. */
            branch_name?: string | null;
            /** @description Its result, at most 4,000 characters; none if it failed. */
            conclusion?: string | null;
            stage_name: string;
            /** @example completed */
            status: string;
        };
        /** @description Webhook request. */
        WebhookRequest: {
            /** @description Complete and unmasked. Invalid UTF-8 is replaced. */
            body: string;
            content_type: string;
            /** @description Headers that identify the delivery; never credentials. */
            headers: Record<string, never>;
            /** Format: int64 */
            received_at_us: number;
            /**
             * Format: int64
             * @description Bytes of the body.
             */
            size: number;
        };
        /** @description A worker process. */
        Worker: {
            /** @description Whether its process holds its liveness lock. */
            alive: boolean;
            /** @description Whether it lives and has reported within 15 seconds. */
            answering: boolean;
            /** @description SHA-256 of the configuration file that it runs; null: it did not say. */
            config_hash?: string | null;
            /**
             * Format: int64
             * @description Since when it runs that, Unix microseconds.
             */
            config_since_us?: number | null;
            /** @description Whether a drain was requested. */
            drain_requested: boolean;
            /** @description Whether it is draining. */
            draining: boolean;
            /** Format: double */
            heartbeat_age_seconds: number;
            /** Format: int64 */
            heartbeat_at_us: number;
            host: string;
            /** Format: int32 */
            pid: number;
            /** @description Queues that it claims from. */
            queues: string[];
            /** @example stage-worker */
            role: string;
            running: components["schemas"]["RunningJob"][];
            /**
             * Format: int32
             * @description Concurrency.
             */
            slots: number;
            /** Format: int64 */
            started_at_us: number;
            /** @description Problem that the worker reports. */
            trouble?: string | null;
            version: string;
            /**
             * Format: uuid
             * @description New at each start.
             */
            worker_id: string;
        };
        /** @description All workers. */
        Workers: {
            /** @description SHA-256 of the configuration file that the process runs which answers. */
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
