import { describe, expect, it } from 'vitest'
import { hits } from '../../fuzz/coverage.ts'
import { type Finding, fuzz } from '../../fuzz/fuzzer.ts'
import { Input, SEPARATOR, toInput } from '../../fuzz/input.ts'
import { createMutator, MAX_INPUT_BYTES, MAX_USUAL_BYTES } from '../../fuzz/mutate.ts'
import { createRandom } from '../../fuzz/random.ts'
import type { Target } from '../../fuzz/targets.ts'

/** As an instrumented module counts its blocks. */
function count(block: number, times = 1): void {
  hits[block] = (hits[block] as number) + times
}

async function findIn(run: Target['run'], words: readonly string[] = []): Promise<Finding | undefined> {
  const options = { seed: 1, seconds: 60, kept: [], starting: () => {}, progress: () => {} }
  return (await fuzz({ run }, { blocks: 8, words: new Set(words) }, options)).finding
}

describe('fuzz', () => {
  it('finds what only a series of new coverage leads to', async () => {
    const secret = 'fuzz'
    const finding = await findIn((input) => {
      let matching = 0
      while (matching < secret.length && input[matching] === secret.charCodeAt(matching)) count(++matching)
      if (matching === secret.length) throw new RangeError('the secret')
    })
    expect(finding).toMatchObject({ message: expect.stringContaining('RangeError: the secret') })
    expect(String(finding?.input)).toBe(secret)
  })

  it('uses words of the sources', async () => {
    const word = 'PAYMENT_STATUS_UPDATED'
    const run = (input: Buffer) => {
      if (input.includes(word)) throw new Error('contains the word')
    }
    expect(String((await findIn(run, [word]))?.input)).toBe(word)
  })

  it('makes choices', async () => {
    const finding = await findIn((bytes) => {
      const input = new Input(bytes)
      if (input.below(200) === 77 && input.pick(['first', 'second']) === 'second') throw new Error('chosen')
    })
    expect(finding?.input).toHaveLength(toInput('', 77, 1).length)
  })

  it('makes no input longer than the longest, however many choices it has', () => {
    const mutate = createMutator(createRandom(1), new Set())
    const parent = Buffer.concat([Buffer.from([120, SEPARATOR]), Buffer.alloc(MAX_USUAL_BYTES - 2)])
    const lengths = Array.from({ length: 20_000 }, () => mutate(parent, parent).length)
    expect(Math.max(...lengths)).toBe(MAX_INPUT_BYTES)
  })

  it('finds what takes more than linear time', async () => {
    const finding = await findIn((input) => count(1, input.length ** 2))
    expect(finding?.message).toMatch(/^TooSlow: \d+ steps/)
  })

  it('awaits the target', async () => {
    const finding = await findIn(async (input) => {
      await Promise.resolve()
      if (input.length > 2) throw 'not an error'
    })
    expect(finding).toEqual({ input: expect.any(Buffer), message: 'Error: not an error was thrown' })
    expect(finding?.input).toHaveLength(3)
  })

  it('names the place in payhook, not in another folder that has such a name', async () => {
    const place = `at parse (${new URL('../../src/parse.ts', import.meta.url)}:1:1)`
    const finding = await findIn(() => {
      throw Object.assign(new Error('wrong'), {
        stack: `Error: wrong\n at run (/home/src/run.ts:1:1)\n ${place}`,
      })
    })
    expect(finding?.message).toBe(`Error: wrong\n ${place}`)
  })
})
