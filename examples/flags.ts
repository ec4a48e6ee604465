import { parseArgs } from 'node:util'

const USAGE = `npm start              starts a sandbox and an application, sends notifications and shows what happens, then keeps
                       running: Enter sends the notifications of another payment
npm start -- --once    ends after the first notifications, with exit code 1 if a result is not as expected
npm start -- --json    prints one JSON object per line instead of text`

/** Reads the flags of `npm start`. Prints the usage and exits for `--help` or an unknown flag. */
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
