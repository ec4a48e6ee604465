import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createLocks } from '../../create-locks.ts'
import { replaceFile } from '../../replace-file.ts'
import type { SandboxCore } from '../sandbox-core.ts'
import { toOAuthClient } from '../service/oauth-model.ts'
import { type SandboxState, sandboxState } from './sandbox-state.ts'

type Parts = Pick<SandboxCore, 'tokens' | 'configurations' | 'ids' | 'options'>

/** A file that keeps the state of a sandbox, so that it survives a restart. */
export class StateFile {
  readonly #path: string
  readonly #parts: Parts
  #written: string
  readonly #inTurn = createLocks()

  /**
   * Reads the file, if there is one, and locks it.
   *
   * @throws TypeError if it is not the state of a sandbox, or another sandbox uses it
   * @throws the system's error if it cannot be read or its folder is not writable
   */
  constructor(path: string, parts: Parts) {
    this.#path = unlessMissing(() => realpathSync(path)) ?? path
    this.#parts = parts
    lock(this.#path)
    try {
      this.#written = unlessMissing(() => readFileSync(this.#path, 'utf8')) ?? ''
      if (this.#written !== '') restore(this.#written, path, parts)
    } catch (error) {
      this.unlock()
      throw error
    }
  }

  /** Writes the state if it has changed; resolves when it is in the file. */
  async save(): Promise<void> {
    await this.#inTurn('write', () => this.#write())
  }

  /** Lets another sandbox use the file. */
  unlock(): void {
    rmSync(`${this.#path}.lock`, { force: true })
  }

  async #write(): Promise<void> {
    const { configurations, tokens, ids } = this.#parts
    const text = JSON.stringify({
      version: 1,
      configurations: configurations.state,
      tokens: tokens.state,
      ids: ids.state,
    } satisfies SandboxState)
    if (text === this.#written) return
    await replaceFile(this.#path, text)
    this.#written = text
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

function restore(text: string, path: string, { configurations, tokens, ids, options }: Parts): void {
  let state: SandboxState
  try {
    state = sandboxState.parse(JSON.parse(text))
  } catch {
    throw new TypeError(`"stateFile" option: ${path} is not the state of a sandbox. Delete it to start anew`)
  }
  configurations.restore(state.configurations)
  tokens.restore(state.tokens, toOAuthClient(options))
  ids.restore(state.ids)
}
