import type { Command } from 'commander'
import { Failure } from '../errors.ts'
import { untilInterrupted } from '../interruption.ts'
import { silenceSqliteWarning } from '../open-inbox.ts'
import { print, printJson } from '../output.ts'

interface DemoCommandOptions {
  readonly once?: boolean
  readonly json?: true
}

export function addDemo(program: Command): void {
  program
    .command('demo')
    .summary('see the sandbox notify an application')
    .description(
      'Starts a sandbox and an application with an inbox, and shows how the application handles notifications that are out of order, repeated, forged or cut off. Then Enter sends another payment.',
    )
    .option('--once', 'end after that; exit code 1 if the result is unexpected')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExamples:\n  payhook demo\n  payhook demo --once --json')
    .action((options: DemoCommandOptions) => untilInterrupted((signal) => demo(options, signal)))
}

async function demo({ once = false, json }: DemoCommandOptions, signal: AbortSignal): Promise<void> {
  silenceSqliteWarning()
  const [{ runDemo }, { formatRow }] = await Promise.all([
    import('../../../examples/demo.ts'),
    import('../../../examples/outcome-table.ts'),
  ])
  const asExpected = await runDemo({
    once,
    signal,
    say: (text) => (json ? undefined : print(text)),
    report: (row) => (json ? printJson(row) : print(formatRow(row))),
  })
  if (!asExpected) throw new Failure('The result is not as expected.', { code: 'unexpected' })
}
