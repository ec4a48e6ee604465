import { randomUUID } from 'node:crypto'
import { Cluster } from 'ioredis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type BullmqInboxOptions, createBullmqInbox } from '../../../adapters/inbox/bullmq/bullmq-inbox.ts'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import { healthOf } from '../../contracts/health-of.ts'
import { createConsumer, type RecordingConsumer } from '../../contracts/recording-consumer.ts'
import { createSigned } from '../../contracts/signed-notification.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import type { ClusterNode } from './redis-cluster.ts'
import { describeWithCluster } from './under-test.ts'

describeWithCluster('BullMQ with an ioredis Cluster', (cluster) => {
  function connect(): Cluster {
    const connection = new Cluster([...cluster.nodes])
    onTestFinished(() => connection.disconnect())
    return connection
  }

  function open(options: BullmqInboxOptions): Inbox {
    const inbox = createBullmqInbox(options)
    onTestFinished(() => inbox.close())
    return inbox
  }

  async function handleOne(inbox: Inbox): Promise<RecordingConsumer> {
    const consumer = createConsumer()
    await inbox.start(consumer)
    await inbox.put(createSigned(1))
    await waitFor(() => consumer.deliveries.length === 1)
    return consumer
  }

  /** A prefix whose keys are on the given node. */
  async function prefixOn(node: ClusterNode): Promise<string> {
    return await waitFor(async () => {
      const prefix = `{${randomUUID()}}`
      return (await cluster.masterOf(prefix)) === node ? prefix : undefined
    })
  }

  it('has queues on different nodes', async () => {
    const connection = connect()
    const consumers: RecordingConsumer[] = []
    for (const node of cluster.nodes) {
      const inbox = open({ connection, prefix: await prefixOn(node) })
      consumers.push(await handleOne(inbox))
      await waitFor(async () => (await inbox.counts()).completed === 1)
      expect(await healthOf(inbox)).toMatchObject({ status: 'pass', lastStoredAt: expect.any(Date) })
      expect(await node.admin.dbsize()).toBeGreaterThan(0)
    }
    expect(consumers.map(({ deliveries }) => deliveries.length)).toEqual([1, 1, 1])
  })

  it('leaves the Cluster open, and may be given one that is not connected', async () => {
    const connected = connect()
    await open({ connection: connected, prefix: '{open}' }).close()
    expect(await connected.get('key')).toBeNull()
    const lazy = new Cluster([...cluster.nodes], { lazyConnect: true })
    await handleOne(open({ connection: lazy, prefix: '{lazy}' }))
    expect(lazy.status).toBe('wait')
  })

  it('asks for the slots only when it connects: a refresh that goes on would keep the process alive', async () => {
    const connection = new Cluster([...cluster.nodes], { lazyConnect: true, slotsRefreshInterval: 1 })
    const refreshed = vi.spyOn(Cluster.prototype, 'refreshSlotsCache')
    onTestFinished(() => refreshed.mockRestore())
    const inbox = open({ connection, prefix: '{slots}' })
    await handleOne(inbox)
    for (let id = 2; id < 20; id++) await inbox.put(createSigned(id))
    // Once for each of three connections, and again where one is lost.
    expect(refreshed.mock.calls.length).toBeLessThan(10)
  })

  it('says what to pass if it is connected to a single node', async () => {
    const [{ host, port }, other] = cluster.nodes as [ClusterNode, ClusterNode]
    for (const prefix of ['payhook', await prefixOn(other)]) {
      const inbox = open({ connection: { host, port }, prefix })
      await expect(inbox.put(createSigned(1))).rejects.toMatchObject({
        code: 'inbox_misconfigured',
        message: expect.stringMatching(/^Redis is a cluster. Pass an ioredis Cluster as "connection"/),
      })
    }
  })
})
