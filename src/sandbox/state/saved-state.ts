import * as z from 'zod/mini'
import { EVENT_KINDS } from '../../events/kinds.ts'
import { APPLICATION, USERS } from './accounts.ts'
import { isCallbackUrl } from './is-callback-url.ts'

const id = z.int().check(z.positive())
const accountId = z.enum([APPLICATION, ...USERS].map((holder) => holder.accountId))
const configuration = z.object({
  id: z.string().check(z.regex(/^[1-9]\d{0,14}$/)),
  accountId,
  event: z.enum(EVENT_KINDS),
  callbackUrl: z.string().check(z.refine(isCallbackUrl)),
  status: z.enum(['Active', 'Inactive']),
})
const configurations = z
  .object({ nextId: id, all: z.array(configuration) })
  .check(z.refine(({ nextId, all }) => all.every((one) => Number(one.id) < nextId)))
const token = z.object({ accessToken: z.string(), refreshToken: z.string(), expiresAt: z.int() })
const family = z.object({ userId: z.string(), accountId, revoked: z.boolean(), tokens: z.array(token) })

export const savedState = z.object({
  version: z.literal(1),
  configurations,
  tokens: z.array(family),
  ids: z.record(z.string(), id),
})

export type SavedState = z.infer<typeof savedState>
