import { readFileSync } from 'node:fs'

/** Mutants of a line that no test can or should detect. */
interface Explained {
  /** A part of the line where the mutants begin. */
  readonly code: string
  /** What they replace something in it with; without it, any mutant of the line. */
  readonly becomes?: readonly string[]
  readonly why: string
}

const EXPLAINED: Readonly<Record<string, readonly Explained[]>> = JSON.parse(
  readFileSync(new URL('explained.json', import.meta.url), 'utf8'),
)

interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>
}

interface Mutant {
  readonly status: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

/** The mutants of a run, as `file:line:column: code -> replacement`. */
export interface Verdict {
  readonly detected: readonly string[]
  readonly explained: readonly string[]
  readonly unexplained: readonly string[]
}

/** Reads Stryker's report. */
export function readReport(path: string): Verdict {
  const verdict = { detected: [] as string[], explained: [] as string[], unexplained: [] as string[] }
  const { files } = JSON.parse(readFileSync(path, 'utf8')) as Report
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const lines = source.split('\n')
    for (const { status, replacement = '', location } of mutants) {
      const { line, column } = location.start
      const code = (lines[line - 1] ?? '').trim()
      const becomes = replacement.replaceAll(/\s+/g, ' ')
      const text = `${file}:${line}:${column}: ${code} -> ${becomes}`
      if (status === 'Killed' || status === 'Timeout') verdict.detected.push(text)
      else if (status !== 'Survived' && status !== 'NoCoverage') continue
      else if (isExplained(file, code, becomes)) verdict.explained.push(text)
      else verdict.unexplained.push(text)
    }
  }
  return verdict
}

function isExplained(file: string, code: string, becomes: string): boolean {
  const known = EXPLAINED[file] ?? []
  return known.some((mutant) => code.includes(mutant.code) && (mutant.becomes?.includes(becomes) ?? true))
}
