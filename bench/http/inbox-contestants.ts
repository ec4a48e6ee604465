import type { HttpContestant } from './contestants.ts'

const nodeHttp = () => import('./servers/node-http.ts')
const withInbox = () => import('./servers/node-http-inbox.ts')

/** In the order of the table. The others are compared with the first. */
export const inboxHttpContestants: readonly HttpContestant[] = [
  { name: 'payhook without an inbox', scheme: 'floor', create: async () => (await nodeHttp()).payhook() },
  {
    name: 'node:sqlite as its inbox, a transaction each',
    scheme: 'floor',
    create: async () => (await withInbox()).handWritten('one each'),
  },
  {
    name: 'node:sqlite as its inbox, a transaction a turn',
    scheme: 'floor',
    create: async () => (await withInbox()).handWritten('one a turn'),
  },
  {
    name: 'payhook with its SQLite inbox',
    scheme: 'floor',
    target: 0.45,
    create: async () => (await withInbox()).payhook(false),
  },
  {
    name: 'payhook with its SQLite inbox and handling',
    scheme: 'floor',
    create: async () => (await withInbox()).payhook(true),
  },
]
