import type { Reporter, TestModule } from 'vitest/node'

/** Says last what was skipped, and how to get it: among the lines of a run nobody sees it. */
export const skippedReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = new Map<string, Set<string>>()
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result()
        const note = result.state === 'skipped' ? (result.note ?? test.fullName) : test.fullName
        skipped.set(note, (skipped.get(note) ?? new Set()).add(module.relativeModuleId))
      }
    }
    if (skipped.size > 0) console.log('\n NOT TESTED on this machine:')
    for (const [note, files] of skipped) {
      console.log(` - ${note}\n${[...files].map((file) => `     ${file}`).join('\n')}`)
    }
  },
}
