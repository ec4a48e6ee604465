import { openInbox } from '../../../contracts/open-inbox.ts'
import { POSTGRES } from '../../../contracts/service.ts'
import { waitFor } from '../../../contracts/wait-for.ts'

/** Creates what the inboxes of a schema share. On a busy machine, that takes longer than a put may. */
export async function createSchema(schema: string): Promise<string> {
  const inbox = await openInbox({ engine: 'pg-boss', connectionString: POSTGRES.href, schema })
  await waitFor(() => inbox.counts().catch(() => undefined))
  await inbox.close()
  return schema
}
