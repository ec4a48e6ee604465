import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, describe, expect, it } from 'vitest'
import { sign, verify } from '../../src/index.ts'

const { createHmac } = crypto
let made = 0
crypto.createHmac = (...options) => {
  made += 1
  return createHmac(...options)
}
syncBuiltinESMExports()

afterAll(() => {
  crypto.createHmac = createHmac
  syncBuiltinESMExports()
})

const clientIds = ['first', 'second', 'third']

describe('verify with several client ids', () => {
  it.each([...clientIds, 'unknown'])('does the same work if "%s" has signed', (signer) => {
    const signature = sign({ body: 'x', clientId: signer })
    made = 0
    expect(verify({ body: 'x', signature, clientId: clientIds })).toBe(signer !== 'unknown')
    expect(made).toBe(clientIds.length)
  })
})
