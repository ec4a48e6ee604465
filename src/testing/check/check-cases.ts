import { BYTE_CASES } from './cases/byte-cases.ts'
import { CONNECTION_CASES, DELIVERY_CASES, LAST } from './cases/delivery-cases.ts'
import { FORGED_CASES } from './cases/forged-cases.ts'
import { GARBAGE_CASES } from './cases/garbage-cases.ts'
import { KIND_CASES } from './cases/kind-cases.ts'
import { REVIEWING_CASES } from './cases/reviewing-cases.ts'
import { SIGNATURE_CASES } from './cases/signature-cases.ts'
import { TOKEN_CASES } from './cases/token-cases.ts'
import type { CheckCase, ReviewingCase, SendingCase } from './check-case.ts'

/** In the order in which they run. */
export const CHECK_CASES: readonly CheckCase[] = Object.entries<SendingCase | ReviewingCase>({
  ...KIND_CASES,
  ...BYTE_CASES,
  ...DELIVERY_CASES,
  ...FORGED_CASES,
  ...SIGNATURE_CASES,
  ...TOKEN_CASES,
  ...CONNECTION_CASES,
  ...GARBAGE_CASES,
  ...LAST,
  ...REVIEWING_CASES,
}).map(([id, one]) => ({ id, ...one }))
