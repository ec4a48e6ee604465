import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns'
import type { EventEmitter } from 'node:events'
import { Cluster } from 'ioredis'
import { expect, it, vi } from 'vitest'
import { createBullmqInbox } from '../../../adapters/inbox/bullmq/bullmq-inbox.ts'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import { createConsumer } from '../../contracts/recording-consumer.ts'
import { createSigned } from '../../contracts/signed-notification.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import type { ClusterNode } from './redis-cluster.ts'
import { describeWithCluster } from './under-test.ts'

type OpenedCluster = Pick<Cluster, 'disconnect' | 'once' | 'status'> & {
  readonly connectionPool: EventEmitter & { reset(nodes: readonly object[]): void }
}

describeWithCluster(
  'BullMQ on a Redis Cluster',
  (cluster) => {
    function open(prefix: string, lookedUp = async () => {}): Inbox {
      // By name, as usual: it is looked up whenever ioredis reconnects.
      const connection = new Cluster(
        cluster.nodes.map(({ port }) => ({ host: 'localhost', port })),
        {
          lazyConnect: true,
          clusterNodeRetryStrategy: () => 100,
          dnsLookup: (name, done) => void lookedUp().then(() => lookup(name, { family: 4 }, done)),
        },
      )
      return createBullmqInbox({ connection, prefix, lockSeconds: 1, oneAtATime: true })
    }

    async function putAll(inbox: Inbox, count: number): Promise<string[]> {
      const all = Array.from({ length: count }, () => createSigned(randomUUID()))
      // A busy machine may keep the cluster waiting for too long.
      for (const notification of all) await waitFor(() => inbox.put(notification).catch(() => undefined))
      return all.map(({ signature }) => signature)
    }

    it.each([
      ['is killed', 'stop'],
      ['does not respond', 'suspend'],
    ] as const)('continues with the replica if a master %s', async (_, end) => {
      const prefix = `{${randomUUID()}}`
      const inbox = open(prefix)
      const failover = Promise.withResolvers<void>()
      const consumer = createConsumer(() => failover.promise)
      await inbox.start(consumer)
      const stored = await putAll(inbox, 20)
      await waitFor(() => consumer.deliveries.length > 0)
      const master = await cluster.masterOf(prefix)
      // Replication is asynchronous, and a command waits for its own connection's writes only.
      await master.admin.set(`${prefix}:written`, 'last')
      await master.admin.wait(1, 0)
      await master[end]()
      await expect(inbox.put(createSigned(1))).rejects.toMatchObject({ code: 'inbox_unavailable' })
      await waitFor(() => inbox.put(createSigned(2)).catch(() => undefined))
      await waitFor(async () => (await cluster.masterOf(prefix)) !== master)
      failover.resolve()
      stored.push(createSigned(2).signature)
      await waitFor(() => stored.every((signature) => consumer.attemptsOf(signature).length > 0))
      await waitFor(async () => (await inbox.counts()).completed >= stored.length)
      await inbox.close()

      await master.stop()
      await master.start()
      await waitFor(async () => (await master.admin.info('replication')).includes('master_link_status:up'))
    })

    it.each([
      [
        'it learns of a node while it disconnects',
        (opened: OpenedCluster, { port }: ClusterNode) => {
          opened.disconnect(true)
          opened.connectionPool.reset([{ host: '127.0.0.1', port }])
        },
      ],
      [
        'a node ends while it looks up the others',
        (opened: OpenedCluster) => {
          opened.disconnect(true)
          opened.once('connecting', () => opened.connectionPool.emit('drain'))
        },
      ],
    ])('reconnects though %s', async (_, disturb) => {
      const duplicated = vi.spyOn(Cluster.prototype, 'duplicate')
      const inbox = open(`{${randomUUID()}}`)
      const consumer = createConsumer()
      await inbox.start(consumer)
      const [first] = await putAll(inbox, 1)
      await waitFor(() => consumer.attemptsOf(String(first)).length > 0)
      // Those of the queue and of the worker, and the one that waits for jobs.
      const opened = duplicated.mock.results.map(({ value }) => value)
      duplicated.mockRestore()
      expect(opened).toHaveLength(3)
      for (const each of opened) disturb(each, cluster.nodes[0] as ClusterNode)
      const [second] = await putAll(inbox, 1)
      await waitFor(() => consumer.attemptsOf(String(second)).length > 0)
      await inbox.close()
    })

    it('starts again though ioredis has given up while it was stopped', async () => {
      const duplicated = vi.spyOn(Cluster.prototype, 'duplicate')
      const inbox = open(`{${randomUUID()}}`)
      await inbox.start(createConsumer())
      const ofWorkers: OpenedCluster = duplicated.mock.results[1]?.value
      duplicated.mockRestore()
      await putAll(inbox, 1)
      await inbox.stop()
      await waitFor(() => ofWorkers.status === 'ready')
      ofWorkers.disconnect(true)
      ofWorkers.once('connecting', () => ofWorkers.connectionPool.emit('drain'))
      await waitFor(() => ofWorkers.status === 'close')
      const consumer = createConsumer()
      await inbox.start(consumer)
      const [signature] = await putAll(inbox, 1)
      await waitFor(() => consumer.attemptsOf(String(signature)).length > 0)
      await inbox.close()
    })

    it('reconnects though a call is late while the nodes are looked up', async () => {
      let lookedUp = Promise.resolve()
      const duplicated = vi.spyOn(Cluster.prototype, 'duplicate')
      const prefix = `{${randomUUID()}}`
      const inbox = open(prefix, () => lookedUp)
      await putAll(inbox, 1)
      const opened: Cluster = duplicated.mock.results[0]?.value
      duplicated.mockRestore()
      const master = await cluster.masterOf(prefix)
      master.suspend()
      const late = expect(inbox.put(createSigned('late'))).rejects.toThrow()
      const found = Promise.withResolvers<void>()
      lookedUp = found.promise
      const isSent = (node: object) => Reflect.get(node, 'commandQueue').length > 0
      await waitFor(() => opened.nodes().some(isSent))
      for (const node of opened.nodes()) node.disconnect()
      await late
      found.resolve()
      await master.stop()
      await putAll(inbox, 1)
      await inbox.close()
      await master.start()
      await waitFor(async () => (await master.admin.info('replication')).includes('master_link_status:up'))
    })

    it('rejects puts while its keys are moved to another master, and then continues there', async () => {
      const prefix = `{${randomUUID()}}`
      const inbox = open(prefix)
      const consumer = createConsumer()
      await inbox.start(consumer)
      const stored = await putAll(inbox, 20)
      await waitFor(async () => (await inbox.counts()).completed === 20)
      const target = await moveSlot(prefix, async () => {
        await expect(inbox.put(createSigned('moving'))).rejects.toMatchObject({ code: 'inbox_unavailable' })
      })
      await waitFor(async () => (await cluster.masterOf(prefix)) === target)
      stored.push(...(await putAll(inbox, 20)))
      await waitFor(() => stored.every((signature) => consumer.attemptsOf(signature).length > 0))
      await waitFor(async () => (await inbox.counts()).completed >= stored.length)
      await inbox.close()
    })

    /** Moves the slot of a key, as `redis-cli --cluster reshard` does. */
    async function moveSlot(key: string, halfway: () => Promise<void>): Promise<ClusterNode> {
      const source = await cluster.masterOf(key)
      const others = await Promise.all(['1', '2', '3'].map(cluster.masterOf))
      const target = others.find((node) => node !== source) as ClusterNode
      const [slot, from, to] = await Promise.all([
        source.admin.cluster('KEYSLOT', key),
        source.admin.cluster('MYID'),
        target.admin.cluster('MYID'),
      ])
      await target.admin.cluster('SETSLOT', slot, 'IMPORTING', from)
      await source.admin.cluster('SETSLOT', slot, 'MIGRATING', to)
      await migrate(10)
      await halfway()
      await migrate(1_000)
      for (const { admin } of [target, source]) await admin.cluster('SETSLOT', slot, 'NODE', to)
      return target

      async function migrate(count: number): Promise<void> {
        const keys = await source.admin.cluster('GETKEYSINSLOT', slot, count)
        await source.admin.migrate(target.host, target.port, '', 0, 5_000, 'KEYS', ...keys)
      }
    }
  },
  {
    replicas: 1,
    settings: {
      'cluster-node-timeout': 3_000,
      'repl-diskless-sync-delay': 0,
      // A replica of a busy machine may fail over however late its copy is.
      'cluster-replica-validity-factor': 0,
    },
  },
)
