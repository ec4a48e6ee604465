import { parseArgs } from 'node:util'

const USAGE = `npm start              the sandbox of a payments service, an application that it notifies, and what comes of it;
                       then it stays up, and Enter walks another payment through its statuses
npm start -- --once    ends after that; exit code 1 when something did not come out as it should
npm start -- --json    one JSON object a line in place of the text`

/** The flags of `npm start`; says how it is used, and ends, where that was asked for or is needed. */
export function readFlags(): { readonly once: boolean; readonly json: boolean } {
  const flag = { type: 'boolean', default: false } as const
  try {
    const { help, once, json } = parseArgs({
      options: { once: flag, json: flag, help: { ...flag, short: 'h' } },
    }).values
    if (!help) return { once, json }
    process.stdout.write(`${USAGE}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`)
    process.exit(2)
  }
}
