import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { control } from './control/control-calls.ts'
import { openSandbox, openSubscribed } from './open-sandbox.ts'
import { get, requestToken } from './service/http-calls.ts'

const KIND = 'VBA_TRANSACTION'

const hello = async (sandbox: { readonly url: string }) => await get(sandbox, 'hello')

describe('faults of the API', () => {
  it('answer 429 with Retry-After, for as many requests as they say', async () => {
    const sandbox = await openSandbox()
    sandbox.setFaults({ api: { status: 429, retryAfterSeconds: 3, times: 2 } })
    const answers = [await hello(sandbox), await hello(sandbox), await hello(sandbox)]
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 401])
    expect(answers[0]?.headers.get('retry-after')).toBe('3')
    expect(sandbox.requests()).toMatchObject([{ status: 429 }, { status: 429 }, { status: 401 }])
  })

  it('concern the paths that begin as they say, and never the authorize page or the control API', async () => {
    const sandbox = await openSandbox()
    sandbox.setFaults({ api: { status: 500, path: '/oauth/token' } })
    expect((await hello(sandbox)).status).toBe(401)
    await expect(requestToken(sandbox)).rejects.toThrow('500')
    sandbox.setFaults({ api: { status: 500 } })
    expect((await fetch(`${sandbox.url}/oauth/authorize`)).status).toBe(400)
    expect((await control(sandbox, 'GET faults')).json).toEqual({ api: { status: 500 } })
    sandbox.setFaults(undefined)
    expect((await hello(sandbox)).status).toBe(401)
  })

  it('lose the response after the work was done, which the client copes with', async () => {
    const sandbox = await openSandbox()
    const { url: baseUrl, clientId, clientSecret } = sandbox
    const client = createClient({ baseUrl, clientId, clientSecret })
    await client.hello()
    sandbox.setFaults({ api: { loseResponse: true, times: 1 } })
    const created = await client.webhooks.create({ event: KIND, callbackUrl: 'http://127.0.0.1:1/' })
    expect(await client.webhooks.list()).toEqual([created])
    expect(sandbox.requests().map(({ status }) => status)).toContain(409)
  })

  it('make it slow, and a close does not wait for them', async () => {
    const sandbox = await openSandbox()
    sandbox.setFaults({ api: { delayMs: 60_000 } })
    const answer = hello(sandbox).catch(() => 'cut')
    await sandbox.close()
    expect(await answer).toBe('cut')
  })

  it.each([
    ...['{"status":404}', '{"status":429.5}', '{"retryAfterSeconds":-1}', '{"delayMs":"1"}'],
    ...['{"loseResponse":1}', '{"path":""}', '{"crash":true}', '{"times":0}', 'null'],
  ])('reject %s, and change nothing', async (api) => {
    const sandbox = await openSandbox()
    sandbox.setFaults({ duplicate: 1, api: { status: 500 } })
    const wrong = { api: JSON.parse(api) }
    expect(() => sandbox.setFaults(wrong)).toThrow(TypeError)
    expect((await control(sandbox, 'PUT faults', wrong)).json.code).toBe('invalid_request')
    expect(sandbox.faults()).toEqual({ duplicate: 1, api: { status: 500 } })
  })
})

describe('faults of notifications', () => {
  it('differ by attempt: the first is cut, the second not sent, the third delivered', async () => {
    const { sandbox, arrivals } = await openSubscribed(KIND)
    const faults = { attempts: [{ truncate: true }, { drop: true }, {}] }
    const [delivery] = await sandbox.trigger(KIND, {}, { faults })
    expect(delivery).toMatchObject({
      state: 'delivered',
      faults,
      attempts: [
        { error: expect.stringMatching(/cut/) },
        { error: expect.stringMatching(/drop/) },
        { status: 200 },
      ],
    })
    expect(arrivals).toHaveLength(1)
  })

  it('affect as many notifications as they say', async () => {
    const { sandbox } = await openSubscribed(KIND)
    sandbox.setFaults({ drop: true, times: 2 })
    const states: (string | undefined)[] = []
    for (let count = 0; count < 4; count++) states.push((await sandbox.trigger(KIND))[0]?.state)
    expect(states).toEqual(['dropped', 'dropped', 'delivered', 'delivered'])
    sandbox.setFaults({ drop: true, times: 1, burst: 2 })
    expect(await sandbox.trigger(KIND)).toMatchObject([{ state: 'dropped' }, { state: 'delivered' }])
    expect(await sandbox.trigger(KIND)).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }])
  })

  it.each([
    ...['{"slow":true}', '{"duplicate":101}', '{"duplicate":-1}', '{"duplicate":1.5}', '{"burst":0}'],
    ...['{"burst":10001}', '{"burst":10000,"duplicate":100}', '{"delayMs":-1}', '{"delayMs":2147483648}'],
    ...['{"signature":"bad"}', '{"drop":1}', '{"truncate":"yes"}', '{"reorder":null}', '{"attempts":[]}'],
    ...['{"attempts":[{},{},{},{}]}', '{"attempts":[{"duplicate":1}]}', 'null', '[]', '"drop"'],
  ])('reject %s, in every call', async (json) => {
    const sandbox = await openSandbox()
    const faults = JSON.parse(json)
    expect(() => sandbox.setFaults(faults)).toThrow(TypeError)
    await expect(sandbox.trigger(KIND, {}, { faults })).rejects.toThrow(TypeError)
    await expect(sandbox.createPayment().setStatus('Sent', {}, { faults })).rejects.toThrow(TypeError)
    expect(sandbox.deliveries()).toEqual([])
  })
})
