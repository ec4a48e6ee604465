import { stat } from 'node:fs/promises'
import nodeModule, { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { withoutSecrets } from '../client/http/shown-url.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { InboxOptions } from '../inbox/inbox-options.ts'
import { addCommand, type CommandHelp } from './command.ts'
import { Failure, UsageError } from './errors.ts'
import { suggest } from './warn-unknown.ts'

const URLS = `
URLs of inboxes:
  sqlite:inbox.db
  redis://127.0.0.1:6379?queue=payhook&prefix=bull
  postgres://user@127.0.0.1/shop?schema=payhook
`

interface InboxCommandHelp<Args extends unknown[]> extends CommandHelp {
  run(inbox: Inbox, ...args: Args): Promise<void>
}

/** Adds a command that opens the inbox of its first argument, and closes it at the end. */
export function addInboxCommand<Args extends unknown[]>(
  inbox: Command,
  name: string,
  { run, ...help }: InboxCommandHelp<Args>,
): Command {
  return addUrlCommand(inbox, name, help).action((url: string, ...args: Args) =>
    withInbox(url, (opened) => run(opened, ...args)),
  )
}

export function addUrlCommand(inbox: Command, name: string, help: CommandHelp): Command {
  const description = 'URL of an inbox, or env:NAME for a variable that contains it'
  return addCommand(inbox, name, { ...help, notes: URLS }).argument('<url>', description)
}

/**
 * Opening an inbox changes nothing.
 *
 * @param own options of the inbox. By default, a duplicate is only detected by an inbox that may be created
 * @throws UsageError if no engine has such a URL; Failure if the engine is not installed; InboxError, here or
 *   at the first call, if the inbox does not exist
 */
export async function openInbox(
  given: string,
  create = false,
  own: InboxOptions = create ? {} : { dedupeSeconds: 0 },
): Promise<Inbox> {
  const url = fromEnvironment(given)
  const options = { create, ...own }
  const engine = /^(?:sqlite|rediss?|postgres(?:ql)?)(?=:)/.exec(url)?.[0]
  if (engine === 'sqlite') {
    silenceSqliteWarning()
    const { createSqliteInbox } = await import('../../adapters/inbox/sqlite/sqlite-inbox.ts')
    return createSqliteInbox({ path: toPath(url), ...options })
  }
  if (engine === undefined || !URL.canParse(url)) {
    const examples = 'sqlite:inbox.db, redis://… or postgres://…'
    const nearest = suggest(url.split(':', 1)[0] ?? '', ['sqlite', 'redis', 'rediss', 'postgres'])
    // Not only where errors are printed: a password may have a space or a quote.
    const shown = withoutSecrets(given)
    throw new UsageError(`${shown} is not the URL of an inbox. Give one such as ${examples}${nearest}`)
  }
  const address = new URL(url)
  // The engines do not know payhook's own parameters.
  const [queueName, prefix, schema] = ['queue', 'prefix', 'schema'].map((name) => {
    const value = address.searchParams.get(name) ?? undefined
    address.searchParams.delete(name)
    return value
  })
  resolveFromProject()
  if (engine.startsWith('redis')) {
    const load = import('../../adapters/inbox/bullmq/bullmq-inbox.ts')
    const { createBullmqInbox } = await load.catch(explainMissing('bullmq', 'ioredis'))
    return createBullmqInbox({ connection: address.href, queueName, prefix, ...options })
  }
  const load = import('../../adapters/inbox/postgres/postgres-inbox.ts')
  const { createPostgresInbox } = await load.catch(explainMissing('pg'))
  return createPostgresInbox({ connectionString: address.href, schema, ...options })
}

export async function withInbox<Result>(
  url: string,
  use: (inbox: Inbox) => Promise<Result>,
  options?: InboxOptions,
): Promise<Result> {
  const inbox = await openInbox(url, false, options)
  try {
    return await use(inbox)
  } finally {
    await inbox.close()
  }
}

/** Whether another process has the file of a SQLite inbox open: the last one to close it deletes its log. */
export async function isOpenElsewhere(given: string): Promise<boolean> {
  const url = fromEnvironment(given)
  if (!url.startsWith('sqlite:')) return false
  return (await stat(`${toPath(url)}-wal`).catch(() => undefined)) !== undefined
}

function toPath(url: string): string {
  return url.replace(/^sqlite:(?:\/\/)?/, '')
}

/** The URL may contain a password, which other users of the machine could read on the command line. */
function fromEnvironment(given: string): string {
  if (!given.startsWith('env:')) return given
  const name = given.slice('env:'.length)
  const url = process.env[name]
  if (!url) throw new UsageError(`${name} is not set in the environment.`)
  return url
}

function explainMissing(...packages: string[]): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause
    const { peerDependencies } = createRequire(import.meta.url)('payhook/package.json')
    const versions = packages.map((name) => `'${name}@${peerDependencies[name]}'`).join(' ')
    const message = `This inbox needs ${packages.join(' and ')}. Install here: npm install ${versions}`
    throw new Failure('engine_missing', message)
  }
}

/** Finds the engines in the project if `npx` has installed payhook elsewhere. Needs Node 22.15. */
function resolveFromProject(): void {
  const parentURL = pathToFileURL(join(process.cwd(), 'package.json')).href
  nodeModule.registerHooks?.({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context)
      } catch (error) {
        if (!['bullmq', 'ioredis', 'pg'].includes(specifier)) throw error
        return next(specifier, { ...context, parentURL })
      }
    },
  })
}

/** Hides the warning of Node 22 that its SQLite may change, which does not concern users of payhook. */
export function silenceSqliteWarning(): void {
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature'))
      emitWarning.call(process, warning, ...rest)
  }
}
