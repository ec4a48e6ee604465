import { expect, it, onTestFinished, vi } from 'vitest'
import {
  createEntryIds,
  fromIdempotencyKey,
  isUuid,
  toIdempotencyKey,
  toLastingId,
} from '../../src/inbox/entry-ids.ts'
import { toUuid } from '../../src/to-uuid.ts'
import { createSigned } from '../contracts/signed-notification.ts'

const UUID = '0190a1b2-c3d4-7000-8123-456789abcdef'

it.each([
  [UUID, true],
  [UUID.toUpperCase(), false],
  [`0${UUID}`, false],
  [`${UUID}0`, false],
  [`g${UUID.slice(1)}`, false],
  [UUID.replace('a1b2', 'z1b2'), false],
  [UUID.replace('7000', '700g'), false],
  [`${UUID.slice(0, -1)}g`, false],
  [UUID.replaceAll('-', ''), false],
  ['', false],
])('%s is a UUID: %s', (id, valid) => {
  expect(isUuid(id)).toBe(valid)
})

it('ids are UUIDs of version 7 that sort by creation, also if the clock stands still or is set back', () => {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000)
  onTestFinished(() => clock.mockRestore())
  const next = createEntryIds()
  const ids = Array.from({ length: 5_000 }, next)
  clock.mockReturnValue(1_600_000_000_000)
  ids.push(next())
  clock.mockReturnValue(1_800_000_000_000)
  ids.push(next())
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const hex = (time: number) => time.toString(16).padStart(12, '0')
  const timeOf = (id = '') => id.slice(0, 8) + id.slice(9, 13)
  expect([timeOf(ids[0]), ids[0]?.slice(14, 18)]).toEqual([hex(1_700_000_000_000), '7000'])
  expect([timeOf(ids[4_095]), ids[4_095]?.slice(14, 18)]).toEqual([hex(1_700_000_000_000), '7fff'])
  expect([timeOf(ids[4_096]), ids[4_096]?.slice(14, 18)]).toEqual([hex(1_700_000_000_001), '7000'])
  expect([timeOf(ids.at(-1)), ids.at(-1)?.slice(14, 18)]).toEqual([hex(1_800_000_000_000), '7000'])
})

it('an entry keeps its id if it is a UUID, and otherwise gets one that depends on all it has', () => {
  const entry = { ...createSigned(1), id: '7', receivedAt: new Date(0x0190a1b2c3d4) }
  expect(toLastingId({ ...entry, id: UUID })).toBe(UUID)
  const lasting = toLastingId(entry)
  expect(toLastingId({ ...entry })).toBe(lasting)
  expect(lasting).toMatch(/^0190a1b2-c3d4-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const change of [{ id: '8' }, { signature: 'b' }, { clientId: 'c' }, { receivedAt: new Date(0) }]) {
    expect(toLastingId({ ...entry, ...change })).not.toBe(lasting)
  }
})

it.each([
  [0x0190a1b2c3d4, '0190a1b2-c3d4-7123-8456-789abcdef012'],
  [5, '00000000-0005-7123-8456-789abcdef012'],
  [-1, '00000000-0000-7123-8456-789abcdef012'],
  [2 ** 48 - 1, 'ffffffff-ffff-7123-8456-789abcdef012'],
  [2 ** 48, 'ffffffff-ffff-7123-8456-789abcdef012'],
  [8.64e15, 'ffffffff-ffff-7123-8456-789abcdef012'],
])('a UUID of the time %s is %s', (time, uuid) => {
  expect(toUuid(time, '123456789abcdef012')).toBe(uuid)
})

it.each([
  [0, UUID],
  [3, `${UUID}:3`],
])('an idempotency key counts %i repeats', (repeats, key) => {
  expect(toIdempotencyKey(UUID, repeats)).toBe(key)
  expect(fromIdempotencyKey(key)).toEqual({ lastingId: UUID, repeats })
})
