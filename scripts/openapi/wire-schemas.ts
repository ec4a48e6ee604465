// The zod schemas of the wire, as JSON Schema.

import * as z from 'zod/mini'
import { tokenResponseSchema } from '../../src/client/tokens/grants.ts'
import { configurationSchema } from '../../src/client/webhooks/webhook-configuration.ts'
import { accountDataSchema } from '../../src/events/account-data.ts'
import { amountSchema, decimalSchema } from '../../src/events/amount.ts'
import { identifierSchema } from '../../src/events/identifier.ts'
import { dateSchema, invoiceDataSchema } from '../../src/events/invoice-data.ts'
import {
  paymentDataSchema,
  refundTransactionSchema,
  transactionSchema,
} from '../../src/events/payment-data.ts'
import type { Schema, TypeSchemas } from './type-schemas.ts'

const SCHEMAS: Readonly<Record<string, z.core.$ZodType>> = {
  Identifier: identifierSchema,
  Decimal: decimalSchema,
  Amount: amountSchema,
  Transaction: transactionSchema,
  RefundTransaction: refundTransactionSchema,
  AccountData: accountDataSchema,
  PaymentData: paymentDataSchema,
  InvoiceData: invoiceDataSchema,
  WebhookConfiguration: configurationSchema,
  TokenResponse: tokenResponseSchema,
}

/** What their code checks and JSON Schema cannot see. */
const REFINED = new Map<z.core.$ZodType, Schema>([
  [
    identifierSchema,
    {
      description:
        'A 64-bit integer, or its decimal digits as a string. In languages whose numbers are doubles, read it as text: beyond 2^53 its last digits are lost.',
      anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]+$' }],
    },
  ],
  [
    decimalSchema,
    {
      description: 'A decimal number, or its text. Do not read it as a double.',
      anyOf: [
        { type: 'number' },
        { type: 'string', pattern: '^-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$' },
      ],
    },
  ],
  [
    dateSchema,
    {
      anyOf: [
        { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.,]+(?:Z|[+-][0-9:]+)?)?$' },
        { type: 'number' },
      ],
    },
  ],
])

const IDENTIFIED_OR_EMPTY: Schema = {
  if: { maxProperties: 0 },
  // Without its property, the lint of documents takes the name for a misspelled one.
  else: { properties: { id: {} }, required: ['id'] },
}

/** The modules of the types whose doc comments describe the schemas. */
export const WIRE_TYPES = [
  ...['account-data', 'amount', 'invoice-data', 'payment-data'].map((name) => `src/events/${name}.ts`),
  'src/client/tokens/grants.ts',
  'src/client/webhooks/webhook-configuration.ts',
]

/** The schemas by name, with descriptions. They describe the input: JSON as it is sent. */
export function toWireSchemas(types: TypeSchemas): Record<string, Schema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === transactionSchema || zodSchema === refundTransactionSchema)
        Object.assign(jsonSchema, IDENTIFIED_OR_EMPTY)
      const refined = REFINED.get(zodSchema)
      if (refined === undefined) return
      delete jsonSchema.type
      Object.assign(jsonSchema, refined)
    },
  })
  const found = Object.entries(schemas as Record<string, Schema>).map(([name, schema]) => {
    const { $id: _id, $schema: _schema, ...rest } = withoutOpenEnds(schema)
    return [name, rest as Schema] as const
  })
  for (const [name, schema] of found)
    if (!REFINED.has(SCHEMAS[name] as z.core.$ZodType)) types.annotate(schema, name)
  return Object.fromEntries(found)
}

/** Unknown fields are allowed in any case. Generated types would let misspelled fields pass. */
function withoutOpenEnds(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll(',"additionalProperties":{}', ''))
}
