import type { Command } from 'commander'
import { addCommand } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { print } from '../../output.ts'

export function addSchema(inbox: Command): void {
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
