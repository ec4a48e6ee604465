import { open, readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Failure } from './errors.ts'
import { warn } from './output.ts'

/** The exact bytes of a file, or of stdin for `-`. @throws Failure if the file cannot be read */
export async function readInput(file: string): Promise<Uint8Array> {
  if (file === '-') {
    const bytes = await buffer(process.stdin)
    if (bytes.length === 0) warn('stdin is empty.')
    return bytes
  }
  return await readFile(file).catch((cause) => {
    throw unreadable(file, cause)
  })
}

/** The same, line by line. Only a line feed ends a line: JSON may contain other separators. */
export async function* readLines(file: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  try {
    const stream = file === '-' ? process.stdin : (await open(file)).createReadStream()
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    rest += decoder.decode()
  } catch (cause) {
    throw unreadable(file, cause)
  }
  if (rest !== '') yield rest
}

function unreadable(file: string, cause: unknown): Failure {
  const { code, message } = cause as NodeJS.ErrnoException
  const reason = code === 'ENOENT' ? 'no such file' : message
  return new Failure('file_unreadable', `Cannot read ${file}: ${reason}.`)
}
