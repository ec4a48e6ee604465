import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CheckJson } from '../../../src/sandbox/control/control-json.ts'
import { CHECK_CASES } from '../../../src/testing/check/check-cases.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { openSandbox, receiver } from '../open-sandbox.ts'
import { control } from './control-calls.ts'

describe('checks of the control API', () => {
  it('respond with the report once it is done', async () => {
    const sandbox = await openSandbox()
    const { url } = await receiver()
    const { status, json } = await control(sandbox, 'POST checks', { url, only: ['client-secret'] })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      ...{ id: '1', state: 'done', total: 2, passed: false, url },
      results: [
        { id: 'plain', outcome: 'passed' },
        // The sandbox knows the secret that belongs to its client id.
        { id: 'client-secret', outcome: 'failed', observed: '200' },
      ],
    })
    const other = { url, clientId: 'another-application', only: ['client-secret'] }
    expect((await control(sandbox, 'POST checks', other)).json).toMatchObject({
      results: [{ outcome: 'passed' }, { outcome: 'skipped', observed: 'needs the client secret' }],
    })
  })

  it('can be followed while they run, and stopped', async () => {
    const sandbox = await openSandbox()
    let arrived = 0
    const { url } = await receiver((response) => void (arrived++ > 0 || response.end()))
    const started = await control(sandbox, 'POST checks?wait=false', { url })
    expect(started).toMatchObject({
      status: 202,
      json: { id: '1', state: 'running', total: CHECK_CASES.length },
    })
    const read = async () => (await control(sandbox, 'GET checks/1')).json as unknown as CheckJson
    await waitFor(async () => arrived > 1 && (await read()).results.length === 1)
    expect(await read()).toMatchObject({ state: 'running', results: [{ id: 'plain', outcome: 'passed' }] })
    expect(await control(sandbox, 'DELETE checks/1')).toMatchObject({ status: 200 })
    await waitFor(async () => (await read()).state === 'stopped')
  })

  it('are stopped if they fail', async () => {
    const sandbox = await openSandbox()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      throw new Error('out of timers')
    })
    onTestFinished(() => timeout.mockRestore())
    await control(sandbox, 'POST checks?wait=false', { url: 'http://127.0.0.1:9/' })
    expect(await control(sandbox, 'GET checks/1')).toMatchObject({ json: { state: 'stopped', results: [] } })
  })

  it.each(['reset', 'close'] as const)('end with %s()', async (end) => {
    const sandbox = await openSandbox()
    const { url, arrivals } = await receiver(() => {})
    const waiting = control(sandbox, 'POST checks', { url }).catch(() => ({ json: { state: 'stopped' } }))
    await waitFor(() => arrivals.length > 0)
    await sandbox[end]()
    expect((await waiting).json.state).toBe('stopped')
  })

  it.each([
    [{}, '"url" option must be an absolute URL'],
    [{ url: 'http://127.0.0.1:9/', clientId: 7 }, '"clientId" option must be a non-empty string'],
    [{ url: 'http://127.0.0.1:9/', only: ['x'] }, '"only" option must be a list of ids of cases'],
    [{ url: 'http://192.0.2.1/' }, '"url" option must be on this machine, unless "allowRemote"'],
    [{ url: 'http://127.0.0.1:9/', signal: {} }, '"signal" is not an option'],
  ])('are rejected with 400 for %j, before anything is sent', async (body, message) => {
    const sandbox = await openSandbox()
    expect(await control(sandbox, 'POST checks?wait=false', body)).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', message: expect.stringContaining(message) },
    })
  })

  it('cannot be started by pages of another origin, nor found by another id', async () => {
    const sandbox = await openSandbox()
    const { url, arrivals } = await receiver()
    const foreign = { origin: 'https://evil.example' }
    expect(await control(sandbox, 'POST checks', { url }, foreign)).toMatchObject({ status: 403 })
    expect(arrivals).toEqual([])
    expect(await control(sandbox, 'GET checks/1')).toMatchObject({ status: 404 })
    expect(await control(sandbox, 'DELETE checks/1')).toMatchObject({ status: 404 })
  })
})
