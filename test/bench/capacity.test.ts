import { expect, it } from 'vitest'
import { type Assumptions, type Costs, toCapacity } from '../../bench/scale/capacity.ts'

const costs: Costs = {
  receiverMs: 0.5,
  workerMs: 0.25,
  serverMs: 1,
  completedBytes: 3_000,
  logBytes: 10_000,
  networkBytes: 4_000,
  transactions: 2,
}
const given: Assumptions = {
  ratePerSecond: 1_000,
  keepSeconds: 3_600,
  utilization: 0.5,
  copies: 2,
  room: 1.5,
  logDays: 7,
  ratePerServer: 1_000,
  perCoreMonth: 30,
  perGigabyteMonth: 0.1,
  perArchivedGigabyteMonth: 0.02,
}

it('adds up what a rate needs', () => {
  expect(toCapacity(costs, given)).toMatchObject({
    perYear: 31_536_000_000,
    servers: 1,
    receiverCores: 1,
    workerCores: 0.5,
    serverCores: 4,
    // 3,600 s of 3 MB, twice, with half as much room again
    storedGigabytes: 32.4,
    logMegabytesPerSecond: 10,
    archivedGigabytes: 6_048,
    networkMegabytesPerSecond: 4,
    transactionsPerSecond: 2_000,
  })
})

it('adds up the cost of processors, data and log', () => {
  const { costPerMonth, costPerMillion } = toCapacity(costs, given)
  expect(costPerMonth).toBeCloseTo(5.5 * 30 + 32.4 * 0.1 + 6_048 * 0.02, 6)
  expect(costPerMillion).toBeCloseTo((costPerMonth * 12) / 31_536, 9)
})

it('divides a rate among servers, which then freeze their tables less often', () => {
  const one = toCapacity(costs, given)
  const many = toCapacity(costs, { ...given, ratePerSecond: 100_000, ratePerServer: 3_000 })
  expect(many.servers).toBe(34)
  expect(many.costPerMillion).toBeCloseTo(one.costPerMillion, 9)
  expect(one.freezeDays).toBeCloseTo(200e6 / 2_000 / 86_400, 9)
  expect(many.freezeDays).toBeCloseTo((200e6 * 34) / 200_000 / 86_400, 9)
})
