#!/usr/bin/env node
// Without imports and new syntax, so that an old Node reads this file and can say that it is too old.
const [major] = process.versions.node.split('.')
if (Number(major) < 22) {
  process.stderr.write(`payhook: This is Node ${process.versions.node}. payhook requires Node 22 or newer.\n`)
  process.exitCode = 1
} else {
  void import('./run.ts').then(({ main }) => main(process.argv.slice(2)))
}
