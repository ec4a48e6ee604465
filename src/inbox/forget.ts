import { readIdentifier, toIdentifier } from '../events/identifier.ts'
import { subjectTypeOf } from '../events/kinds.ts'
import { readData, tryRead } from '../events/read-envelope.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { type Checks, callback, checkOptions, flag, option, optional } from '../option-checks.ts'
import type { ForgetOptions, ForgetOutcome, Inbox, InboxEntry } from './inbox.ts'

const FORGET_OPTIONS = {
  accountId: option<string>(
    'an account id, a string of decimal digits',
    (id) => typeof id === 'string' && toIdentifier(id, id) !== undefined,
  ),
  waiting: flag(false),
  dryRun: flag(false),
  onEntry: optional(callback<NonNullable<ForgetOptions['onEntry']>>()),
} satisfies Checks<ForgetOptions>

/** What names an account: the payer, the payee and, if it is about the account itself, also its id. */
const FIELDS = ['payerAccountId', 'payeeAccountId']

/** Again and again, as entries begin while those that wait are read, and fail before those that begin are. */
const ORDER = ['active', 'waiting', 'active', 'waiting', 'active', 'dead', 'completed'] as const

/** Deletes the entries that name an account. Works through the public interface of an inbox. */
export async function forget(
  inbox: Pick<Inbox, 'entries' | 'delete'>,
  options: ForgetOptions,
): Promise<Record<ForgetOutcome, number>> {
  const { accountId, waiting, dryRun, onEntry } = checkOptions('forget', options, FORGET_OPTIONS)
  // By id, as an entry may come twice.
  const outcomes = new Map<string, ForgetOutcome>()
  for (const state of ORDER) {
    for await (const entry of inbox.entries({ state })) {
      const outcome = await outcomeOf(entry)
      if (outcome === undefined || outcomes.get(entry.id) === outcome) continue
      outcomes.set(entry.id, outcome)
      await onEntry?.(entry, outcome)
    }
  }
  const count = (wanted: ForgetOutcome) => [...outcomes.values()].filter((each) => each === wanted).length
  return { deleted: count('deleted'), kept: count('kept'), unreadable: count('unreadable') }

  async function outcomeOf({ id, state, rawBody }: InboxEntry): Promise<ForgetOutcome | undefined> {
    const isNamed = tryRead(rawBody, (envelope) => {
      const data = readData(envelope)
      const fields = subjectTypeOf(envelope.kind) === 'account' ? [...FIELDS, 'id'] : FIELDS
      return fields.some((name) => readIdentifier(data, name) === accountId)
    })
    if (isNamed === undefined) return 'unreadable'
    if (!isNamed) return undefined
    if (state === 'active' || (state === 'waiting' && !waiting)) return 'kept'
    return dryRun || (await isGone(inbox, id)) ? 'deleted' : 'kept'
  }
}

/** Deletes an entry, unless a process has begun to handle it meanwhile. */
async function isGone(inbox: Pick<Inbox, 'delete'>, id: string): Promise<boolean> {
  try {
    await inbox.delete(id)
    return true
  } catch (error) {
    if (!isPayhookError(error)) throw error
    if (error.code === 'entry_not_found') return true
    if (error.code === 'entry_active') return false
    throw error
  }
}
