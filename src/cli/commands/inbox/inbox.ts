import type { Command } from 'commander'
import { addCommand, addGroup } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { print } from '../../output.ts'
import { addDelete } from './delete.ts'
import { addEntries } from './entries.ts'
import { addForget } from './forget.ts'
import { addHealth } from './health.ts'
import { addMove } from './move.ts'
import { addPause } from './pause.ts'
import { addRecheck } from './recheck.ts'
import { addReconcile } from './reconcile.ts'
import { addReplay } from './replay.ts'

export function addInbox(program: Command): void {
  const description = 'Read and repair an inbox, even while the application is using it.'
  const inbox = addGroup(program, 'inbox', description)
  addHealth(inbox)
  addEntries(inbox)
  addReplay(inbox)
  addDelete(inbox)
  addPause(inbox)
  addForget(inbox)
  addMove(inbox)
  addReconcile(inbox)
  addRecheck(inbox)
  addSchema(inbox)
}

function addSchema(inbox: Command): void {
  addCommand(inbox, 'schema', {
    description:
      'Print the SQL that creates an inbox in PostgreSQL, for a role that may not create anything itself.',
    examples: [
      'payhook inbox schema --role app | psql postgres://owner@127.0.0.1/shop',
      'payhook inbox schema --schema payments > migrations/017-payhook.sql',
    ],
    json: 'print JSON, with the statements as one text',
  })
    .option('--schema <name>', 'name of the schema', 'payhook')
    .option('--role <name>', 'role of the application, which gets the rights that it needs')
    .action(async ({ schema, role }: { schema: string; role?: string }) => {
      const { printSchema, SCHEMA_NAME } = await import('../../../../adapters/inbox/postgres/migrations.ts')
      if (!SCHEMA_NAME.test(schema)) throw new UsageError(`${schema} is not the name of a schema`)
      print({ sql: printSchema(schema, role) }, ({ sql }) => [sql])
    })
}
