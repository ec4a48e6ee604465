import { relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../../fuzz/fuzzer.ts'
import { loadTarget, readCorpus, targetNames } from '../../fuzz/targets.ts'

describe.each(targetNames)('the target %s', (name) => {
  it('finds nothing wrong with the kept inputs', async () => {
    const target = await loadTarget(name)
    const failed: string[] = []
    for (const [file, input] of readCorpus(name)) {
      const error = await errorOf(target, input)
      if (error !== undefined) failed.push(`${relative('.', file)}: ${error.stack}`)
    }
    expect(failed).toEqual([])
  })

  it('finds nothing wrong with its first inputs', async () => {
    const target = await loadTarget(name)
    for (const input of target.seeds?.() ?? []) expect(await errorOf(target, input)).toBeUndefined()
  })
})
