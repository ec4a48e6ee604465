// Checks whether the commit may be released, and packs it. The release workflow then stages the package at the
// registry: nobody can install it until a maintainer has approved it, with a second factor (npm stage approve).

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Release, reasonsAgainst } from './release-rules.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const lines = (text: string) => text.split('\n').filter((line) => line !== '')
const git = (...args: string[]) => lines(execFileSync('git', args, { cwd: root, encoding: 'utf8' }))
const npm = (...args: string[]) => execFileSync('npm', args, { cwd: root, stdio: 'inherit' })

const release: Release = {
  manifest: JSON.parse(readFileSync(`${root}/package.json`, 'utf8')),
  changelog: readFileSync(`${root}/CHANGELOG.md`, 'utf8'),
  tags: git('tag', '--points-at', 'HEAD'),
  changes: git('status', '--porcelain'),
}
const reasons = reasonsAgainst(release)
if (reasons.length > 0) {
  console.error(`${release.manifest.version} cannot be released:`)
  for (const reason of reasons) console.error(`- ${reason}`)
  process.exitCode = 1
} else {
  npm('run', '--silent', 'build')
  npm('run', '--silent', 'check:package')
  npm('pack', '--ignore-scripts')
}
