import { isUtf8 } from 'node:buffer'
import type { Command } from 'commander'
import { Failure } from '../../errors.ts'
import { formatBody } from '../../format-body.ts'
import { addInboxCommand, withoutBody } from '../../inbox-command.ts'
import { withInbox } from '../../open-inbox.ts'
import { print } from '../../output.ts'
import { toFields } from '../../table.ts'

export function addShow(inbox: Command): void {
  addInboxCommand(inbox, 'show', {
    description: 'Show an entry with its body.',
    examples: [
      'payhook inbox show sqlite:inbox.db 17',
      'payhook inbox show sqlite:inbox.db 17 --body > body.json',
    ],
    json: 'print JSON, with the body as text and in Base64',
  })
    .argument('<id>', 'id of the entry, as list prints it')
    .option('--body', 'print the exact bytes of the body and nothing else')
    .action(async (url: string, id: string, { body }: { body?: true }) => {
      const entry = await withInbox(url, (opened) => opened.get(id))
      if (entry === undefined) throw new Failure('entry_not_found', `There is no entry with the id ${id}.`)
      const bytes = Buffer.from(entry.rawBody)
      if (body) return void process.stdout.write(bytes)
      const described = withoutBody(entry)
      const text = isUtf8(bytes) ? bytes.toString() : null
      print({ ...described, body: text, bodyBase64: bytes.toString('base64') }, ({ error }) => [
        ...toFields({ ...described, error: error?.split('\n', 1)[0] }),
        ...(error?.includes('\n') ? ['\n\n', error] : []),
        '\n\n',
        formatBody(bytes),
      ])
    })
}
