import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, REDIS } from '../../../contracts/service.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connection, useQueues } from './queues.ts'

const bulk = (text: string | number) => `$${String(text).length}\r\n${text}\r\n`

/** A sentinel that knows what ioredis asks. */
async function createSentinel(masterPort: () => number) {
  const sockets = new Set<Socket>()
  const subscribers = new Set<Socket>()
  const respond = (socket: Socket, command: string) => {
    if (/hello/i.test(command)) return "-ERR unknown command 'HELLO'\r\n"
    if (/get-master/i.test(command)) return `*2\r\n${bulk('127.0.0.1')}${bulk(masterPort())}`
    if (!/\r\nsubscribe/i.test(command)) return '+OK\r\n'
    subscribers.add(socket)
    return `*3\r\n${bulk('subscribe')}${bulk('+switch-master')}:1\r\n`
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      for (const command of `${data}`.split(/(?=\*\d+\r\n)/)) socket.write(respond(socket, command))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: server.address() as AddressInfo,
    subscribers,
    announce() {
      const message = `*3\r\n${bulk('message')}${bulk('+switch-master')}${bulk('master')}`
      for (const socket of subscribers) socket.write(message)
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

await describeWithService('BullMQ with a sentinel', REDIS, () => {
  const { createQueue, open } = useQueues()

  it('survives a failover that is announced while another sentinel, lost with the master, is asked', async () => {
    // ioredis prints that it does not respond.
    vi.spyOn(console, 'error').mockReturnValue()
    const [master, promoted] = [await createTcpProxy(connection), await createTcpProxy(connection)]
    let current = master
    const sentinel = await createSentinel(() => current.port)
    const lost = await createTcpProxy({ host: '127.0.0.1', port: sentinel.address.port })
    const sentinels = [lost, sentinel.address].map(({ port }) => ({ host: '127.0.0.1', port }))
    const inbox = open({
      connection: { sentinels, name: 'master', failoverDetector: true },
      queueName: createQueue().name,
      lockSeconds: 5,
    })
    const consumer = createConsumer()
    await inbox.start(consumer)
    await inbox.put(createSigned(1))
    await waitFor(async () => (await inbox.counts()).completed === 1)
    // That of each connection asks both.
    await waitFor(() => sentinel.subscribers.size === 6)

    lost.hang()
    const accepted = lost.accepted
    await master.cut()
    await waitFor(() => lost.accepted >= accepted + 3)
    current = promoted
    sentinel.announce()
    await waitFor(() => inbox.put(createSigned(2)).catch(() => undefined))
    await waitFor(() => consumer.deliveries.length === 2)
    // A cut in the middle of a packet is a reset.
    expect(consumer.failures).toMatchObject([
      { message: expect.stringMatching(/^(The connection to Redis was lost\.|read ECONNRESET)$/) },
    ])

    await inbox.close()
    for (const each of [master, promoted, lost, sentinel]) await each.close()
  })
})
