import { createInterface } from 'node:readline/promises'
import { Failure, Interrupted, UsageError } from './errors.ts'
import { isJsonOutput, render } from './output.ts'

/**
 * @param yes whether `--yes` was given, so that nothing is asked
 * @throws UsageError without a terminal or with `--json`; Failure unless the user agrees; Interrupted on
 *   Ctrl-C
 */
export async function confirm(question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return
  const { stdin: input, stderr: output } = process
  if (!input.isTTY || !output.isTTY || isJsonOutput())
    throw new UsageError(`${question} Add --yes to confirm without a terminal.`)
  const readline = createInterface({ input, output })
  const stop = new AbortController()
  readline.once('close', () => stop.abort())
  try {
    const typed = await readline.question(`${render(question, output)} [y/N] `, { signal: stop.signal })
    if (/^y(?:es)?$/i.test(typed.trim())) return
  } catch (cause) {
    throw new Interrupted('interrupted', { cause })
  } finally {
    readline.close()
  }
  throw new Failure('declined', 'Nothing was changed.')
}
