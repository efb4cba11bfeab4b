// Generated from the snapshot of the API's OpenAPI document by `npm run types`; not edited.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** That it runs. A browser is sent on to the dashboard. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It runs */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Root"];
                    };
                };
                /** @description To the dashboard, for who accepts text/html first */
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
        /** Every alert type that has a chain, sorted. */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * @description Answers once the alert's session and its first job are committed together. The same alert
         *     again, while its session lives, answers with that session; so does a repeated
         *     `Idempotency-Key`, for as long as the session is kept.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Makes repeating the request safe */
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
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not a valid alert; names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No provider, too many waiting, or the database away */
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
         * What an alert would set going, by the rules that it would be accepted by.
         * @description Refuses what `POST /alerts` would refuse for the alert's own sake. Nothing is stored: a session
         *     may end, or another alert come, before it is submitted.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description As it would be sent */
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
                /** @description What would become of it */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Foreseen"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not a valid alert; names each field */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No provider, or the database away */
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
         * Ask for a runbook as a chain worker would, with the same guards, and keep nothing of it.
         * @description One check of each caller is made at a time. A caller of role `ingest` is not told whether a
         *     repository on GitHub may not be asked or has no such file.
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
                /** @description Whether it can be had */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunbookState"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not what a runbook is named by */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** What became of an alert. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description As answered by `POST /alerts` */
                    alert_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Where its session stands */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Progress"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown alert */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Who did what, and why; newest first. Entries are never changed or deleted. */
        get: {
            parameters: {
                query?: {
                    /** @description By this key or person. */
                    actor?: string;
                    /** @description Of this kind, e.g. `session.cancel`. */
                    action?: string;
                    /** @description About this session, queue, worker, job or key. */
                    subject?: string;
                    /** @description `next` of the page before. */
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
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The service is busy */
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
        /** Dead jobs, newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Of one queue. */
                    queue?: string;
                    /** @description `exhausted`, `cancelled` or `undecodable`. */
                    reason?: string;
                    /** @description `next` of the page before. */
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
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** One dead job, with its payload. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description From the list */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such dead job */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Throw a dead job away. Refused while a session under way has no other job than this. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description From the list */
                    job_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            responses: {
                /** @description It is gone; as it was */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeadJob"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such dead job */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A session waits for it */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Put a dead job back, ready, with fresh counts. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description From the list */
                    job_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            responses: {
                /** @description It is queued again; as it was */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeadJob"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such dead job */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A live job does the same work */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Every key, revoked ones too. */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Make a key. The answer is the only one that ever has it. */
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
                /** @description Made */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["KeyMade"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A live key has this name, or there are too many */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Names each field that is wrong */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Revoke a key; every process refuses it within three seconds. A key does not revoke itself. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description From the list */
                    key_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            responses: {
                /** @description Revoked, now or before */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Key"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such key */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description It is the key that asks */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Every queue that is configured, worked, paused or has jobs. */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Let nobody claim from a queue until it is resumed; what runs goes on.
         * @description The pause outlives every process. Pausing a paused queue keeps its first reason.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /**
                     * @description From the list
                     * @example stage:default
                     */
                    queue: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            responses: {
                /** @description It is paused */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["QueueState"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such queue */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Let workers claim from a queue again. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /**
                     * @description From the list
                     * @example stage:default
                     */
                    queue: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            responses: {
                /** @description It is not paused */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["QueueState"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such queue */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Alerts that were not accepted, newest first: why did my alert not show up? */
        get: {
            parameters: {
                query?: {
                    /** @description Of one webhook source, `alerts` for `POST /alerts`, or `unknown`. */
                    source?: string;
                    /** @description With this code, of the request or of one of its alerts. */
                    code?: string;
                    /** @description With an alert of this fingerprint. */
                    fingerprint?: string;
                    /** @description Older than this one: the last of the page before. */
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
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** A rejected alert with what is kept of its body. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description From the list */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description It is not kept, or not any more */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Submit a rejected alert again, as it was sent, in the name of who asks.
         * @description It takes the same path as before, but for the sender's signature, whose place the operator's own
         *     credentials take. It answers as that path does.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description From the list */
                    rejection_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            responses: {
                /** @description What `POST /alerts` or `POST /webhooks/{source}` answers */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description It is not kept, or its source is gone */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description It is not kept as it was sent */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason, or it is rejected again */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No provider, too many waiting, or the database away */
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
        /** What is kept, for how long, and how large the tables are. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Schedules and sizes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RetentionState"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Delete what is past its time now, in small batches; counts it unless `dry_run` is false. */
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
                /** @description What was deleted, or would be */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Pruned"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Cancel the sessions under way that match a filter; counts them unless `dry_run` is false. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ManyAsked"];
                };
            };
            responses: {
                /** @description What was done, or would be */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ManySessions"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason, or not a filter */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Run the first failed stage again of each ended session that matches a filter; counts them
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
                    "application/json": components["schemas"]["ManyAsked"];
                };
            };
            responses: {
                /** @description What was done, or would be */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ManySessions"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason, or not a filter */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * End a session that is under way.
         * @description The worker that runs its stage is told at once and stops, a tool call included; nothing
         *     that it does from then on is recorded.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The session */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            responses: {
                /** @description It is cancelled */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CancelledSession"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown session */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description It has ended */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Acknowledge a session, say whose it is, or rate its answer.
         * @description Nothing of it changes what workers do.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The session */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Said"];
                };
            };
            responses: {
                /** @description What is said of it now */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionCare"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown session */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nothing is said, or not what can be */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Run a failed stage again, as a new attempt; later stages run again on top of it.
         * @description What happened before stays as it is, beside the new attempts. Of two who ask at once, the
         *     second is told that the session is running.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The session */
                    session_id: string;
                    /** @description Place in the chain, from 0 */
                    stage_index: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReplayAsked"];
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
                /** @description Not JSON, or no stage index */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown session or stage */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The session runs, the stage has not failed, or another session answers the alert */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason, or an override that is none */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** LLM providers and MCP servers: as configured, and how their calls of the last hour went. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Every configured one, and those that only the history knows */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Upstreams"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** What targets were told, newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Of one session. */
                    session_id?: string;
                    /** @description To one target. */
                    target?: string;
                    /** @description `pending`, `delivered` or `failed`. */
                    state?: string;
                    /** @description Older than this delivery: the last one of the page before. */
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
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
    "/api/v1/admin/webhook-deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tell a target again, now. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description From the list */
                    delivery_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            responses: {
                /** @description It will be told */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such delivery */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Every worker process with what it runs. */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Ask a worker to claim nothing more, finish what it runs within its grace period, hand the
         *     rest back, and end, as SIGTERM does.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description From the list */
                    worker_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            responses: {
                /** @description It is told */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such worker */
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
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No reason */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
    "/api/v1/history/active-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions that have not ended, newest first. */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** How many sessions each value of a filter would leave, the other filters as they are. */
        get: {
            parameters: {
                query?: {
                    /** @description Any of these statuses; may be repeated */
                    status?: string[];
                    /** @description `chain:<chain_id>`, or the name of an agent as in `agent` */
                    agent_type?: string;
                    /** @description This alert type */
                    alert_type?: string;
                    /** @description This chain */
                    chain_id?: string;
                    /** @description This severity */
                    severity?: string;
                    /** @description How many stages made it: completed, partial or failed */
                    outcome?: string;
                    /** @description A stage of the chain has this agent */
                    agent?: string;
                    /** @description Kind of sender, e.g. api or alertmanager */
                    source?: string;
                    /** @description The alert's `environment`, in its data or its labels */
                    environment?: string;
                    /** @description The alert's `cluster`, in its data or its labels */
                    cluster?: string;
                    /** @description Whether somebody has acknowledged it */
                    acknowledged?: boolean;
                    /** @description Whose it is */
                    assignee?: string;
                    /** @description Whether its answer is right, partly_right or wrong */
                    rating?: string;
                    /** @description Started then or later, Unix microseconds */
                    start_date_us?: number;
                    /** @description Started before, Unix microseconds */
                    end_date_us?: number;
                    /** @description Started then or later, RFC 3339 */
                    start_date?: string;
                    /** @description Started before, RFC 3339 */
                    end_date?: string;
                    /** @description Text of 3 characters or more in alert, errors or analysis */
                    search?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Numbers */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FacetList"];
                    };
                };
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** What lists can be filtered by. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Choices */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FilterOptions"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Whether history can be read; always 200. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Its state */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HistoryHealth"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Figures of the last hours. */
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
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Sessions whose alert, errors or analysis hold a text.
         * @description A session is found a few seconds after it was accepted. Most texts are looked for in all
         *     sessions. One that no index tells from others is looked for in those that come first, for a
         *     fifth of a second: then `searched_to_us` says how far, and `next_cursor` goes on there.
         */
        get: {
            parameters: {
                query: {
                    /** @description 3 to 200 characters, in any case */
                    q: string;
                    /** @description Any of these statuses; may be repeated */
                    status?: string[];
                    /** @description `chain:<chain_id>`, or the name of an agent as in `agent` */
                    agent_type?: string;
                    /** @description This alert type */
                    alert_type?: string;
                    /** @description This chain */
                    chain_id?: string;
                    /** @description This severity */
                    severity?: string;
                    /** @description How many stages made it: completed, partial or failed */
                    outcome?: string;
                    /** @description A stage of the chain has this agent */
                    agent?: string;
                    /** @description Kind of sender, e.g. api or alertmanager */
                    source?: string;
                    /** @description The alert's `environment`, in its data or its labels */
                    environment?: string;
                    /** @description The alert's `cluster`, in its data or its labels */
                    cluster?: string;
                    /** @description Whether somebody has acknowledged it */
                    acknowledged?: boolean;
                    /** @description Whose it is */
                    assignee?: string;
                    /** @description Whether its answer is right, partly_right or wrong */
                    rating?: string;
                    /** @description Started then or later, Unix microseconds */
                    start_date_us?: number;
                    /** @description Started before, Unix microseconds */
                    end_date_us?: number;
                    /** @description Started then or later, RFC 3339 */
                    start_date?: string;
                    /** @description Started before, RFC 3339 */
                    end_date?: string;
                    /** @description `started_at_us` (default), `completed_at_us` or `duration_ms` */
                    sort_by?: string;
                    /** @description desc (default) or asc */
                    sort_order?: string;
                    /** @description From 1 */
                    page?: number;
                    /** @description 1 to 100; default 20 */
                    page_size?: number;
                    /** @description `next_cursor` of the page before; fast at any depth */
                    cursor?: string;
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
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Sessions, newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Any of these statuses; may be repeated */
                    status?: string[];
                    /** @description `chain:<chain_id>`, or the name of an agent as in `agent` */
                    agent_type?: string;
                    /** @description This alert type */
                    alert_type?: string;
                    /** @description This chain */
                    chain_id?: string;
                    /** @description This severity */
                    severity?: string;
                    /** @description How many stages made it: completed, partial or failed */
                    outcome?: string;
                    /** @description A stage of the chain has this agent */
                    agent?: string;
                    /** @description Kind of sender, e.g. api or alertmanager */
                    source?: string;
                    /** @description The alert's `environment`, in its data or its labels */
                    environment?: string;
                    /** @description The alert's `cluster`, in its data or its labels */
                    cluster?: string;
                    /** @description Whether somebody has acknowledged it */
                    acknowledged?: boolean;
                    /** @description Whose it is */
                    assignee?: string;
                    /** @description Whether its answer is right, partly_right or wrong */
                    rating?: string;
                    /** @description Started then or later, Unix microseconds */
                    start_date_us?: number;
                    /** @description Started before, Unix microseconds */
                    end_date_us?: number;
                    /** @description Started then or later, RFC 3339 */
                    start_date?: string;
                    /** @description Started before, RFC 3339 */
                    end_date?: string;
                    /** @description Text of 3 characters or more in alert, errors or analysis */
                    search?: string;
                    /** @description `started_at_us` (default), `completed_at_us` or `duration_ms` */
                    sort_by?: string;
                    /** @description desc (default) or asc */
                    sort_order?: string;
                    /** @description From 1 */
                    page?: number;
                    /** @description 1 to 100; default 20 */
                    page_size?: number;
                    /** @description `next_cursor` of the page before; fast at any depth */
                    cursor?: string;
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
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description History is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
                    /** @description `all` (default), or `none`: counts and sums only, the record being asked for by parts at `/interactions` */
                    interactions?: string;
                    /** @description `true`: alert and runbook as they came, secrets included. For operators, and each reading is an entry of the audit log. Default: masked */
                    raw?: string;
                    /** @description With each model call: `all` that the model saw (default), only what is `new` since the call before, or `none`. Long sessions are shown in time with `new`: each interaction is told once then, in `chronological_interactions` */
                    messages?: string;
                };
                header?: never;
                path: {
                    /** @description The session */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Everything that was recorded */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionDetail"];
                    };
                };
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
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
                /** @description Unknown session, or history is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** The alerts that were counted on a session as its duplicates. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The session */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The newest of them, and how many there were */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Duplicates"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown session, or history is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** A session as a file; alert and runbook are masked. */
        get: {
            parameters: {
                query?: {
                    /** @description json (default), csv or md */
                    format?: string;
                };
                header?: never;
                path: {
                    /** @description The session */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown session, or history is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * A session's interactions, a part at a time.
         * @description Attempts in the order they were made, within each by sequence: what comes later stands behind.
         *     An interaction changes once more after it was recorded, when its call ends: ask again `after`
         *     the one before the first without `success`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Behind this interaction of the session; default: from the first */
                    after?: string;
                    /** @description 1 to 1000; default 200 */
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The session */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A part; empty at the end */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Record"];
                    };
                };
                /** @description A parameter is not valid */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown session, or history is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * The webhook request that led to a session, as it came in.
         * @description For operators: a body may hold more than the alert, such as the address that ends a subscription.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The session */
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The request, if one is kept */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionRequest"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown session, or history is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** A session in figures. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The session */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown session, or history is off */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Who you are to this service. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description You */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Get a ticket that opens one WebSocket.
         * @description Browsers can't send an `Authorization` header with a WebSocket, and a key in an address
         *     ends up in logs; a ticket there is harmless, because it works once and for 30 seconds.
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Each dependency; always 200, so that people can read it. Probes ask `/livez` and `/readyz`. */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** That the process answers. Touches nothing else: restarting it would not bring a database back. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The process answers */
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
        /** Figures for Prometheus. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Figures in the text format */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
        /** Whether to send it requests: the database answers and it has not been asked to end. */
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
                /** @description Not ready */
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
        /** The session of an alert. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description As answered by `POST /alerts` */
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
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Unknown alert */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many requests of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Take what a monitoring system sends: one session for each firing alert.
         * @description A sender repeats what it got no 2xx for, so an alert that can't be used does not hold up
         *     the others: the answer says what became of each.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description A source of the configuration, e.g. `alertmanager` */
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
                /** @description What became of each alert */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Reception"];
                    };
                };
                /** @description Not JSON */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not signed as it should be */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such source */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not said to be JSON */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description None of the alerts can be used */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No provider, too many waiting, or the database away; send it again */
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
        /** Tell a sender of CloudEvents that it may send (the specification's validation handshake). */
        options: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description A source of the configuration */
                    source: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It may, as often as it likes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody we know */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not with this role, or not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such source */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The database is away */
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
         * Listen to what happens.
         * @description A WebSocket; its protocol is in docs/LIVE.md.
         */
        get: {
            parameters: {
                query?: {
                    /**
                     * @description From `POST /api/v1/ws-tickets`; needed where access control is on, and from clients
                     *     that are no web page.
                     */
                    ticket?: string | null;
                };
                header?: never;
                path: {
                    /** @description Whatever the client calls itself */
                    user_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Events follow */
                101: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description No WebSocket */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No valid ticket */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not from this page */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many sockets of this caller */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many sockets */
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
        /** @description Something that was done. */
        AuditEntry: {
            /** @example session.cancel */
            action: string;
            actor: string;
            /** Format: int64 */
            at_us: number;
            details: Record<string, never>;
            /**
             * Format: int64
             * @description Rises with time.
             */
            entry_id: number;
            /**
             * Format: uuid
             * @description The key they asked with, if it was one.
             */
            key_id?: string | null;
            /**
             * @description By what means they showed who they are: `key`, `forwarded` (a proxy's key says for whom),
             *     `oidc`, `off` (access control was) or `database` (`tarsy keys`); none in older entries.
             * @example key
             */
            means?: string | null;
            /** @description Why, in the actor's words. */
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
             * @description Asks for the page behind this one.
             */
            next?: number | null;
        };
        /**
         * @description What became of one alert.
         * @enum {string}
         */
        Became: "queued" | "duplicate" | "resolved" | "unknown" | "ignored" | "rejected";
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
        /** @description A session that is cancelled. */
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
        /**
         * @description What the fleet is configured with, as far as this process has read it: secrets show as
         *     `[secret]` or as the template they come from.
         */
        ConfigView: {
            agents: Record<string, never>[];
            chains: Record<string, never>[];
            llm_providers: Record<string, never>[];
            mcp_servers: Record<string, never>[];
            notifications: Record<string, never>[];
            /** @description Defaults, limits, masking, prices, retention, runbooks. */
            settings: Record<string, never>;
            /** @description The file, or `built-in`. */
            source: string;
            webhook_sources: Record<string, never>[];
        };
        /** @description Postgres. */
        Database: {
            connected: boolean;
            /** @description Whether history is kept. */
            enabled: boolean;
            /**
             * Format: int64
             * @description Days that ended sessions are kept.
             */
            retention_days: number;
        };
        /** @description A job that will not run again by itself. */
        DeadJob: {
            /** Format: int32 */
            attempts: number;
            /**
             * Format: int32
             * @description Workers that died or froze while running it.
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
            /** @description What its handler was given beside the subject; only where one job is asked for. */
            payload?: Record<string, never> | null;
            queue: string;
            /**
             * @description `exhausted`: it failed as often as it may; `cancelled`: its handler gave up;
             *     `undecodable`: no worker understands it.
             */
            reason: string;
            /** Format: uuid */
            session_id?: string | null;
            /**
             * Format: int32
             * @description Waits that cost no attempt.
             */
            snoozes: number;
            /**
             * Format: uuid
             * @description The session, stage execution or delivery it was about.
             */
            subject: string;
        };
        /** @description A page of dead jobs. */
        DeadJobs: {
            /** @description Newest death first. */
            dead_jobs: components["schemas"]["DeadJob"][];
            /** @description Asks for the page behind this one. */
            next?: string | null;
        };
        /** @description A page of deliveries. */
        Deliveries: {
            /** @description How many of this session or to this target were not made, in any state. */
            counts: components["schemas"]["DeliveryCounts"];
            /** @description Newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /**
             * Format: uuid
             * @description Asks for the page behind this one, as `before`.
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
             * @description Also the `webhook-id` that its target saw.
             */
            delivery_id: string;
            /** @description Why the last attempt failed; nothing of the answer itself. */
            error?: string | null;
            /** @example session.completed */
            event: string;
            /** Format: int64 */
            last_attempt_at_us?: number | null;
            /**
             * Format: int32
             * @description HTTP status of the last answer.
             */
            response_status?: number | null;
            /** Format: uuid */
            session_id: string;
            /** @example delivered */
            state: string;
            /** @description Name in the configuration. */
            target: string;
        };
        /** @description Deliveries that were not made; each number counts up to 10,000. */
        DeliveryCounts: {
            /**
             * Format: int64
             * @description Not tried again by themselves.
             */
            failed: number;
            /**
             * Format: int64
             * @description Made now, or tried again later.
             */
            pending: number;
        };
        /** @description An alert that a session was there for already. Its content is the session's own alert. */
        Duplicate: {
            /**
             * Format: int64
             * @description When its sender says it happened.
             */
            alert_timestamp_us?: number | null;
            author?: string | null;
            /**
             * Format: int32
             * @description From 1, in the order they came.
             */
            number: number;
            /** Format: int64 */
            received_at_us: number;
            severity: string;
            source: string;
            /**
             * @description `firing` where its source tells; an alert of `POST /alerts` has no state.
             * @example firing
             */
            status?: string | null;
        };
        /** @description Alerts that a session was there for already. */
        Duplicates: {
            /**
             * Format: int32
             * @description All that were counted.
             */
            duplicate_count: number;
            /** @description The newest hundred of them, the newest first. Older versions only counted. */
            duplicates: components["schemas"]["Duplicate"][];
        };
        /** @description Numbers of sessions by the values of each filter. */
        FacetList: {
            alert_type: components["schemas"]["FacetValues"];
            chain_id: components["schemas"]["FacetValues"];
            outcome: components["schemas"]["FacetValues"];
            severity: components["schemas"]["FacetValues"];
            status: components["schemas"]["FacetValues"];
        };
        /** @description One filter's values. */
        FacetValues: {
            /**
             * @description Whether all that match were counted; else only the newest 10,000, of a text the newest 2,000
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
        /** @description What lists can be filtered by. */
        FilterOptions: {
            /** @description `chain:<chain_id>` of each chain. */
            agent_types: string[];
            /** @description Agents of stages, configured and seen. */
            agents: string[];
            alert_types: string[];
            chain_ids: string[];
            clusters: string[];
            environments: string[];
            outcome_options: string[];
            rating_options: string[];
            severities: string[];
            sources: string[];
            status_options: string[];
            time_ranges: components["schemas"]["TimeRange"][];
        };
        /** @description A session that is there for an alert already. */
        First: {
            /** Format: uuid */
            alert_id: string;
            /** Format: int64 */
            completed_at_us?: number | null;
            lasts: components["schemas"]["Lasts"];
            /** Format: uuid */
            session_id: string;
            /** Format: int64 */
            started_at_us: number;
            status: string;
        };
        /** @description What `POST /alerts` would do with an alert now. */
        Foreseen: {
            chain_definition: Record<string, never>;
            /** @description The chain that answers its type. */
            chain_id: string;
            duplicate_of?: components["schemas"]["First"] | null;
            /** @description What alerts are told apart by: of the same fingerprint one session lives at a time. */
            fingerprint: string;
            severity: string;
        };
        /** @description The answer of `GET /health`. */
        Health: {
            /** @example tarsy */
            service: string;
            services: components["schemas"]["Services"];
            /** @description `healthy`, or `degraded` when a part is not. */
            status: string;
            /** @description Now, RFC 3339. */
            timestamp: string;
            version: string;
        };
        /** @description The state of history. */
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
        /** @description What it consists of. */
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
        /** @description A key, without what opens anything. */
        Key: {
            /** Format: int64 */
            created_at_us: number;
            created_by: string;
            /**
             * Format: int64
             * @description From then on it opens nothing; null: never.
             */
            expires_at_us?: number | null;
            /** Format: uuid */
            key_id: string;
            /**
             * Format: int64
             * @description Half a minute old at most.
             */
            last_used_at_us?: number | null;
            /**
             * @description Who uses it: the actor in the audit log.
             * @example alertmanager
             */
            name: string;
            /**
             * @description How the key begins.
             * @example tarsy_0123456789ab
             */
            prefix: string;
            /** Format: int64 */
            revoked_at_us?: number | null;
            /** @example ingest */
            role: string;
        };
        /** @description A key that was made. */
        KeyMade: components["schemas"]["Key"] & {
            /**
             * @description The key itself. Nobody can tell it again.
             * @example tarsy_0123456789ab_..
             */
            key: string;
        };
        /** @description A key to be made. */
        KeyWanted: {
            /**
             * Format: int64
             * @description When it ends, in Unix microseconds; default never.
             */
            expires_at_us?: number | null;
            /**
             * @description Who will use it; no other live key has this name.
             * @example alertmanager
             */
            name: string;
            /** @description Why, for the audit log. */
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
        /**
         * @description How long the same alert is a duplicate.
         * @enum {string}
         */
        Lasts: "until_the_session_ends" | "while_the_session_is_kept";
        /** @description Language models. */
        Llm: {
            /** @description Whether any provider can be asked. */
            provider_available: boolean;
            /** @description Providers that refused every call of the last minutes, whoever made it. */
            refusing: components["schemas"]["RefusingProvider"][];
        };
        /** @description An LLM provider. */
        LlmProvider: {
            calls?: components["schemas"]["CallFigures"] | null;
            configured?: components["schemas"]["ProviderEntry"] | null;
            name: string;
        };
        /** @description Which sessions, and why. */
        ManyAsked: {
            /**
             * @description Count only; the default.
             * @default true
             */
            dry_run: boolean;
            /**
             * @description The filters of `GET /api/v1/history/sessions` by name, e.g. `status`, `alert_type`, `agent`,
             *     `cluster` or `search`; at least one.
             */
            filter: Record<string, never>;
            /** @description Why; kept in the audit log with each session. */
            reason: components["schemas"]["Reason"];
        };
        /** @description What was done, or would be. */
        ManySessions: {
            /** @description Sessions that were acted on, at most 1,000 a request; ask again for the rest. */
            affected: number;
            dry_run: boolean;
            /**
             * Format: int64
             * @description Sessions that match and can be acted on; at most 10,000 are counted.
             */
            matched: number;
            /** @description Whether that is all of them. */
            matched_is_exact: boolean;
            /** @description The first 100 that were acted on; on a dry run, that would be. */
            session_ids: string[];
        };
        /** @description An MCP server. */
        McpServer: {
            calls?: components["schemas"]["CallFigures"] | null;
            configured?: components["schemas"]["ServerEntry"] | null;
            name: string;
        };
        /** @description Who asks, and what they may do. */
        Me: {
            /**
             * @description How they showed it: `off` (access control is off), `key` or `oidc`.
             * @example key
             */
            auth: string;
            /** @description As the audit log names them. */
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
        /** @description A runbook to be asked for. */
        NamedRunbook: {
            /**
             * @description As an alert would name it: an http or https URL, or `local:<name>`.
             * @example https://github.com/example/runbooks/blob/main/namespace-terminating.md
             */
            runbook: string;
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
             * @description Give it as `cursor` for the next page; fast at any depth. None at the end, and for
             *     other sorts than by start. A search may have one though its page is not full.
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
            total_is_exact: boolean;
            /**
             * Format: int64
             * @description Exact up to 10,000, an estimate beyond; see `total_is_exact`.
             */
            total_items: number;
            /** Format: int64 */
            total_pages: number;
        };
        /** @description How the stages of a pool did lately. */
        PoolStages: {
            /**
             * Format: int64
             * @description Stages that began since `since_us`.
             */
            begun: number;
            /**
             * Format: int64
             * @description Stages that ended since, however.
             */
            ended: number;
            /** Format: double */
            ended_per_minute: number;
            /**
             * Format: int64
             * @description Of the stages of the last 24 hours: times that one lost its worker and went on with another.
             */
            recovered_last_day: number;
            /**
             * Format: int64
             * @description Half of those that began had waited for a worker at most this long, in ms.
             */
            wait_p50_ms?: number | null;
            /**
             * Format: int64
             * @description 19 of 20 had.
             */
            wait_p95_ms?: number | null;
        };
        /** @description The answer to a probe. */
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
            /** @description The agent that works, or worked last. */
            agent?: string | null;
            /** Format: uuid */
            alert_id: string;
            /** @description MCP servers whose tools that agent has. */
            assigned_mcp_servers: string[];
            /** @description Chain that answers the alert. */
            chain_id: string;
            /** @description Why there is none. */
            error?: string | null;
            /**
             * Format: int32
             * @description Share of the chain that is done, 0 to 100.
             */
            progress: number;
            /** @description The analysis, once there is one. */
            result?: string | null;
            /** Format: uuid */
            session_id: string;
            status: components["schemas"]["Stand"];
            /** @description What happens now, for people. */
            step: string;
            /**
             * @description When this was so: now, RFC 3339.
             * @example 2026-11-20T08:00:00Z
             */
            timestamp: string;
        };
        /** @description What the configuration says of a provider. */
        ProviderEntry: {
            /** @description The environment variable of its key. */
            api_key_env?: string | null;
            /** @description Whether it can be asked: it has its key, or needs none. */
            available: boolean;
            /** @description Asked in this order when it can't answer. */
            fallbacks: string[];
            /** @description Asked where nothing else is named. */
            is_default: boolean;
            model: string;
            /**
             * @description The wire format.
             * @example openai
             */
            type: string;
        };
        /** @description Forget what is past its time. */
        PruneAsked: {
            /**
             * @description Count only; the default.
             * @default true
             */
            dry_run: boolean;
            /** @description Why; kept in the audit log. */
            reason: components["schemas"]["Reason"];
        };
        /** @description What was deleted, or would be. */
        Pruned: {
            dry_run: boolean;
            /** Format: int64 */
            events: number;
            /**
             * Format: int64
             * @description Sessions with all they hold; at most 20,000 a request.
             */
            sessions: number;
        };
        /** @description Work that waits, and who does it; empty while the database is away. */
        Queue: {
            /**
             * Format: int64
             * @description Jobs that will not run again by themselves.
             */
            dead: number;
            /**
             * Format: double
             * @description How long the oldest ready job has waited.
             */
            oldest_ready_seconds: number;
            /** @description Queues that are paused. */
            paused: string[];
            /**
             * Format: int64
             * @description Jobs that could run now.
             */
            ready: number;
            /**
             * Format: int64
             * @description Jobs that are held by a worker.
             */
            running: number;
            /** @description Live workers by role. */
            workers: {
                [key: string]: number;
            };
            /** @description Those of them that something keeps from doing their work. */
            workers_in_trouble: {
                [key: string]: number;
            };
        };
        /** @description A queue at this moment. */
        QueueState: {
            /**
             * Format: int64
             * @description Dead jobs that nobody has dealt with.
             */
            dead: number;
            /**
             * Format: double
             * @description How long the oldest ready job has been due.
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
             * @description Jobs that could run now.
             */
            ready: number;
            /** @description Why it is paused. */
            reason?: string | null;
            /**
             * Format: int64
             * @description Jobs that a worker holds.
             */
            running: number;
            /**
             * Format: int64
             * @description Jobs that wait for their time.
             */
            scheduled: number;
            /**
             * Format: int64
             * @description Jobs that those run at the same time, of all their queues together.
             */
            slots: number;
            stages?: components["schemas"]["PoolStages"] | null;
            /**
             * Format: int64
             * @description Live workers that claim from it, those that drain left out.
             */
            workers: number;
        };
        /** @description All queues. */
        QueueStates: {
            /** @description By name. */
            queues: components["schemas"]["QueueState"][];
            /**
             * Format: int64
             * @description What pools did is counted since then, Unix microseconds: an hour, or on a busy fleet less.
             */
            since_us: number;
        };
        /**
         * @description Why somebody does something: 1 to 500 characters, not all of them spaces.
         * @example provider outage
         */
        Reason: string;
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
        /** @description A request whose alert, or some of whose alerts, were not accepted. */
        Rejection: {
            /** @description The alerts of a webhook that were rejected, fifty at most. */
            alerts: components["schemas"]["RejectedAlert"][];
            author?: string | null;
            /**
             * Format: int64
             * @description Bytes that came in; none if they were not read.
             */
            body_bytes?: number | null;
            /**
             * @description Code of the answer, see docs/ERRORS.md; of one that was accepted in part, of the first alert that was not.
             * @example unknown_alert_type
             */
            code: string;
            detail: string;
            /** @description Whether its sender had shown who it is, by a key or a signature. */
            is_proven: boolean;
            /** @description Whether the body is kept as it was sent, so that it can be submitted again. */
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
             * @description HTTP status of the answer.
             */
            status: number;
            /** Format: int64 */
            submitted_at_us?: number | null;
            submitted_by?: string | null;
        };
        /** @description A rejected request with what is kept of its body. */
        RejectionDetail: components["schemas"]["Rejection"] & {
            /** @description Masked, and cut where it is long. */
            body: string;
            content_type: string;
            /** @description Those that identify the delivery; never credentials. */
            headers: Record<string, never>;
        };
        /** @description A page of rejected alerts. */
        Rejections: {
            /**
             * Format: uuid
             * @description Asks for the page behind this one, as `before`.
             */
            next?: string | null;
            /** @description Newest first. */
            rejections: components["schemas"]["Rejection"][];
        };
        /** @description How to run a stage again. */
        ReplayAsked: {
            /** @description Iterate like this instead of as the failed attempt did, e.g. `react`. */
            iteration_strategy?: string | null;
            /** @description Ask this provider instead of the failed attempt's. */
            llm_provider?: string | null;
            /** @description Why; kept in the audit log. */
            reason: components["schemas"]["Reason"];
        };
        /** @description The new attempt. */
        ReplayedStage: {
            /**
             * Format: int32
             * @description One more than the failed one's.
             */
            attempt: number;
            /** Format: uuid */
            execution_id: string;
            /** Format: uuid */
            session_id: string;
            /** Format: int32 */
            stage_index: number;
        };
        /** @description What is kept, for how long, and what it takes. */
        RetentionState: {
            /**
             * Format: int64
             * @description Events that reconnecting sockets can catch up on, in seconds.
             */
            event_retention_seconds: number;
            /** @description Whether interactions outlive their session (`HISTORY_ENABLED`). */
            history_enabled: boolean;
            /**
             * Format: int64
             * @description Ended sessions with all they hold, in days (`HISTORY_RETENTION_DAYS`).
             */
            history_retention_days: number;
            /**
             * Format: int64
             * @description Events that are past their time.
             */
            overdue_events: number;
            /**
             * Format: int64
             * @description Ended sessions that are past their time.
             */
            overdue_sessions: number;
            /**
             * Format: int64
             * @description How often a chain worker looks for what is past its time, in seconds.
             */
            prune_interval_seconds: number;
            /** @description Tables, largest first. */
            sizes: components["schemas"]["TableSize"][];
            /**
             * Format: int64
             * @description All tables with their indexes, together.
             */
            total_bytes: number;
        };
        /** @description The answer of `GET /`. */
        Root: {
            /** @example Tarsy is running */
            message: string;
            /** @example healthy */
            status: string;
        };
        /** @description Whether a runbook can be had now, from where this process runs. */
        RunbookState: {
            /** @description Why it can't be had, as a session would record it. */
            error?: string | null;
            is_reachable: boolean;
            /**
             * Format: int64
             * @description Its bytes; its text is not told.
             */
            size?: number | null;
        };
        /** @description A job that a worker holds. */
        RunningJob: {
            /**
             * Format: double
             * @description Until the lease ends, unless renewed.
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
             * @description The session, stage execution or delivery it is about.
             */
            subject: string;
        };
        /** @description What somebody says of a session. What is left out stays as it is. */
        Said: {
            /** @description Seen, or not seen after all. Who said so first stays. */
            acknowledged?: boolean | null;
            /** @description Whose it is from now on; null: nobody's. */
            assignee?: string | null;
            /** @description Whether its answer is right: `right`, `partly_right` or `wrong`; null: nobody has said. */
            rating?: string | null;
            /** @description Why; kept in the audit log. Nobody is asked for it at three in the morning: default `not stated`. */
            reason?: components["schemas"]["Reason"];
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
            /** @description `healthy`, or what keeps alerts from being processed. */
            alert_processing: string;
            database: components["schemas"]["Database"];
            /** @description `healthy`, `disabled` or `unavailable`. */
            history_service: string;
            llm: components["schemas"]["Llm"];
            queue: components["schemas"]["Queue"];
        };
        /** @description What people said of a session; nothing: nobody has. */
        SessionCare: {
            /**
             * Format: int64
             * @description When somebody said that they have seen it.
             */
            acknowledged_at_us?: number | null;
            acknowledged_by?: string | null;
            /** @description Whose it is. */
            assignee?: string | null;
            /** Format: int64 */
            rated_at_us?: number | null;
            rated_by?: string | null;
            /** @description Whether its answer is `right`, `partly_right` or `wrong`. */
            rating?: string | null;
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
            /** Format: int64 */
            completed_at_us?: number | null;
            current_stage_id?: string | null;
            /** Format: int32 */
            current_stage_index?: number | null;
            /** Format: int32 */
            duplicate_count: number;
            /** Format: int64 */
            duration_ms?: number | null;
            error_message?: string | null;
            final_analysis?: string | null;
            /** Format: int64 */
            llm_interaction_count: number;
            /** Format: int64 */
            mcp_communication_count: number;
            outcome?: string | null;
            /** Format: int64 */
            resolved_at_us?: number | null;
            runbook_content?: string | null;
            runbook_error?: string | null;
            runbook_url?: string | null;
            /** Format: uuid */
            session_id: string;
            severity: string;
            source: string;
            /** @description Every attempt of every stage, in the order of the chain; a stage's last is its current one. */
            stages: components["schemas"]["StageDetail"][];
            /** Format: int64 */
            started_at_us: number;
            status: string;
            /** Format: int64 */
            total_interactions: number;
            traceparent?: string | null;
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
             * Format: double
             * @description Estimated; a lower bound where prices are missing.
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
            /** Format: int64 */
            input_tokens?: number | null;
            /** Format: int64 */
            llm_interaction_count: number;
            /** Format: int64 */
            mcp_communication_count: number;
            /** @description How many stages made it: `completed`, `partial` or `failed`. */
            outcome?: string | null;
            /** Format: int64 */
            output_tokens?: number | null;
            /** @description Whether its answer is `right`, `partly_right` or `wrong`, as somebody who knows says. */
            rating?: string | null;
            /**
             * Format: int64
             * @description When the source said that the alert is over.
             */
            resolved_at_us?: number | null;
            /** Format: uuid */
            session_id: string;
            severity: string;
            /** @description Kind of sender, e.g. `api` or `alertmanager`. */
            source: string;
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
        /** @description The request that led to a session. */
        SessionRequest: {
            request?: components["schemas"]["WebhookRequest"] | null;
        };
        /** @description One attempt of one stage. */
        StageDetail: {
            agent: string;
            /**
             * Format: int32
             * @description From 1; a replay adds one.
             */
            attempt: number;
            /**
             * @description Both, in the order they happened; model calls with the conversation so far (`messages`),
             *     or with what is new in it (`new_messages`), as was asked for.
             */
            chronological_interactions: components["schemas"]["Interaction"][];
            /** Format: int64 */
            completed_at_us?: number | null;
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
            /** @description Whether this is the stage's current attempt. */
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
        /**
         * @description Where an alert stands (seed 003 REQ-1.1.3).
         * @enum {string}
         */
        Stand: "queued" | "processing" | "completed" | "error" | "cancelled";
        /** @description An alert. Fields beside these are kept as members of `data`. */
        SubmitAlert: {
            /**
             * @description Decides the chain; see `GET /alert-types`.
             * @example kubernetes
             */
            alert_type: string;
            /** @description Whatever the monitoring system knows; kept exactly. */
            data?: Record<string, never> | null;
            /**
             * @description What makes two alerts the same: while a session of the same fingerprint lives, an alert is counted on it.
             *     Default: a digest of the alert's content. Fingerprints of webhook sources are apart from these.
             * @example prod-eu/payments/HighErrorRate
             */
            fingerprint?: string | null;
            /**
             * @description Where the runbook is: an http or https URL, or `local:<name>`.
             * @example https://github.com/example/runbooks/blob/main/namespace-terminating.md
             */
            runbook: string;
            /**
             * @description Free text; the words of common monitoring systems decide the order of work. Default `warning`.
             * @example critical
             */
            severity?: string | null;
            /**
             * Format: int64
             * @description When it happened, in Unix microseconds; default now.
             */
            timestamp?: number | null;
        };
        /** @description The answer to an accepted alert. */
        SubmitAnswer: {
            /**
             * Format: uuid
             * @description The id to ask `GET /alerts/{alert_id}` about.
             */
            alert_id: string;
            /** @description For people. */
            message: string;
            /**
             * Format: uuid
             * @description The alert's session.
             */
            session_id: string;
            status: components["schemas"]["Submitted"];
            /** @description What may keep the analysis from coming: LLM providers that refuse every call. */
            warnings?: string[];
        };
        /**
         * @description What became of a submitted alert.
         * @enum {string}
         */
        Submitted: "queued" | "duplicate";
        /** @description Sums over a session. */
        Summary: {
            chain_statistics: components["schemas"]["ChainStatistics"];
            /**
             * Format: double
             * @description Estimated; a lower bound where prices are missing.
             */
            cost_usd: number;
            /**
             * Format: int64
             * @description Interactions that failed.
             */
            errors_count: number;
            /** Format: int64 */
            input_tokens: number;
            /** Format: int64 */
            llm_interactions: number;
            /** Format: int64 */
            mcp_communications: number;
            /** Format: int64 */
            output_tokens: number;
            /**
             * Format: int64
             * @description Kept for clients of the seeds; there are none.
             */
            system_events: number;
            /**
             * Format: int64
             * @description From acceptance to the end, or until now.
             */
            total_duration_ms: number;
            /** Format: int64 */
            total_interactions: number;
            /** Format: int64 */
            total_tokens: number;
        };
        /** @description A table on disk. */
        TableSize: {
            /**
             * Format: int64
             * @description With indexes.
             */
            bytes: number;
            /**
             * Format: int64
             * @description As the statistics estimate them.
             */
            rows: number;
            /** @example llm_interactions */
            table: string;
        };
        /** @description A ticket for one WebSocket. */
        Ticket: {
            /**
             * Format: int64
             * @description How long it can be used, in seconds.
             */
            expires_in_seconds: number;
            /** @description To be named once, as `?ticket=` of the WebSocket's address. */
            ticket: string;
        };
        /** @description A choice of a time. */
        TimeRange: {
            label: string;
            value: string;
        };
        /** @description Providers and MCP servers. */
        Upstreams: {
            /** @description Configured ones, then those that only the history knows. */
            mcp_servers: components["schemas"]["McpServer"][];
            /** @description Configured ones, then those that only the history knows. */
            providers: components["schemas"]["LlmProvider"][];
            /**
             * Format: int64
             * @description Calls are counted since then, Unix microseconds.
             */
            since_us: number;
        };
        /** @description A webhook as it came in. */
        WebhookRequest: {
            /** @description Whole, and not masked. Bytes that are no UTF-8 are replaced. */
            body: string;
            content_type: string;
            /** @description Those that identify the delivery; never credentials. */
            headers: Record<string, never>;
            /** Format: int64 */
            received_at_us: number;
            /**
             * Format: int64
             * @description Bytes of the body.
             */
            size: number;
        };
        /** @description A body that says nothing but why. */
        Why: {
            /** @description Why; kept in the audit log. */
            reason: components["schemas"]["Reason"];
        };
        /** @description A worker process. */
        Worker: {
            /** @description Whether its process holds the lock that shows it lives. */
            alive: boolean;
            /** @description Somebody asked it to. */
            drain_requested: boolean;
            /** @description It claims nothing more and ends. */
            draining: boolean;
            /** Format: double */
            heartbeat_age_seconds: number;
            /** Format: int64 */
            heartbeat_at_us: number;
            host: string;
            /** Format: int32 */
            pid: number;
            /** @description It claims from these. */
            queues: string[];
            /** @example stage-worker */
            role: string;
            running: components["schemas"]["RunningJob"][];
            /**
             * Format: int32
             * @description Jobs it runs at the same time.
             */
            slots: number;
            /** Format: int64 */
            started_at_us: number;
            /** @description What keeps it from doing its work, as it says itself. */
            trouble?: string | null;
            version: string;
            /**
             * Format: uuid
             * @description New with every start.
             */
            worker_id: string;
        };
        /** @description All workers. */
        Workers: {
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
