import { expect, it } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import { createEntry } from '../contracts/create-entry.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { payhook, payhookJson } from './payhook.ts'
import { openSqlite } from './test-inboxes.ts'

it('payhook inbox replay replays what the filters match, at a rate', async () => {
  const { url, inbox } = await openSqlite()
  const dead = ['Error: connect ECONNREFUSED', 'Error: connect ECONNREFUSED', 'Error: other'].map(
    (error, index) => {
      const signed = createSigned(index, index === 0 ? 'INVOICE_STATUS_UPDATED' : undefined)
      return createEntry(`${index}`, 'dead', signed, { error })
    },
  )
  await engineOf(inbox).import(dead)
  const replay = async (...args: string[]) => {
    const { code, stdout } = await payhookJson(['inbox', 'replay', url, ...args])
    return { code, ...stdout[0] }
  }
  const found = async (...args: string[]) => (await replay(...args, '--dry-run')).replayed
  expect(await found('--all')).toBe(3)
  expect(await found('--state', 'completed')).toBe(0)
  expect(await found('--kind', 'INVOICE_STATUS_UPDATED')).toBe(1)
  expect(await found('--subject', 'payment:2')).toBe(1)
  expect(await found('--error', 'ECONNREFUSED', '--since', '1h')).toBe(2)
  expect(await found('--until', '1h')).toBe(0)
  expect(await found('--until', '2030-01-02T03:04Z')).toBe(3)
  expect(await found('--since', '2030-01-02T03:04:05.678+01:00')).toBe(0)
  expect(await inbox.counts()).toMatchObject({ waiting: 0, dead: 3 })

  const two = { code: 0, version: 1, dryRun: false, replayed: 2 }
  expect(await replay('--error', 'ECONNREFUSED', '--rate', '4/h')).toEqual(two)
  const times = (await inbox.list({ state: 'waiting' })).map(({ dueAt }) => Number(dueAt)).sort()
  // A quarter of an hour, and a tenth.
  expect(Number(times[1]) - Number(times[0])).toBe(990_000)
  const text = async (...args: string[]) => (await payhook(['inbox', 'replay', url, ...args])).stdout
  expect(await text('--all', '--dry-run')).toBe('1 would be replayed\n')
  expect(await text('--all')).toBe('1 replayed\n')
})

it('payhook inbox replay leaves what is completed, unless the state is given', async () => {
  const { url, inbox } = await openSqlite()
  await engineOf(inbox).import([
    createEntry('0', 'completed', createSigned(0)),
    createEntry('1', 'dead', createSigned(1)),
  ])
  const idOf = async (state: 'completed' | 'dead') => String((await inbox.list({ state }))[0]?.id)
  const [done, dead] = [await idOf('completed'), await idOf('dead')]

  const first = await payhook(['inbox', 'replay', url, done, dead])
  expect(first).toMatchObject({ code: 1, stdout: '1 replayed\n' })
  expect(first.stderr).toContain(`not replayed: ${done}. To have`)
  expect(await inbox.counts()).toMatchObject({ waiting: 1, completed: 1, dead: 0 })
  expect((await payhookJson(['inbox', 'replay', url, done])).stderr).toMatchObject([
    { error: { code: 'entry_completed' } },
  ])

  const again = ['inbox', 'replay', url, done, '--state', 'completed']
  expect((await payhook([...again, '--since', '1h'])).code).toBe(2)
  expect(await payhook(again)).toMatchObject({ code: 0, stdout: '1 replayed\n' })
  expect(await inbox.counts()).toMatchObject({ waiting: 2, completed: 0 })
})
