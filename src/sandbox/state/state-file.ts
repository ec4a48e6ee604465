import { accessSync, constants, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SandboxCore } from '../sandbox-core.ts'
import { toOAuthClient } from '../service/oauth-model.ts'
import { type SandboxState, sandboxState } from './sandbox-state.ts'

type Parts = Pick<SandboxCore, 'tokens' | 'configurations' | 'ids' | 'options'>

/** A file that has the state of a sandbox survive a restart. */
export class StateFile {
  readonly #path: string
  readonly #parts: Parts
  #written: string
  #writing: Promise<void> = Promise.resolve()

  /**
   * Reads the file, if there is one.
   *
   * @throws the system's error if it cannot be read or its folder is not writable; TypeError if it is not the state of a sandbox
   */
  constructor(path: string, parts: Parts) {
    this.#path = path
    this.#parts = parts
    this.#written = read(path)
    accessSync(dirname(path), constants.W_OK)
    if (this.#written !== '') restore(this.#written, path, parts)
  }

  /** Writes the state if it has changed; resolves when it is in the file. */
  async save(): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write())
    return await this.#writing
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
    // A reader sees the old state or the new one, never half of one. A killed process leaves this file behind,
    // and the next one writes over it.
    const next = `${this.#path}.tmp`
    await writeFile(next, text, { mode: 0o600 })
    await rename(next, this.#path)
    this.#written = text
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function restore(text: string, path: string, { configurations, tokens, ids, options }: Parts): void {
  const result = sandboxState.safeParse(parse(text))
  if (!result.success)
    throw new TypeError(`"state" option: ${path} is not the state of a sandbox. Delete it to start anew`)
  configurations.restore(result.data.configurations)
  tokens.restore(result.data.tokens, toOAuthClient(options))
  ids.restore(result.data.ids)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
