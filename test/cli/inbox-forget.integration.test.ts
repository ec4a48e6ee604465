import { describe, expect, it } from 'vitest'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { settled } from '../contracts/settled.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { payhook, payhookJson } from './payhook.ts'
import { openSqlite } from './test-inboxes.ts'

const ACCOUNT = ['--account', '710021']
function createPaid(id: number, payerAccountId: number) {
  const data = JSON.stringify({ id, status: 'Sent', payerAccountId })
  return signedFrom(Buffer.from(JSON.stringify({ type: 'OUTBOUND_PAYMENT_STATUS_UPDATED', data })))
}

/** Two payments that are handled, one of them by the account, and another one of the account that is not. */
async function openInbox() {
  const { url, inbox } = await openSqlite()
  for (const id of [1, 2]) await inbox.put(createPaid(id, 710020 + id))
  await inbox.start(createConsumer())
  await settled(inbox, { completed: 2 })
  await inbox.stop()
  await inbox.put(createPaid(3, 710021))
  return { inbox, url }
}

describe('payhook inbox forget', () => {
  it('deletes what names the account, and keeps what was not handled yet', async () => {
    const { inbox, url } = await openInbox()
    const dry = await payhook(['inbox', 'forget', url, ...ACCOUNT, '--dry-run'])
    expect({ ...dry, stdout: dry.stdout.trimEnd().split('\n') }).toEqual({
      code: 0,
      stdout: [
        expect.stringMatching(/^kept +\S+ +waiting +OUTBOUND_PAYMENT_STATUS_UPDATED +payment:3$/),
        expect.stringMatching(/^deleted +\S+ +completed +OUTBOUND_PAYMENT_STATUS_UPDATED +payment:1$/),
      ],
      stderr: 'Nothing was deleted.\n',
    })
    expect(await inbox.counts()).toMatchObject({ waiting: 1, completed: 2 })

    const error = { code: 'entries_kept', message: expect.stringContaining('1 were not handled yet') }
    expect(await payhookJson(['inbox', 'forget', url, ...ACCOUNT, '--yes'])).toMatchObject({
      code: 1,
      stdout: [
        { version: 1, outcome: 'kept', subject: 'payment:3' },
        { version: 1, outcome: 'deleted', subject: 'payment:1' },
      ],
      stderr: [{ error }],
    })
    expect(await inbox.counts()).toMatchObject({ waiting: 1, completed: 1 })

    const all = await payhook(['inbox', 'forget', url, ...ACCOUNT, '--yes', '--waiting'])
    expect(all).toMatchObject({ code: 0, stderr: '' })
    expect((await Array.fromAsync(inbox.entries())).map(({ subject }) => subject)).toEqual(['payment:2'])
  })

  it('exits 2 unless confirmed, and deletes nothing', async () => {
    const { inbox, url } = await openInbox()
    const stderr = expect.stringContaining('Delete 1 entries that name the account 710021? Add --yes')
    expect(await payhook(['inbox', 'forget', url, ...ACCOUNT])).toEqual({ code: 2, stdout: '', stderr })
    expect(await inbox.counts()).toMatchObject({ waiting: 1, completed: 2 })
    const none = await payhook(['inbox', 'forget', url, '--account', '4'])
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No entries.\n' })
  })
})
