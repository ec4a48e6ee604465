import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, request } from 'node:http'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeMissing } from '../../contracts/missing.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Debian installs it in a folder that only the PATH of root has. */
const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin'].join(delimiter) }

if (spawnSync('nginx', ['-v'], { env }).status === 0) describe('nginx', describeNginx)
else describeMissing('nginx', 'There is no nginx. "apt-get install nginx" installs it.')

function describeNginx() {
  it('passes each request to the process that listens, as one after the other is restarted', async () => {
    const folder = temporaryFolder()
    const [one, other] = [join(folder, '3000'), join(folder, '3001')]
    const front = await startNginx(folder)

    let stop = await listenAt(other)
    expect([await post(front), await post(front)]).toEqual([200, 200])
    const stopOne = await listenAt(one)
    await stop()
    expect([await post(front), await post(front)]).toEqual([200, 200])
    stop = await listenAt(other)
    await stopOne()
    expect([await post(front), await post(front)]).toEqual([200, 200])
    await stop()
  })

  it('passes each request to the other process if one hangs', async () => {
    const folder = temporaryFolder()
    await listenAt(join(folder, '3000'), () => {})
    await listenAt(join(folder, '3001'))
    const front = await startNginx(folder)
    expect([await post(front), await post(front)]).toEqual([200, 200])
    // By default, nginx waits for a minute.
  }, 30_000)
}

/** Starts nginx as docs/operations.md says, with sockets in the folder instead of ports. @returns its own */
async function startNginx(folder: string): Promise<string> {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const front = join(folder, 'front')
  const [, block = ''] = /```nginx\n(.*?)```/s.exec(page) ?? []
  const server = block
    .replaceAll('server 127.0.0.1:', `server unix:${folder}/`)
    .replace('443 ssl', `unix:${front}`)
    .replace('/var/log/nginx', folder)
    .replace('proxy_read_timeout 6s', 'proxy_read_timeout 50ms')
  const general = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {}`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `${general} http { access_log off; ${server} }`)
  const child = spawn('nginx', ['-c', file], { env, stdio: 'inherit' })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  await waitFor(() => post(front).catch(() => undefined))
  return front
}

/** Listens as one of the processes. @returns stops it */
async function listenAt(
  path: string,
  respond: RequestListener = (_request, response) => response.end(),
): Promise<() => Promise<unknown>> {
  const server = createServer(respond).listen(path)
  await once(server, 'listening')
  return async () => {
    const closed = once(server.close(), 'close')
    server.closeAllConnections()
    await closed
  }
}

async function post(socketPath: string): Promise<number | undefined> {
  const [response] = await once(
    request({ socketPath, method: 'POST', path: '/webhooks?token=a-long-random-token' }).end('{}'),
    'response',
  )
  response.resume()
  return response.statusCode
}
