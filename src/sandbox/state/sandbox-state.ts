import * as z from 'zod/mini'

const configuration = z.object({
  id: z.string(),
  accountId: z.string(),
  event: z.string(),
  callbackUrl: z.string(),
  status: z.enum(['Active', 'Inactive']),
})
const token = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresAt: z.number(),
  family: z.number(),
  canAccess: z.boolean(),
  canRefresh: z.boolean(),
})
const family = z.object({ userId: z.string(), accountId: z.string(), revoked: z.boolean() })
/** The schema of {@link SandboxState}. */
export const sandboxState = z.object({
  version: z.literal(1),
  configurations: z.object({ nextId: z.number(), all: z.array(configuration) }),
  tokens: z.object({ families: z.array(family), all: z.array(token) }),
  ids: z.record(z.string(), z.number()),
})

/** Registrations, tokens and counters, as a file keeps them. */
export type SandboxState = z.infer<typeof sandboxState>
