import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The project of a user of the package, in a temporary folder. */
export const project = mkdtempSync(join(tmpdir(), 'payhook-package-'))

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

export function removeProject(): void {
  rmSync(project, { recursive: true, force: true })
}

export function write(file: string, content: string | object): void {
  const path = join(project, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
}

export function run(command: string, args: string[], cwd = project): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

export function node(file: string): string {
  return run(process.execPath, [file])
}

/** Installs packages, in the version of devDependencies if there is one. */
export function install(...packages: string[]): void {
  const named = packages.map((name) => (name in devDependencies ? `${name}@${devDependencies[name]}` : name))
  run('npm', ['install', '--no-audit', '--no-fund', '--omit=optional', ...named])
}

/** Type-checks a folder with strict settings. */
export function compile(folder: string, options: object, tsc = join(root, 'node_modules/.bin/tsc')): void {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
  const output = { noEmit: true, target: 'es2022', lib: ['es2023'], types: ['node'] }
  write(`${folder}/tsconfig.json`, { compilerOptions: { ...output, ...strict, ...options } })
  run(tsc, ['-p', join(project, folder)])
}

export function equal(found: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)]
  if (left !== right) throw new Error(`expected ${right}, found ${left}`)
}
