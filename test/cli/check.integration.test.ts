import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { receiveWebhooks } from '../../adapters/http/node.ts'
import { createReceiver } from '../../src/index.ts'
import { hmac } from '../contracts/hmac.ts'
import { listening, mount } from '../contracts/listen.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { receiver } from '../sandbox/open-sandbox.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { CLIENT_ID, payhook, payhookJson, startPayhook } from './payhook.ts'

const TOKEN = 'check-callback-token'

describe('payhook check', () => {
  it('exits 0 for a right receiver, and says what the responses do not show', async () => {
    const options = { clientId: CLIENT_ID, callbackToken: TOKEN, logger: { warn() {}, error() {} } }
    const port = await mount(receiveWebhooks(createReceiver(options)))
    const url = `http://127.0.0.1:${port}/hooks?token=${TOKEN}`
    const { code, stdout, stderr } = await payhook(['check', url])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^passed {3}plain +must +200 +A plain notification/)
    expect(stdout).toMatch(/large-id: whether the digits were kept/)
    expect(stdout).toMatch(/\n97 passed, 0 failed, 2 skipped\n$/)
  })

  it('exits 1 for findings, and says why and how to mend them', async () => {
    const { url } = await receiver()
    const only = ['signature-missing', 'wrong-key']
    const { code, stdout, stderr } = await payhook(['check', url, '--only', ...only])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^payhook: The receiver accepts everything/)
    expect(stdout).toMatch(/\nfailed +signature-missing +must +200 +No signature\n/)
    expect(stdout).toMatch(/1 passed, 2 failed, 0 skipped\n$/)
    const single = await payhook(['check', url, '--only', 'signature-missing'])
    expect(single.stdout).toContain(
      'signature-missing (must): No signature\n  Expected a 4xx. Got 200.\n  Anyone on the internet',
    )
    expect(single.stderr).toBe('payhook: 1 of 2 cases failed.\n')
  })

  it('says once what several cases fail for, and in the JUnit file', async () => {
    const port = await mount(async (request, response) => {
      const expected = hmac(JSON.stringify(await json(request)), CLIENT_ID)
      response.writeHead(request.headers['access-signature'] === expected ? 200 : 401).end()
    })
    const junit = join(temporaryFolder(), 'check.xml')
    const only = ['inline-data', 'spaces', 'escapes']
    const url = `http://127.0.0.1:${port}/`
    const { stdout } = await payhook(['check', url, '--junit', junit, '--only', ...only])
    expect(stdout).toMatch(
      /\nspaces \(must\): .*\n.*\n {2}It rejects .* writes its JSON again.*\n.*\n.*raw bytes.*\n {2}The same: escapes, inline-data\.\n\n/,
    )
    expect(readFileSync(junit, 'utf8').match(/writes its JSON again/g)).toHaveLength(2)
  })

  it('exits 1 for a "should" only if asked to', async () => {
    const { url } = await receiver()
    const args = ['check', url, '--only', 'get']
    expect(await payhook(args)).toMatchObject({ code: 0, stdout: expect.stringContaining('get (should)') })
    expect(await payhook([...args, '--level', 'should'])).toMatchObject({ code: 1 })
  })

  it('says why it stopped, if no "must" failed', async () => {
    const server = await listening(
      createServer((_request, response) => response.end(() => void server.close())),
    )
    const args = ['check', `http://127.0.0.1:${server.port}/`, '--only', 'unknown-kind']
    const stderr = 'payhook: the receiver ended after "plain".\n'
    expect(await payhook(args)).toMatchObject({ code: 1, stderr })
  })

  it('prints JSON, and writes JUnit XML', async () => {
    const { url } = await receiver((response) => response.writeHead(302, { location: '/<&">\x80' }).end())
    const junit = join(temporaryFolder(), 'check.xml')
    const args = ['check', url, '--junit', junit, '--only', 'spaces']
    const { code, stdout, stderr } = await payhookJson(args)
    expect(code).toBe(1)
    expect(stdout).toEqual([
      expect.objectContaining({
        version: 1,
        ...{ type: 'result', id: 'plain', level: 'must', outcome: 'failed', expected: 'a 2xx' },
        observed: '302 to /<&">\x80',
      }),
      expect.objectContaining({ id: 'spaces', outcome: 'skipped', observed: 'no notification was accepted' }),
      {
        ...{ version: 1, type: 'summary', url, passed: 0, failed: 1, skipped: 1 },
        stopped: 'no notification was accepted',
        conclusions: [expect.stringContaining('Redirects are not followed')],
      },
    ])
    expect(stderr).toMatchObject([{ error: { code: 'receiver_failed' } }])
    const xml = readFileSync(junit, 'utf8')
      .replace(url, 'URL')
      .replaceAll(/ time="[\d.]+"/g, '')
    expect(xml).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="payhook check" tests="2" failures="1" errors="0">
        <testsuite name="URL" tests="2" failures="1" errors="0" skipped="1">
          <testcase classname="payhook.check.must" name="plain: A plain notification, as the service sends it"><failure message="Expected a 2xx. Got 302 to /&#60;&#38;&#34;&#62;.">A receiver that does not accept it accepts nothing. Check the URL, and that the receiver verifies with the client id that is used here.</failure></testcase>
          <testcase classname="payhook.check.must" name="spaces: Spaces and line breaks between the parts of the JSON"><skipped message="no notification was accepted"/></testcase>
        </testsuite>
      </testsuites>
      "
    `)
  })

  it('shows its progress on a terminal', async () => {
    const { url } = await receiver()
    const { stdout, stderr } = await payhook(['check', url, '--only', 'get'], { columns: 60 })
    expect(stderr).toMatch(/checking .*1\/2/)
    // A "should" is yellow.
    expect(stdout).toContain('\x1b[33mfailed')
  })

  it('reports what there is on Ctrl-C, to the JUnit file, too', async () => {
    let requests = 0
    const { url } = await receiver((response) => void (requests++ > 0 || response.end()))
    const junit = join(temporaryFolder(), 'check.xml')
    const running = startPayhook(['check', url, '--junit', junit])
    await running.printed(/^passed +plain/)
    await waitFor(() => requests > 1)
    expect(await running.stop()).toBe(130)
    expect(running.stdout()).toMatch(/\n1 passed, 0 failed, \d+ skipped: the check was interrupted\n$/)
    expect(running.stderr()).toBe('')
    expect(readFileSync(junit, 'utf8')).toContain('failures="0"')
  })

  it('opens the JUnit file before it sends anything', async () => {
    const { url, arrivals } = await receiver()
    const junit = join(temporaryFolder(), 'no', 'check.xml')
    const { code, stderr } = await payhook(['check', url, '--junit', junit])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ENOENT') })
    expect(arrivals).toEqual([])
  })
})
