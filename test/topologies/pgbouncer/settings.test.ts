import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { useDatabase } from '../../adapters/inbox/postgres/database.ts'
import { createConsumer } from '../../contracts/recording-consumer.ts'
import { createSigned } from '../../contracts/signed-notification.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { describeWithPgbouncer, type PgbouncerOptions, startPgbouncer } from './pgbouncer.ts'

await describeWithPgbouncer('an inbox through PgBouncer', () => {
  const { schema, open } = useDatabase()

  async function withPgbouncer(settings: PgbouncerOptions['settings'], use: (url: URL) => Promise<void>) {
    const { url, close } = await startPgbouncer({ settings })
    await use(url)
    await close()
  }

  it.each(['transaction', 'session'])('creates its schema, stores and handles in %s mode', (pool_mode) =>
    withPgbouncer({ pool_mode }, async (url) => {
      const inbox = open({ connectionString: url.href, schema: `${schema}_${pool_mode[0]}` })
      expect(await inbox.put(createSigned(1))).toBe('stored')
      const consumer = createConsumer()
      await inbox.start(consumer)
      await waitFor(async () => (await inbox.counts()).completed === 1)
      expect(consumer.failures).toEqual([])
      await inbox.close()
    }),
  )

  it('starts with the settings of the documentation', async () => {
    const page = readFileSync(new URL('../../../docs/postgres.md', import.meta.url), 'utf8')
    const settings = [...page.matchAll(/^(\w+) = (.+)$/gm)].map(([, name, value]) => [name, value])
    expect(settings).toContainEqual(['pool_mode', 'transaction'])
    await withPgbouncer(Object.fromEntries(settings), async (url) => {
      const inbox = open({ connectionString: url.href, schema: `${schema}_d` })
      expect(await inbox.put(createSigned(1))).toBe('stored')
    })
  })

  it('rejects statement mode', () =>
    withPgbouncer({ pool_mode: 'statement' }, async (url) => {
      const rejected = {
        code: 'inbox_misconfigured',
        message:
          'PgBouncer rejected the connection: transaction blocks not allowed in statement pooling mode. Use the settings in docs/postgres.md, or connect to PostgreSQL directly.',
      }
      const inbox = open({ connectionString: url.href })
      await expect(inbox.put(createSigned(1))).rejects.toMatchObject(rejected)
      await expect(inbox.start(createConsumer())).rejects.toMatchObject(rejected)
      await inbox.close()
    }))

  it.each(['options=-c%20statement_timeout%3D1s', 'statement_timeout=1000'])(
    'rejects a URL with %s, unless PgBouncer ignores it',
    async (parameter) => {
      const [name = ''] = parameter.split('=')
      const put = async (url: URL) =>
        await open({ connectionString: `${url.href}?${parameter}` }).put(createSigned(parameter))
      await withPgbouncer({}, (url) =>
        expect(put(url)).rejects.toMatchObject({
          code: 'inbox_misconfigured',
          message: expect.stringMatching(
            `^PgBouncer rejected .* parameter.* ${name}.* docs/postgres.md, or connect`,
          ),
        }),
      )
      await withPgbouncer({ ignore_startup_parameters: name }, async (url) => {
        expect(await put(url)).toBe('stored')
      })
    },
  )
})
