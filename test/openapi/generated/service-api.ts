export interface paths {
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a token with one of the three grants */
        post: operations["requestToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/svc/v1.0/hello": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check an access token */
        get: operations["hello"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/svc/v1.2/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List configurations
         * @description Needs `Content-Type: application/json`, though it has no body. Whether the service sends a list or a single configuration is not specified; the sandbox sends the Active ones as a list.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Subscribe a URL to a kind of event
         * @description Needs `Content-Type: application/json`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/svc/v1.2/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        /**
         * Read a configuration
         * @description Needs `Content-Type: application/json`, though it has no body. Not specified: the service need not have it.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Make a configuration Inactive
         * @description Needs `Content-Type: application/json`, though it has no body.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a configuration
         * @description Needs `Content-Type: application/json`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
}
export interface webhooks {
    ACCOUNT_STATUS_UPDATED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * ACCOUNT_STATUS_UPDATED is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onAccountStatusUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    OUTBOUND_PAYMENT_STATUS_UPDATED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * OUTBOUND_PAYMENT_STATUS_UPDATED is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onOutboundPaymentStatusUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    INBOUND_PAYMENT_STATUS_UPDATED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * INBOUND_PAYMENT_STATUS_UPDATED is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onInboundPaymentStatusUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    OUTBOUND_INVOICE_STATUS_UPDATED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * OUTBOUND_INVOICE_STATUS_UPDATED is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onOutboundInvoiceStatusUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    INBOUND_INVOICE_STATUS_UPDATED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * INBOUND_INVOICE_STATUS_UPDATED is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onInboundInvoiceStatusUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    VBA_ACCOUNT_STATUS_UPDATED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * VBA_ACCOUNT_STATUS_UPDATED is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onVbaAccountStatusUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    VBA_TRANSACTION: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * VBA_TRANSACTION is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onVbaTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    VIRTUAL_CARD_APPLICATION_STATUS_UPDATED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * VIRTUAL_CARD_APPLICATION_STATUS_UPDATED is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onVirtualCardApplicationStatusUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    VIRTUAL_CARD_BALANCE_UPDATED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * VIRTUAL_CARD_BALANCE_UPDATED is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onVirtualCardBalanceUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    VIRTUAL_CARD_TRANSACTION: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * VIRTUAL_CARD_TRANSACTION is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onVirtualCardTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    PAYMENT_STATUS_UPDATED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * PAYMENT_STATUS_UPDATED is sent to the URLs registered for it
         * @description Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.
         */
        post: operations["onPaymentStatusUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description A 64-bit integer, or its decimal digits as a string. In languages whose numbers are doubles, read it as text: beyond 2^53 its last digits are lost. */
        Identifier: number | string;
        /** @description A decimal number, or its text. Do not read it as a double. */
        Decimal: number | string;
        /** @description An amount of money. */
        Amount: {
            number: components["schemas"]["Decimal"];
            /** @description Currency code, such as `'USD'`. */
            currency: string;
        };
        /** @description Internal transaction of the payer's side (`debitTxn`) or of the payee's side (`creditTxn`) of a payment. */
        Transaction: {
            /** @description Internal transaction id. Absent if the whole object is empty: there is no transaction yet. */
            id?: components["schemas"]["Identifier"];
            /** @description Internal transaction status. The service may add new ones. Absent or `null` while it is unknown. */
            status?: string | null;
            /** @description Set only if a debit was reversed or a credit was returned. A string or a number, as it was sent. */
            errorCode?: string | number | null;
            /** @description Explains the reversal or the return. */
            errorMessage?: string | null;
            /** @description End-to-end transaction reference. Absent if it does not apply. */
            externalTransactionId?: string | null;
        };
        /** @description Refund transaction of a payment: a `Transaction` without `externalTransactionId`. */
        RefundTransaction: {
            /** @description Internal transaction id. Absent if the whole object is empty: there is no transaction yet. */
            id?: components["schemas"]["Identifier"];
            /** @description Internal transaction status. The service may add new ones. Absent or `null` while it is unknown. */
            status?: string | null;
            /** @description Set only if a debit was reversed or a credit was returned. A string or a number, as it was sent. */
            errorCode?: string | number | null;
            /** @description Explains the reversal or the return. */
            errorMessage?: string | null;
        };
        /** @description Data of `ACCOUNT_STATUS_UPDATED`. */
        AccountData: {
            /** @description Account id. */
            id: components["schemas"]["Identifier"];
            /** @description Whether all information required for payments has been provided. */
            paymentReady: boolean;
            /** @description Whether the account is verified. */
            verified: boolean;
        };
        /** @description Data of `INBOUND_PAYMENT_STATUS_UPDATED` and `OUTBOUND_PAYMENT_STATUS_UPDATED`. */
        PaymentData: {
            /** @description Payment id. */
            id: components["schemas"]["Identifier"];
            /** @description Invoice id. Absent or `null` if there is none. */
            invoiceId?: components["schemas"]["Identifier"] | null;
            /**
             * @description Payment status. The service may add new ones.
             * @example Authorized
             * @example Cancelled
             * @example Claimed
             * @example Closed
             * @example Complete
             * @example Drafted
             * @example InProgress
             * @example PendingApproval
             * @example PendingAuth
             * @example Reversed
             * @example Scheduled
             * @example SchedulingInProgress
             * @example Sent
             */
            status: string;
            /** @description Reason for the status. Absent or `null` if there is none. */
            statusReason?: string | null;
            /** @description Short URL of the receipt. For partner accounts only, while the status is `InProgress` or `Complete`. */
            mtlReceiptLinkUrl?: string | null;
            /** @description Funding method type of the payer. The service may add new ones. */
            payerFundingMethodType?: string | null;
            /** @description Funding method type of the payee. The service may add new ones. */
            receiverFundingMethodType?: string | null;
            /** @description Account id of the payer. */
            payerAccountId?: components["schemas"]["Identifier"] | null;
            /** @description Account id of the payee. */
            payeeAccountId?: components["schemas"]["Identifier"] | null;
            /** @description Request id of the API call that created the payment. */
            originalRequestId?: string | null;
            /** @description Purpose of the payment. Absent or `null` if it does not apply. */
            purposeOfPayment?: string | null;
            /** @description Description of the purpose. Absent or `null` if it does not apply. */
            purposeOfPaymentDescription?: string | null;
            /** @description Processing preference requested for the debit leg. Absent if it does not apply. */
            debitPreferredMethodRequested?: string | null;
            /** @description Processing preference requested for the credit leg. Absent if it does not apply. */
            creditPreferredMethodRequested?: string | null;
            /** @description Method used for the debit leg. Final only if the status is `Complete`; absent if it does not apply. */
            debitMethodProcessed?: string | null;
            /** @description Method used for the credit leg. Final only if the status is `Complete`; absent if it does not apply. */
            creditMethodProcessed?: string | null;
            /** @description Amount of the payment. Absent in the earlier form of the notification. */
            amount?: components["schemas"]["Amount"] | null;
            /** @description Internal transaction of the payer's side. Absent or `null` if it does not apply. */
            debitTxn?: components["schemas"]["Transaction"] | null;
            /** @description Internal transaction of the payee's side. Absent or `null` if it does not apply. */
            creditTxn?: components["schemas"]["Transaction"] | null;
            /** @description Refund transaction. Absent or `null` if there is none. */
            refundTxn?: components["schemas"]["RefundTransaction"] | null;
        };
        /** @description Data of `INBOUND_INVOICE_STATUS_UPDATED` and `OUTBOUND_INVOICE_STATUS_UPDATED`. */
        InvoiceData: {
            /** @description Invoice id. */
            id: components["schemas"]["Identifier"];
            /**
             * @description Invoice status. The service may add new ones.
             * @example Cancelled
             * @example Claimed
             * @example Closed
             * @example Drafted
             * @example MarkAsPaid
             * @example Rejected
             * @example Scheduled
             * @example Sent
             * @example Updated
             */
            status: string;
            /** @description Amount of the invoice. */
            amount?: components["schemas"]["Amount"] | null;
            /** @description Account id of the payer. */
            payerAccountId?: components["schemas"]["Identifier"] | null;
            /** @description Account id of the payee. */
            payeeAccountId?: components["schemas"]["Identifier"] | null;
            /** @description Due date, as it was sent: an ISO 8601 date (`2026-11-21`), a date-time, or an epoch as a number. */
            dueDate?: (string | number) | null;
            /** @description Scheduled send date, as it was sent: an ISO 8601 date (`2026-11-21`), a date-time, or an epoch as a number. */
            scheduledSentDateIso?: (string | number) | null;
            /** @description Id of the linked payment. Absent or `null` if there is none. */
            paymentId?: components["schemas"]["Identifier"] | null;
        };
        WebhookConfiguration: {
            /** @description Assigned by the service. */
            id: components["schemas"]["Identifier"];
            /**
             * @description The kind of event.
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
            event: string;
            /** @description Where its notifications go. */
            callbackUrl: string;
            /**
             * @description `Active`, or `Inactive` once it is deleted.
             * @example Active
             * @example Inactive
             */
            status: string;
        };
        /** @description The response of the token endpoint to every grant. */
        TokenResponse: {
            /** @description The bearer token for calls. */
            access_token: string;
            /**
             * @description `bearer`.
             * @default bearer
             */
            token_type: string;
            /** @description Gets the next token. */
            refresh_token?: string;
            /** @description Lifetime of the access token, in seconds. */
            expires_in?: number;
            /** @description `all`. */
            scope?: string;
            /** @description Account of the token's owner. */
            account_id?: components["schemas"]["Identifier"];
            /** @description User of the token's owner. */
            user_id?: components["schemas"]["Identifier"];
        };
        /** @enum {string} */
        EventKind: "ACCOUNT_STATUS_UPDATED" | "OUTBOUND_PAYMENT_STATUS_UPDATED" | "INBOUND_PAYMENT_STATUS_UPDATED" | "OUTBOUND_INVOICE_STATUS_UPDATED" | "INBOUND_INVOICE_STATUS_UPDATED" | "VBA_ACCOUNT_STATUS_UPDATED" | "VBA_TRANSACTION" | "VIRTUAL_CARD_APPLICATION_STATUS_UPDATED" | "VIRTUAL_CARD_BALANCE_UPDATED" | "VIRTUAL_CARD_TRANSACTION";
        WebhookRequest: {
            event: components["schemas"]["EventKind"];
            /** @description An absolute URL. Responses spell it `callbackUrl`. */
            callbackURL: string;
        };
        ClientCredentialsGrant: {
            /** @constant */
            grant_type: "client_credentials";
            /** @constant */
            scope: "all";
        };
        AuthorizationCodeGrant: {
            /** @constant */
            grant_type: "authorization_code";
            /** @constant */
            scope: "all";
            code: string;
            redirect_uri: string;
        };
        RefreshTokenGrant: {
            /** @constant */
            grant_type: "refresh_token";
        };
        /** @description The body of an error response of the API. docs/protocol.md does not specify it; this shape was observed. */
        ServiceError: {
            /** @description The status. */
            code: number;
            message: string;
            /** @description Identifies the response in the service's log. */
            logTag: string;
            /** @description An ISO date-time. */
            timestamp: string;
        };
        OAuthError: {
            /** @description A code of RFC 6749, section 5.2. */
            error: string;
            error_description?: string;
        };
        Received: {
            /** @constant */
            received: true;
            /**
             * @description The same notification was stored before.
             * @constant
             */
            duplicate?: true;
        };
    };
    responses: {
        /** @description The request is invalid */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceError"];
            };
        };
        /** @description The access token has expired, or is invalid */
        Unauthorized: {
            headers: {
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceError"];
            };
        };
        /** @description There is no such configuration, or no valid token of the account that owns it */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceError"];
            };
        };
        /** @description The service does not have this operation */
        MethodNotAllowed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceError"];
            };
        };
        /** @description The X-Request-Id was used before */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceError"];
            };
        };
        /** @description The body is too large */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceError"];
            };
        };
        /** @description The sandbox does not serve this Host */
        ForeignHost: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceError"];
            };
        };
        /** @description Too many requests; the limits are not specified */
        TooManyRequests: {
            headers: {
                /** @description In seconds */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceError"];
            };
        };
        /** @description The service failed */
        Failed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceError"];
            };
        };
        /** @description The body is not a notification */
        Rejected400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @enum {string} */
                    code: "payload_not_utf8" | "payload_not_json" | "envelope_invalid" | "data_invalid" | "body_incomplete";
                    message: string;
                };
            };
        };
        /** @description The signature, or the token in the URL, is missing or wrong */
        Rejected401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @enum {string} */
                    code: "signature_missing" | "signature_malformed" | "signature_mismatch" | "callback_token_mismatch";
                    message: string;
                };
            };
        };
        /** @description The method is one without a body */
        Rejected405: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @enum {string} */
                    code: "method_not_allowed";
                    message: string;
                };
            };
        };
        /** @description The body is too large */
        Rejected413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @enum {string} */
                    code: "body_too_large";
                    message: string;
                };
            };
        };
        /** @description The body is compressed */
        Rejected415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @enum {string} */
                    code: "content_encoding_unsupported";
                    message: string;
                };
            };
        };
        /** @description A handler failed */
        Rejected500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @enum {string} */
                    code: "body_consumed" | "handler_failed" | "receiver_failed";
                    message: string;
                };
            };
        };
        /** @description The notification could not be stored */
        Rejected503: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @enum {string} */
                    code: "inbox_unavailable" | "inbox_misconfigured";
                    message: string;
                };
            };
        };
    };
    parameters: {
        /** @description Unique per request. */
        RequestId: string;
        /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
        Signature: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    requestToken: {
        parameters: {
            query?: {
                /** @description Of the refresh grant, which takes it here and not in the form. */
                refresh_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["ClientCredentialsGrant"] | components["schemas"]["AuthorizationCodeGrant"] | components["schemas"]["RefreshTokenGrant"];
            };
        };
        responses: {
            /** @description The token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            /** @description The grant is rejected */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description The client id or the client secret is wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            429: components["responses"]["TooManyRequests"];
            "5XX": components["responses"]["Failed"];
        };
    };
    hello: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token is valid. The body is not specified. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            429: components["responses"]["TooManyRequests"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header: {
                /** @description Unique per request. */
                "X-Request-Id": components["parameters"]["RequestId"];
            };
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
                    "application/json": components["schemas"]["WebhookConfiguration"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            429: components["responses"]["TooManyRequests"];
            "5XX": components["responses"]["Failed"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description Unique per request. */
                "X-Request-Id": components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfiguration"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            429: components["responses"]["TooManyRequests"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description Unique per request. */
                "X-Request-Id": components["parameters"]["RequestId"];
            };
            path: {
                webhookId: components["schemas"]["Identifier"];
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
                    "application/json": components["schemas"]["WebhookConfiguration"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            429: components["responses"]["TooManyRequests"];
            "5XX": components["responses"]["Failed"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description Unique per request. */
                "X-Request-Id": components["parameters"]["RequestId"];
            };
            path: {
                webhookId: components["schemas"]["Identifier"];
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
                    "application/json": components["schemas"]["WebhookConfiguration"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            429: components["responses"]["TooManyRequests"];
            "5XX": components["responses"]["Failed"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description Unique per request. */
                "X-Request-Id": components["parameters"]["RequestId"];
            };
            path: {
                webhookId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookConfiguration"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            421: components["responses"]["ForeignHost"];
            429: components["responses"]["TooManyRequests"];
            "5XX": components["responses"]["Failed"];
        };
    };
    onAccountStatusUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "ACCOUNT_STATUS_UPDATED";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: string | components["schemas"]["AccountData"];
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onOutboundPaymentStatusUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "OUTBOUND_PAYMENT_STATUS_UPDATED";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: string | components["schemas"]["PaymentData"];
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onInboundPaymentStatusUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "INBOUND_PAYMENT_STATUS_UPDATED";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: string | components["schemas"]["PaymentData"];
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onOutboundInvoiceStatusUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "OUTBOUND_INVOICE_STATUS_UPDATED";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: string | components["schemas"]["InvoiceData"];
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onInboundInvoiceStatusUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "INBOUND_INVOICE_STATUS_UPDATED";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: string | components["schemas"]["InvoiceData"];
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onVbaAccountStatusUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "VBA_ACCOUNT_STATUS_UPDATED";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: unknown;
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onVbaTransaction: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "VBA_TRANSACTION";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: unknown;
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onVirtualCardApplicationStatusUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "VIRTUAL_CARD_APPLICATION_STATUS_UPDATED";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: unknown;
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onVirtualCardBalanceUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "VIRTUAL_CARD_BALANCE_UPDATED";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: unknown;
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onVirtualCardTransaction: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "VIRTUAL_CARD_TRANSACTION";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: unknown;
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
    onPaymentStatusUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body. */
                "ACCESS-SIGNATURE": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "PAYMENT_STATUS_UPDATED";
                    /** @description A string that holds JSON, as specified. Some senders send the object itself. */
                    data: string | components["schemas"]["PaymentData"];
                };
            };
        };
        responses: {
            /** @description It was handled or stored, and is not sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
            400: components["responses"]["Rejected400"];
            401: components["responses"]["Rejected401"];
            405: components["responses"]["Rejected405"];
            413: components["responses"]["Rejected413"];
            415: components["responses"]["Rejected415"];
            500: components["responses"]["Rejected500"];
            503: components["responses"]["Rejected503"];
        };
    };
}
