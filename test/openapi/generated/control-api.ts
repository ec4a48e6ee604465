export interface paths {
    "/_sandbox/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The client id, the client secret and the users */
        get: operations["getCredentials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Trigger an event */
        post: operations["postTrigger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The payments, newest first */
        get: operations["getPayments"];
        put?: never;
        /** Create the payment without a notification */
        post: operations["postPayments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one payment */
        get: operations["getPaymentsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/payments/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the status of one payment, and notify both sides */
        post: operations["postPaymentsIdStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/payments/{id}/walk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take one payment through several statuses */
        post: operations["postPaymentsIdWalk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The invoices, newest first */
        get: operations["getInvoices"];
        put?: never;
        /** Create the invoice without a notification */
        post: operations["postInvoices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/invoices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one invoice */
        get: operations["getInvoicesId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/invoices/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the status of one invoice, and notify both sides */
        post: operations["postInvoicesIdStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/invoices/{id}/walk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take one invoice through several statuses */
        post: operations["postInvoicesIdWalk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/configurations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The configurations of all accounts */
        get: operations["getConfigurations"];
        put?: never;
        /** Create a configuration */
        post: operations["postConfigurations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/configurations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Make a configuration Inactive */
        delete: operations["deleteConfigurationsId"];
        options?: never;
        head?: never;
        /** Change a configuration */
        patch: operations["patchConfigurationsId"];
        trace?: never;
    };
    "/_sandbox/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The deliveries, newest first */
        get: operations["getDeliveries"];
        put?: never;
        post?: never;
        /** Delete the settled deliveries */
        delete: operations["deleteDeliveries"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A delivery with its bodies */
        get: operations["getDeliveriesId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign a notification again and send it */
        post: operations["postDeliveriesIdRedeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The current faults */
        get: operations["getFaults"];
        /** Set the faults; none removes them */
        put: operations["putFaults"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The requests of clients, newest first, with their secrets masked */
        get: operations["getRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Log in and consent, like a user on the authorize page */
        post: operations["postConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/tokens/expire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Expire all access tokens */
        post: operations["postTokensExpire"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/tokens/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke all tokens */
        post: operations["postTokensRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore the initial state */
        post: operations["postReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/check-signature": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Explain why a signature does not verify */
        post: operations["postCheckSignature"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a receiver in any language
         * @description Sends it what the service sends, and forgeries. The last 20 checks are kept.
         */
        post: operations["postChecks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/checks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The results of a check so far */
        get: operations["getChecksId"];
        put?: never;
        post?: never;
        /** Stop a check */
        delete: operations["deleteChecksId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens
         * @description Server-sent events. `event` is the name of one of the properties of the schema, `data` is its JSON. With `Last-Event-ID`, the stream goes on after that event.
         */
        get: operations["getStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sandbox/service-openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The document of the service */
        get: operations["getServiceOpenapiJson"];
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
        /** @description `GET credentials`. */
        Credentials: {
            /** @description The address of the authorize page, without a query. */
            authorizeUrl: string;
            /** @description Base address, such as `http://127.0.0.1:49152`. */
            url: string;
            clientId: string;
            clientSecret: string;
            /** @description The application's own account, a decimal string. */
            accountId: string;
            /** @description The users who can log in on the authorize page. */
            users: components["schemas"]["SandboxUser"][];
            redirectUris: string[];
        };
        /** @description A user who can log in on the authorize page and consent. */
        SandboxUser: {
            email: string;
            password: string;
            name: string;
            /** @description A decimal string. */
            userId: string;
            accountId: string;
        };
        /** @description All requests that send notifications. */
        Deliveries: {
            deliveries: components["schemas"]["DeliverySummary"][];
        };
        /** @description A delivery without bodies, in lists and in the stream. */
        DeliverySummary: {
            url: string;
            /** @description What it is about, such as `payment:48121`; `null` if that is unknown. */
            subject: null | string;
            highlights: {
                id?: string;
                status?: string;
                amount?: string;
            };
            /** @description The length of the body, in bytes. */
            size: number;
            attempts: components["schemas"]["AttemptSummary"][];
            id: string;
            /**
             * @example ACCOUNT_STATUS_UPDATED
             * @example INBOUND_INVOICE_STATUS_UPDATED
             * @example INBOUND_PAYMENT_STATUS_UPDATED
             * @example OUTBOUND_INVOICE_STATUS_UPDATED
             * @example OUTBOUND_PAYMENT_STATUS_UPDATED
             * @example VBA_ACCOUNT_STATUS_UPDATED
             * @example VBA_TRANSACTION
             * @example VIRTUAL_CARD_APPLICATION_STATUS_UPDATED
             * @example VIRTUAL_CARD_BALANCE_UPDATED
             * @example VIRTUAL_CARD_TRANSACTION
             */
            kind: string;
            configurationId: string;
            contentType: string;
            /** @description The signature of the body, which identifies the delivery in receivers. */
            signature: string;
            createdAt: string;
            /** @enum {string} */
            state: "cancelled" | "delivered" | "dropped" | "failed" | "pending";
            faults: components["schemas"]["NotificationFaults"];
            /** @description The id of the original delivery, if this one is a redelivery. */
            redeliveryOf?: string;
        };
        AttemptSummary: {
            /**
             * @description Whether the receiver replied that it had received this notification before.
             * @constant
             */
            duplicate?: true;
            /** @enum {number} */
            number: 1 | 2 | 3;
            /** @description Why there is no complete response. */
            error?: string;
            /** @description The status of the response, if there is one. */
            status?: number;
            startedAt: string;
            durationMs: number;
        };
        /** @description Faults of one notification. */
        NotificationFaults: {
            /** @description The delay before the first attempt, in milliseconds, from 0 to 24.8 days. */
            delayMs?: number;
            /** @description Never send the notification, and record it as `dropped`. */
            drop?: boolean;
            /** @description The number of extra copies of the notification, from 0 to 100. */
            duplicate?: number;
            /** @description Swap each pair of notifications to a configuration: hold the first, with its copies, until the next one with another body has a response, for up to 250 ms. */
            reorder?: boolean;
            /** @description Additional faults of the first, second and third attempt: `[{ truncate: true }]` truncates the first and delivers the second. */
            attempts?: components["schemas"]["AttemptFaults"][];
            /**
             * @description Sign with another client id, or send no `ACCESS-SIGNATURE` header.
             * @enum {string}
             */
            signature?: "missing" | "wrong";
            /** @description Send half of the body, then close the connection. */
            truncate?: boolean;
        };
        /** @description Faults of one delivery attempt. */
        AttemptFaults: {
            /** @description The delay before the attempt, in milliseconds, from 0 to 24.8 days. */
            delayMs?: number;
            /**
             * @description Sign with another client id, or send no `ACCESS-SIGNATURE` header.
             * @enum {string}
             */
            signature?: "missing" | "wrong";
            /** @description Send half of the body, then close the connection. */
            truncate?: boolean;
            /** @description Send nothing. */
            drop?: boolean;
        };
        /** @description A request of `POST trigger`. */
        TriggerRequest: {
            /**
             * @description One of the ten kinds, or any other string.
             * @example ACCOUNT_STATUS_UPDATED
             * @example INBOUND_INVOICE_STATUS_UPDATED
             * @example INBOUND_PAYMENT_STATUS_UPDATED
             * @example OUTBOUND_INVOICE_STATUS_UPDATED
             * @example OUTBOUND_PAYMENT_STATUS_UPDATED
             * @example VBA_ACCOUNT_STATUS_UPDATED
             * @example VBA_TRANSACTION
             * @example VIRTUAL_CARD_APPLICATION_STATUS_UPDATED
             * @example VIRTUAL_CARD_BALANCE_UPDATED
             * @example VIRTUAL_CARD_TRANSACTION
             */
            kind: string;
            /** @description Changes to the sample data of the kind. */
            data?: unknown;
            /** @description Notify only the configurations of this account. */
            accountId?: string | number;
            /** @description The `Content-Type` header. `application/json` by default. */
            contentType?: string;
            /** @description Send `data` as an object, as some senders do, instead of a string. Default: false. */
            inline?: boolean;
            /** @description Faults of these notifications, in addition to those of `setFaults`. */
            faults?: components["schemas"]["Faults"];
            /** @description The exact text. */
            body?: string;
            /** @description The exact bytes. */
            bodyBase64?: string;
        };
        /** @description Faults of notifications, decided when the event happens. */
        Faults: {
            /** @description Send that many different notifications at once instead of one, from 1 to 10,000. Their ids are new, or count up from the id in the data of a trigger. */
            burst?: number;
            /** @description The delay before the first attempt, in milliseconds, from 0 to 24.8 days. */
            delayMs?: number;
            /** @description Never send the notification, and record it as `dropped`. */
            drop?: boolean;
            /** @description The number of extra copies of the notification, from 0 to 100. */
            duplicate?: number;
            /** @description Swap each pair of notifications to a configuration: hold the first, with its copies, until the next one with another body has a response, for up to 250 ms. */
            reorder?: boolean;
            /** @description Additional faults of the first, second and third attempt: `[{ truncate: true }]` truncates the first and delivers the second. */
            attempts?: components["schemas"]["AttemptFaults"][];
            /**
             * @description Sign with another client id, or send no `ACCESS-SIGNATURE` header.
             * @enum {string}
             */
            signature?: "missing" | "wrong";
            /** @description Send half of the body, then close the connection. */
            truncate?: boolean;
            /** @description Faults of the first, the second and so on, repeated after the last. `{}` is no fault. */
            sequence?: components["schemas"]["NotificationFaults"][];
            /** @description How many have faults. Default: no limit. */
            times?: number;
        };
        /** @description `GET payments`, newest first. */
        Payments: {
            payments: components["schemas"]["Resource"][];
        };
        /** @description `POST payments`, `GET payments/:id`, and the same of invoices. */
        Resource: {
            id: string;
            data: {
                status: string;
            } & {
                [key: string]: unknown;
            };
        };
        /** @description A request of `POST payments` and `POST invoices`. */
        ResourceRequest: {
            /** @description Changes to the sample data. */
            data?: {
                [key: string]: unknown;
            };
        };
        /** @description A request of `POST payments/:id/status`, and the same of invoices. */
        StatusRequest: {
            status: string;
            /** @description Other changes to the data. */
            changes?: {
                [key: string]: unknown;
            };
            /** @description Send `data` as an object, as some senders do, instead of a string. Default: false. */
            inline?: boolean;
            /** @description Faults of these notifications, in addition to those of `setFaults`. */
            faults?: components["schemas"]["Faults"];
        };
        /** @description A request of `POST payments/:id/walk`, and the same of invoices. */
        WalkRequest: {
            /** @description The usual ones by default. */
            statuses?: string[];
            /** @description Wait until the notifications of a status are settled before the next status. Default: false. */
            wait?: boolean;
            /** @description Time between two statuses, in milliseconds, from 0 to 24.8 days. Default: 0. */
            intervalMs?: number;
            /** @description Send `data` as an object, as some senders do, instead of a string. Default: false. */
            inline?: boolean;
            /** @description Faults of these notifications, in addition to those of `setFaults`. */
            faults?: components["schemas"]["Faults"];
        };
        /** @description `GET invoices`, newest first. */
        Invoices: {
            invoices: components["schemas"]["Resource"][];
        };
        /** @description `GET configurations`. */
        Configurations: {
            configurations: components["schemas"]["Configuration"][];
        };
        /** @description A callback configuration. */
        Configuration: {
            id: string;
            accountId: string;
            /** @enum {string} */
            event: "ACCOUNT_STATUS_UPDATED" | "INBOUND_INVOICE_STATUS_UPDATED" | "INBOUND_PAYMENT_STATUS_UPDATED" | "OUTBOUND_INVOICE_STATUS_UPDATED" | "OUTBOUND_PAYMENT_STATUS_UPDATED" | "VBA_ACCOUNT_STATUS_UPDATED" | "VBA_TRANSACTION" | "VIRTUAL_CARD_APPLICATION_STATUS_UPDATED" | "VIRTUAL_CARD_BALANCE_UPDATED" | "VIRTUAL_CARD_TRANSACTION";
            callbackUrl: string;
            /** @enum {string} */
            status: "Active" | "Inactive";
        };
        /** @description A request of `POST configurations`. */
        ConfigurationRequest: {
            /** @enum {string} */
            event: "ACCOUNT_STATUS_UPDATED" | "INBOUND_INVOICE_STATUS_UPDATED" | "INBOUND_PAYMENT_STATUS_UPDATED" | "OUTBOUND_INVOICE_STATUS_UPDATED" | "OUTBOUND_PAYMENT_STATUS_UPDATED" | "VBA_ACCOUNT_STATUS_UPDATED" | "VBA_TRANSACTION" | "VIRTUAL_CARD_APPLICATION_STATUS_UPDATED" | "VIRTUAL_CARD_BALANCE_UPDATED" | "VIRTUAL_CARD_TRANSACTION";
            /** @description An absolute URL. */
            callbackUrl: string;
            /** @description The account of the application or of a user. The application's by default. */
            accountId?: string | number;
        };
        ConfigurationUpdate: {
            /** @enum {string} */
            event?: "ACCOUNT_STATUS_UPDATED" | "INBOUND_INVOICE_STATUS_UPDATED" | "INBOUND_PAYMENT_STATUS_UPDATED" | "OUTBOUND_INVOICE_STATUS_UPDATED" | "OUTBOUND_PAYMENT_STATUS_UPDATED" | "VBA_ACCOUNT_STATUS_UPDATED" | "VBA_TRANSACTION" | "VIRTUAL_CARD_APPLICATION_STATUS_UPDATED" | "VIRTUAL_CARD_BALANCE_UPDATED" | "VIRTUAL_CARD_TRANSACTION";
            /** @description An absolute URL. */
            callbackUrl?: string;
        };
        /** @description `GET deliveries`. */
        DeliveryList: {
            /** @description How many there are, with those that the limit leaves out. */
            total: number;
            deliveries: components["schemas"]["DeliverySummary"][];
        };
        /** @description `GET deliveries/:id`. */
        DeliveryDetail: {
            /** @description The headers of the last attempt, or those of the first before it. */
            headers: {
                [key: string]: string;
            };
            /** @description The exact body. Invalid UTF-8 is replaced. */
            body: string;
            bodyBase64: string;
            attempts: components["schemas"]["Attempt"][];
            url: string;
            /** @description What it is about, such as `payment:48121`; `null` if that is unknown. */
            subject: null | string;
            highlights: {
                id?: string;
                status?: string;
                amount?: string;
            };
            /** @description The length of the body, in bytes. */
            size: number;
            id: string;
            /**
             * @example ACCOUNT_STATUS_UPDATED
             * @example INBOUND_INVOICE_STATUS_UPDATED
             * @example INBOUND_PAYMENT_STATUS_UPDATED
             * @example OUTBOUND_INVOICE_STATUS_UPDATED
             * @example OUTBOUND_PAYMENT_STATUS_UPDATED
             * @example VBA_ACCOUNT_STATUS_UPDATED
             * @example VBA_TRANSACTION
             * @example VIRTUAL_CARD_APPLICATION_STATUS_UPDATED
             * @example VIRTUAL_CARD_BALANCE_UPDATED
             * @example VIRTUAL_CARD_TRANSACTION
             */
            kind: string;
            configurationId: string;
            contentType: string;
            /** @description The signature of the body, which identifies the delivery in receivers. */
            signature: string;
            createdAt: string;
            /** @enum {string} */
            state: "cancelled" | "delivered" | "dropped" | "failed" | "pending";
            faults: components["schemas"]["NotificationFaults"];
            /** @description The id of the original delivery, if this one is a redelivery. */
            redeliveryOf?: string;
        };
        Attempt: {
            /** @description The headers that were sent. */
            headers: {
                [key: string]: string;
            };
            /**
             * @description Whether the receiver replied that it had received this notification before.
             * @constant
             */
            duplicate?: true;
            /** @enum {number} */
            number: 1 | 2 | 3;
            /** @description Why there is no complete response. */
            error?: string;
            /** @description The status of the response, if there is one. */
            status?: number;
            startedAt: string;
            durationMs: number;
            responseHeaders?: {
                [key: string]: string;
            };
            /** @description The first 4 KiB of the response body, or the part that arrived before the connection broke. */
            responseBody?: string;
        };
        /** @description A request of `POST deliveries/:id/redeliver`. Without a field, the same body is sent again. */
        RedeliverRequest: {
            /** @description Replaces the original data. */
            data?: unknown;
            /** @description The exact text. */
            body?: string;
            /** @description The exact bytes. */
            bodyBase64?: string;
        };
        /** @description Faults of notifications, and of the API. */
        SandboxFaults: {
            api?: components["schemas"]["ApiFaults"];
            /** @description Send that many different notifications at once instead of one, from 1 to 10,000. Their ids are new, or count up from the id in the data of a trigger. */
            burst?: number;
            /** @description The delay before the first attempt, in milliseconds, from 0 to 24.8 days. */
            delayMs?: number;
            /** @description Never send the notification, and record it as `dropped`. */
            drop?: boolean;
            /** @description The number of extra copies of the notification, from 0 to 100. */
            duplicate?: number;
            /** @description Swap each pair of notifications to a configuration: hold the first, with its copies, until the next one with another body has a response, for up to 250 ms. */
            reorder?: boolean;
            /** @description Additional faults of the first, second and third attempt: `[{ truncate: true }]` truncates the first and delivers the second. */
            attempts?: components["schemas"]["AttemptFaults"][];
            /**
             * @description Sign with another client id, or send no `ACCESS-SIGNATURE` header.
             * @enum {string}
             */
            signature?: "missing" | "wrong";
            /** @description Send half of the body, then close the connection. */
            truncate?: boolean;
            /** @description Faults of the first, the second and so on, repeated after the last. `{}` is no fault. */
            sequence?: components["schemas"]["NotificationFaults"][];
            /** @description How many have faults. Default: no limit. */
            times?: number;
        };
        /** @description Faults of requests to the API: the grants, hello and the webhook operations. */
        ApiFaults: {
            /** @description Affects only requests whose path starts with this, such as `/oauth/token`. */
            path?: string;
            /** @description Respond with this status and do nothing: 429, or 500 to 599. */
            status?: number;
            /** @description The `Retry-After` header, in seconds, from 0 to 86,400. Default: 1 for 429, otherwise none. */
            retryAfterSeconds?: number;
            /** @description The delay before the request is processed, in milliseconds, from 0 to 24.8 days. */
            delayMs?: number;
            /** @description Process the request, then close the connection without a response. */
            loseResponse?: boolean;
            /** @description Faults of the first, the second and so on, repeated after the last. `{}` is no fault. */
            sequence?: components["schemas"]["RequestFaults"][];
            /** @description How many have faults. Default: no limit. */
            times?: number;
        };
        /** @description Faults of one request to the API. */
        RequestFaults: {
            /** @description Respond with this status and do nothing: 429, or 500 to 599. */
            status?: number;
            /** @description The `Retry-After` header, in seconds, from 0 to 86,400. Default: 1 for 429, otherwise none. */
            retryAfterSeconds?: number;
            /** @description The delay before the request is processed, in milliseconds, from 0 to 24.8 days. */
            delayMs?: number;
            /** @description Process the request, then close the connection without a response. */
            loseResponse?: boolean;
        };
        /** @description `GET requests`. */
        Requests: {
            requests: components["schemas"]["Request"][];
        };
        Request: {
            method: string;
            path: string;
            /** @description With its question mark; empty if there is none. */
            query: string;
            headers: {
                [key: string]: string;
            };
            /** @description The first 16 KiB. */
            body: string;
            requestId?: string;
            status: number;
            /** @description The response to a failed request. */
            responseBody?: string;
            at: string;
        };
        /** @description The response to `POST consent`. */
        Consent: {
            /** @description The redirect URL, with `code`, or with `error` if the authorize page would reject the request. */
            redirectTo: string;
        };
        /** @description A request of `POST consent`. */
        ConsentRequest: {
            /** @description The URL of the authorize page, with its query. */
            url: string;
            /** @description The e-mail of a user of the sandbox, or the user. The first one by default. */
            user?: string | ({
                email: string;
            } & {
                [key: string]: unknown;
            });
        };
        SignatureCheck: {
            /** @constant */
            valid: true;
        } | {
            /** @constant */
            valid: false;
            /** @enum {string} */
            cause: "base64" | "body_empty" | "bom" | "client_id_whitespace" | "client_secret" | "latin1" | "line_endings" | "lossy_utf8" | "newline_added" | "newline_missing" | "other_client_id" | "restringified" | "signature_base64" | "signature_malformed" | "signature_missing" | "signature_prefixed" | "signature_repeated" | "signature_uppercase" | "signature_whitespace" | "unknown";
            message: string;
        };
        /** @description A request of `POST check-signature`, with one of the two bodies. */
        SignatureCheckRequest: {
            /** @description The value of the `ACCESS-SIGNATURE` header. */
            signature?: string;
            /** @description The client id of the receiver. The sandbox's by default. */
            clientId?: string;
            /** @description The exact text. */
            body?: string;
            /** @description The exact bytes. */
            bodyBase64?: string;
        };
        /** @description `POST checks`, `GET checks/:id`: the results so far, and the rest of the report once the check is done. */
        Check: {
            id: string;
            /** @enum {string} */
            state: "done" | "running" | "stopped";
            /** @description The number of cases. */
            total: number;
            results: components["schemas"]["CheckResult"][];
            /** @description The URL without its query and credentials. */
            url?: string;
            durationMs?: number;
            /** @description Whether the check came to its end, and no case of level `must` failed. */
            passed?: boolean;
            /** @description Why the check stopped before its end; the other cases were skipped. */
            stopped?: string;
            /** @description What the results together say. Empty if each speaks for itself. */
            conclusions?: string[];
        };
        /** @description The result of a case. */
        CheckResult: {
            id: string;
            /** @enum {string} */
            level: "must" | "should";
            /** @enum {string} */
            outcome: "failed" | "passed" | "skipped";
            /** @description What was sent. */
            title: string;
            /** @description What the response has to be. */
            expected: string;
            /** @description What came back, or why the case was skipped. */
            observed: string;
            /** @description What a genuine notification was rejected for, if the check found out. */
            cause?: string;
            /** @description Why it matters. */
            why: string;
            /** @description How to mend a receiver that fails. */
            mend: string;
            /** @description What the response does not show, and where to look instead. */
            unseen?: string;
            durationMs: number;
        };
        /** @description `POST checks`. */
        CheckRequest: {
            /** @description The client id that the receiver verifies with. Default: that of the sandbox. */
            clientId?: string;
            /** @description The URL of the receiver, with its callback token if it has one. */
            url: string;
            /** @description How long to wait for each response, in milliseconds. Default: 10,000. */
            timeoutMs?: number;
            /** @description The kinds that the receiver gets. Default: all ten. */
            kinds?: ("ACCOUNT_STATUS_UPDATED" | "INBOUND_INVOICE_STATUS_UPDATED" | "INBOUND_PAYMENT_STATUS_UPDATED" | "OUTBOUND_INVOICE_STATUS_UPDATED" | "OUTBOUND_PAYMENT_STATUS_UPDATED" | "VBA_ACCOUNT_STATUS_UPDATED" | "VBA_TRANSACTION" | "VIRTUAL_CARD_APPLICATION_STATUS_UPDATED" | "VIRTUAL_CARD_BALANCE_UPDATED" | "VIRTUAL_CARD_TRANSACTION")[];
            /** @description Ids of the cases to run, in addition to `plain`. Default: all. */
            only?: string[];
            /** @description Whether the receiver may be on another machine. It handles what is correctly signed, so do not check one that moves money. Default: false. */
            allowRemote?: boolean;
        };
        /** @description The events of `GET stream`, by name. */
        StreamEvents: {
            delivery: components["schemas"]["DeliverySummary"];
            request: components["schemas"]["Request"];
            configuration: components["schemas"]["Configuration"];
            faults: components["schemas"]["SandboxFaults"];
            /** @description All lists have to be read again: the sandbox was reset, or events are missing. */
            reset: Record<string, never>;
        };
        /** @description A rejected request. */
        Error: {
            code: string;
            message: string;
        };
    };
    responses: {
        /** @description The request is invalid */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is from a page of another origin, or is a notification */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is none with this id */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than 1 MiB */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The state file cannot be written */
        Failed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The Host is not a name of this sandbox */
        ForeignHost: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        Id: string;
        /** @description `false` responds at once, with 202. */
        Wait: "true" | "false";
        /** @description Only those of this kind. */
        Kind: string;
        /** @description Only those in this state. */
        State: "pending" | "delivered" | "failed" | "dropped" | "cancelled";
        /** @description Only those whose body contains this text. */
        Search: string;
        /** @description The largest number of entries. */
        Limit: number;
        /** @description Only those that are older than this delivery. */
        After: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credentials"];
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postTrigger: {
        parameters: {
            query?: {
                /** @description `false` responds at once, with 202. */
                wait?: components["parameters"]["Wait"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description Begun: what is there so far */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getPayments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payments"];
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postPayments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResourceRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getPaymentsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postPaymentsIdStatus: {
        parameters: {
            query?: {
                /** @description `false` responds at once, with 202. */
                wait?: components["parameters"]["Wait"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatusRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description Begun: what is there so far */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postPaymentsIdWalk: {
        parameters: {
            query?: {
                /** @description `false` responds at once, with 202. */
                wait?: components["parameters"]["Wait"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WalkRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description Begun: what is there so far */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getInvoices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoices"];
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postInvoices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResourceRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getInvoicesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postInvoicesIdStatus: {
        parameters: {
            query?: {
                /** @description `false` responds at once, with 202. */
                wait?: components["parameters"]["Wait"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatusRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description Begun: what is there so far */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postInvoicesIdWalk: {
        parameters: {
            query?: {
                /** @description `false` responds at once, with 202. */
                wait?: components["parameters"]["Wait"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WalkRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description Begun: what is there so far */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getConfigurations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Configurations"];
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postConfigurations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfigurationRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    deleteConfigurationsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    patchConfigurationsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfigurationUpdate"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getDeliveries: {
        parameters: {
            query?: {
                /** @description Only those of this kind. */
                kind?: components["parameters"]["Kind"];
                /** @description Only those in this state. */
                state?: components["parameters"]["State"];
                /** @description Only those whose body contains this text. */
                search?: components["parameters"]["Search"];
                /** @description The largest number of entries. */
                limit?: components["parameters"]["Limit"];
                /** @description Only those that are older than this delivery. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    deleteDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getDeliveriesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postDeliveriesIdRedeliver: {
        parameters: {
            query?: {
                /** @description `false` responds at once, with 202. */
                wait?: components["parameters"]["Wait"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RedeliverRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description Begun: what is there so far */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getFaults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxFaults"];
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    putFaults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SandboxFaults"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxFaults"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getRequests: {
        parameters: {
            query?: {
                /** @description The largest number of entries. */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Requests"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postConsent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consent"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postTokensExpire: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postTokensRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postCheckSignature: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignatureCheckRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureCheck"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    postChecks: {
        parameters: {
            query?: {
                /** @description `false` responds at once, with 202. */
                wait?: components["parameters"]["Wait"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Check"];
                };
            };
            /** @description Begun: what is there so far */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Check"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getChecksId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Check"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    deleteChecksId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getStream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamEvents"];
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
    getServiceOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            403: components["responses"]["Forbidden"];
            421: components["responses"]["ForeignHost"];
            500: components["responses"]["Failed"];
        };
    };
}
