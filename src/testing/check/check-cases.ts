import { BYTE_CASES } from './cases/byte-cases.ts'
import { CONNECTION_CASES, DELIVERY_CASES } from './cases/delivery-cases.ts'
import { FORGED_CASES, LOOSE_CASES } from './cases/forged-cases.ts'
import { GARBAGE_CASES } from './cases/garbage-cases.ts'
import { CONTENT_CASES, PLAIN } from './cases/kind-cases.ts'
import { REVIEWING_CASES } from './cases/reviewing-cases.ts'
import type { CheckCase } from './check-case.ts'

/** In the order in which they run. */
export const CHECK_CASES: readonly CheckCase[] = [
  PLAIN,
  ...CONTENT_CASES,
  ...BYTE_CASES,
  ...DELIVERY_CASES,
  ...FORGED_CASES,
  ...LOOSE_CASES,
  ...CONNECTION_CASES,
  ...GARBAGE_CASES,
  ...REVIEWING_CASES,
]
