import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Failure } from './errors.ts'

/**
 * Reads the exact bytes of a file, or of stdin for `-`.
 *
 * @throws Failure if the file cannot be read
 */
export async function readInput(file: string): Promise<Uint8Array> {
  if (file === '-') return await buffer(process.stdin)
  try {
    return await readFile(file)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'no such file' : message
    throw new Failure('file_unreadable', `Cannot read ${file}: ${reason}.`)
  }
}
