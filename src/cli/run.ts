import { CommanderError } from 'commander'
import { ApiError } from '../client-errors.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { Failure, Interrupted, isUsageError, toOwnWords } from './errors.ts'
import { endWithReader } from './interruption.ts'
import { note, noteError, setJson } from './output.ts'
import { createProgram } from './program.ts'

const MAX_SHOWN = 500

/** Runs the command line in a process of its own. */
export async function main(args: readonly string[]): Promise<void> {
  endWithReader()
  // An error that no call returns: the disk is full, or a driver throws in the background.
  process.once('uncaughtException', (error) => {
    report(error)
    process.exit()
  })
  await run(args)
  // After Ctrl-C, output would wait for a reader that does not read on, such as `less`.
  if (process.stdout.writableLength > 0 && Number(process.exitCode) > 128) process.exit()
}

/** Runs a command to its end and sets the exit code: 0, 1 for a failure, 2 for a usage error. */
export async function run(args: readonly string[]): Promise<void> {
  setJson(args.includes('--json'))
  const program = createProgram()
  program.hook('preAction', (_, command) => setJson(command.opts().json === true))
  try {
    // commander's own help does not know the commands of a group.
    const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return
    report(error)
  }
}

function report(error: unknown): void {
  // A command that was interrupted may fail for that reason.
  process.exitCode ??= toExitCode(error)
  // commander has already written the help if the command is missing.
  if (error instanceof Interrupted || (error instanceof CommanderError && error.code === 'commander.help'))
    return
  noteError(toCode(error), toMessage(error))
  if (error instanceof CommanderError) note('(add -h for help)')
}

function toExitCode(error: unknown): number {
  if (error instanceof Interrupted) return 130
  return error instanceof CommanderError || isUsageError(error) ? 2 : 1
}

function toCode(error: unknown): string {
  if (error instanceof CommanderError || isUsageError(error)) return 'usage'
  if (error instanceof Failure || isPayhookError(error)) return error.code
  return 'failed'
}

/** What the service says about a request that it rejected. */
function toResponse(error: Error): string[] {
  if (!(error instanceof ApiError) || error.code !== 'request_rejected' || error.body === undefined) return []
  return [`The response: ${JSON.stringify(error.body).slice(0, MAX_SHOWN)}`]
}

/** The message with its causes: an inbox says that its engine failed, and the engine says why. */
function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const message = error instanceof CommanderError ? error.message.replace(/^error: /, '') : toOwnWords(error)
  const causes = error instanceof AggregateError ? error.errors : [error.cause]
  const reasons = causes.filter((cause) => cause instanceof Error && !message.includes(toOwnWords(cause)))
  return [message || error.name, ...toResponse(error), ...reasons.map(toMessage)].join(' ')
}
