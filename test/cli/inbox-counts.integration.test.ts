import { describe, expect, it } from 'vitest'
import { describeWithService, POSTGRES, REDIS } from '../contracts/service.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { temporaryFile } from '../support/temporary-folder.ts'
import { payhook, payhookJson } from './payhook.ts'
import { spawnedPayhook } from './payhook-process.ts'
import { describeOnEngines, TEST_INBOXES } from './test-inboxes.ts'

await describeOnEngines('payhook inbox counts', (makeInbox) => {
  it('prints how many entries are in each state', async () => {
    const { url, open } = makeInbox()
    const inbox = await open()
    await inbox.put(createSigned(1))
    const counted = await spawnedPayhook(['inbox', 'counts', url, '--json'])
    expect({ ...counted, stdout: JSON.parse(counted.stdout) }).toEqual({
      code: 0,
      stdout: { waiting: 1, active: 0, completed: 0, dead: 0 },
      stderr: '',
    })
    const { stdout } = await payhook(['inbox', 'counts', 'env:INBOX'], { env: { INBOX: url } })
    expect(stdout).toBe('waiting    1\nactive     0\ncompleted  0\ndead       0\n')
  })

  it('exits 1 without an inbox, as other commands do, and creates none', async () => {
    const { url } = makeInbox()
    const error = { code: 'inbox_misconfigured', message: expect.stringContaining('There is no ') }
    for (const [command, ...more] of [['counts'], ['resume'], ['pause', '--reason', 'x']]) {
      const outcome = await payhookJson(['inbox', command as string, url, ...more])
      expect(outcome).toEqual({ code: 1, stdout: [], stderr: [{ version: 1, error }] })
    }
  })
})

await describeWithService('payhook inbox counts on PostgreSQL', POSTGRES, () => {
  it('names the schema parameter if only the schema is missing', async () => {
    const outcome = await payhook(['inbox', 'counts', TEST_INBOXES.postgres().url])
    const stderr = expect.stringMatching(/There is no inbox .*\?schema=NAME\.\n$/)
    expect(outcome).toMatchObject({ code: 1, stderr })
  })
})

await describeWithService('payhook inbox counts on Redis', REDIS, () => {
  it('exits 1 for a Redis database that is not a number', async () => {
    const { code, stderr } = await spawnedPayhook(['inbox', 'counts', new URL('/shop', REDIS).href, '--json'])
    expect({ code, error: JSON.parse(stderr).error }).toMatchObject({ code: 1, error: { code: 'failed' } })
  })
})

describe('payhook inbox counts', () => {
  it('exits 1 for a file of another program', async () => {
    const file = temporaryFile('notes.txt', 'not a database')
    expect(await payhook(['inbox', 'counts', `sqlite:${file}`])).toMatchObject({ code: 1, stdout: '' })
  })

  it.each(['redis://127.0.0.1:1', 'postgres://postgres@127.0.0.1:1/test'])(
    'exits 1 if there is no server at %s',
    async (url) => {
      const stderr = expect.stringContaining('ECONNREFUSED')
      expect(await payhook(['inbox', 'counts', url])).toMatchObject({ code: 1, stderr })
    },
  )
})
