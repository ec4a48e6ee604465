import type { Command } from 'commander'
import { Failure } from '../errors.ts'
import { untilInterrupted } from '../interruption.ts'
import { silenceSqliteWarning } from '../open-inbox.ts'
import { printText } from '../output.ts'

export function addDemo(program: Command): void {
  program
    .command('demo')
    .summary('See the sandbox notify an application')
    .description(
      'See the sandbox notify an application. The application has an inbox, and handles notifications that are out of order, repeated, forged or cut off, one of a payment at a time. Then Enter sends another payment.',
    )
    .option('--once', 'end after that; exit code 1 if the result is unexpected')
    .action(({ once }: { once?: true }) =>
      untilInterrupted((signal) =>
        demo(once, signal).catch((error) => {
          if (!signal.aborted) throw error
        }),
      ),
    )
}

async function demo(once: true | undefined, signal: AbortSignal): Promise<void> {
  silenceSqliteWarning()
  const { runDemo } = await import('../../../examples/demo.ts')
  // Without a terminal, nobody presses Enter.
  const asExpected = await runDemo({ once: once === true || !process.stdin.isTTY, signal, say: printText })
  if (!asExpected) throw new Failure('unexpected', 'The result is not as expected.')
}
