import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import { Failure } from '../errors.ts'
import { untilInterrupted } from '../interruption.ts'
import { silenceSqliteWarning } from '../open-inbox.ts'
import { print, printText } from '../output.ts'

export function addDemo(program: Command): void {
  addCommand(program, 'demo', {
    description:
      'See the sandbox notify an application. The application has an inbox, and handles notifications that are out of order, repeated, forged or cut off, one of a payment at a time. Then Enter sends another payment.',
    examples: ['payhook demo', 'payhook demo --once --json'],
  })
    .option('--once', 'end after that; exit code 1 if the result is unexpected')
    .action(({ once }: { once?: true }) => untilInterrupted((signal) => demo(once, signal)))
}

async function demo(once: true | undefined, signal: AbortSignal): Promise<void> {
  silenceSqliteWarning()
  const [{ runDemo }, { formatRow }] = await Promise.all([
    import('../../../examples/demo.ts'),
    import('../../../examples/outcome-table.ts'),
  ])
  const asExpected = await runDemo({
    // Without a terminal, nobody presses Enter.
    once: once === true || !process.stdin.isTTY,
    signal,
    say: printText,
    report: (row) => print(row, formatRow),
  })
  if (!asExpected) throw new Failure('unexpected', 'The result is not as expected.')
}
