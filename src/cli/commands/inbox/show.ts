import { isUtf8 } from 'node:buffer'
import type { Command } from 'commander'
import { Failure } from '../../errors.ts'
import { INBOX_URL, INBOX_URLS, withInbox } from '../../open-inbox.ts'
import { print, printJson, toOneLine, toTable } from '../../output.ts'
import { describeEntry } from './list.ts'

export function addShow(inbox: Command): void {
  inbox
    .command('show')
    .summary('show an entry with its body')
    .description('Shows an entry with its body. --body prints the exact bytes and nothing else.')
    .argument('<url>', INBOX_URL)
    .argument('<id>', 'id of the entry, as list prints it')
    .option('--body', 'print the exact bytes of the body')
    .option('--json', 'print JSON, with the body as text and in Base64')
    .addHelpText(
      'after',
      `${INBOX_URLS}

Examples:
  payhook inbox show sqlite:inbox.db 17
  payhook inbox show sqlite:inbox.db 17 --body > body.json`,
    )
    .action(async (url: string, id: string, { body, json }: { body?: true; json?: true }) => {
      const entry = await withInbox(url, (opened) => opened.get(id))
      if (entry === undefined)
        throw new Failure(`There is no entry with the id ${id}.`, { code: 'entry_not_found' })
      const bytes = Buffer.from(entry.rawBody)
      const text = isUtf8(bytes) ? bytes.toString() : undefined
      if (body) process.stdout.write(bytes)
      else if (json)
        printJson({ ...describeEntry(entry), body: text ?? null, bodyBase64: bytes.toString('base64') })
      else {
        const fields = Object.entries(describeEntry(entry)).map(([name, value]) => [name, toText(value)])
        for (const line of toTable(fields)) print(line)
        print(`\n${text === undefined ? bytes.toString('base64') : toOneLine(text)}`)
      }
    })
}

function toText(value: unknown): string {
  if (value === null) return '-'
  return value instanceof Date ? value.toISOString() : toOneLine(String(value))
}
