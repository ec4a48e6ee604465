import { readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createLocks } from '../../create-locks.ts'
import { replaceFile } from '../../replace-file.ts'
import type { SandboxState } from './sandbox-state.ts'
import { type SavedState, savedState } from './saved-state.ts'

export type StateFile = ReturnType<typeof openStateFile>

/** Reads a file that keeps the state of a sandbox, if there is one, and locks it. */
export function openStateFile(path: string, state: SandboxState) {
  const target = unlessMissing(() => realpathSync(path)) ?? path
  // A pipe would never be read to its end, and a device such as /dev/null would be replaced.
  if (unlessMissing(() => statSync(target))?.isFile() === false)
    throw new TypeError(`"stateFile" option: ${path} is not a file`)
  const unlock = () => rmSync(`${target}.lock`, { force: true })
  const inTurn = createLocks()
  let written = ''
  lock(target)
  try {
    written = unlessMissing(() => readFileSync(target, 'utf8')) ?? ''
    if (written !== '') restore(written, path, state)
  } catch (error) {
    unlock()
    throw error
  }
  const write = async () => {
    const text = JSON.stringify({
      version: 1,
      configurations: state.configurations.state,
      tokens: state.tokens.state,
      ids: state.ids.state,
    } satisfies SavedState)
    if (text === written) return
    await replaceFile(target, text)
    written = text
  }
  return {
    /** Writes the state if it has changed; resolves when it is in the file. */
    save: () => inTurn('write', write),
    unlock,
  }
}

function lock(path: string): void {
  const lockPath = `${path}.lock`
  // A restarted container has the process ids of the one before.
  const own = `${process.pid} ${performance.timeOrigin}`
  const write = () => writeFileSync(lockPath, own, { mode: 0o600, flag: 'wx' })
  try {
    write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const holder = unlessMissing(() => readFileSync(lockPath, 'utf8')) ?? ''
    const pid = Number.parseInt(holder, 10)
    if (holder === own || (pid !== process.pid && isRunning(pid)))
      throw new TypeError(
        `"stateFile" option: ${path} is used by another sandbox. If there is none, delete ${lockPath}`,
      )
    rmSync(lockPath, { force: true })
    write()
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Also of a lock that is not yet written.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function unlessMissing<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function restore(text: string, path: string, { configurations, tokens, ids }: SandboxState): void {
  let saved: SavedState
  try {
    saved = savedState.parse(JSON.parse(text))
  } catch {
    throw new TypeError(`"stateFile" option: ${path} is not the state of a sandbox. Delete it to start anew`)
  }
  configurations.restore(saved.configurations)
  tokens.restore(saved.tokens)
  ids.restore(saved.ids)
}
