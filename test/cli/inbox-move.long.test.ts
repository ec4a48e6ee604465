import { expect, it } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import { describeWithService } from '../contracts/service.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { COUNT, ENTRIES, PAIRS, readAll, total } from './move-entries.ts'
import { payhook } from './payhook.ts'
import { spawnPayhook } from './payhook-process.ts'
import { SERVERS, TEST_INBOXES } from './test-inboxes.ts'

for (const [from, to] of PAIRS) {
  const servers = [...SERVERS[from], ...SERVERS[to]]
  await describeWithService(`payhook inbox move from ${from} to ${to}`, servers, () => {
    it('moves all entries, each once, though it is killed on the way', async () => {
      const [source, target] = [TEST_INBOXES[from](), TEST_INBOXES[to]()]
      const opened = await source.open()
      await engineOf(opened).import(ENTRIES)
      const before = await readAll(opened)
      expect(before).toHaveLength(COUNT)

      const killed = spawnPayhook(['inbox', 'move', source.url, target.url])
      await waitFor(async () => total(await opened.counts()) < COUNT || killed.child.exitCode !== null)
      await killed.stop('SIGKILL')

      const { code, stdout } = await payhook(['inbox', 'move', source.url, target.url, '--json'])
      expect({ code, result: JSON.parse(stdout) }).toMatchObject({
        code: 0,
        result: { version: 1, finished: true },
      })
      expect(await readAll(await target.open())).toEqual(before)
      expect(total(await opened.counts())).toBe(0)
    })
  })
}
