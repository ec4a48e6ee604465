/** The exports of each subpath. Removing one is a breaking change. */
export const EXPORTS: Record<string, string[]> = {
  payhook: [
    'EVENT_KINDS HandlingError InboxError InvoiceStatus NonRetriableError PayhookError PayloadError PaymentStatus RequestError',
    'RetryAfterError SignatureError',
    'accountDataSchema amountSchema compareDecimals createReceiver decimalSchema identifierSchema invoiceDataSchema isPayhookError',
    'parse paymentDataSchema paymentStatusLabel reconcile refundTransactionSchema sign toMinorUnits transactionSchema verify verifyAndParse',
    'withCallbackToken',
  ],
  'payhook/express': ['receiveWebhooks verifyWebhook'],
  'payhook/koa': ['receiveWebhooks verifyWebhook'],
  'payhook/node': ['receiveWebhooks verifyWebhook'],
  'payhook/fetch': ['receiveWebhooks verifyWebhook'],
  'payhook/lambda': ['receiveWebhooks verifyWebhook'],
  'payhook/fastify': ['receiveWebhooks verifyWebhook'],
  'payhook/sqlite': ['createSqliteInbox'],
  'payhook/client': [
    'ApiError NetworkError TokenError createClient createFileTokenStore createMemoryTokenStore formatSyncResult',
    'isPayhookError',
  ],
  'payhook/sandbox': ['createSandbox'],
  'payhook/console': ['createConsole toNodeListener'],
  'payhook/testing': ['checkReceiver createNotification handled sampleData'],
}

/** Subpaths that import their peer. */
export const ENGINE_EXPORTS: Record<string, string[]> = {
  'payhook/bullmq': ['createBullmqInbox'],
  'payhook/postgres': ['createPostgresInbox'],
  'payhook/opentelemetry': ['instrument'],
}
