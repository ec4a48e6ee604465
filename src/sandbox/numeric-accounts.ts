import type { SampleObject } from '../testing/sample-data.ts'

/** The same data with numbers for its accounts: this package has decimal strings, the wire numbers (service.md 2.5). */
export function toNumericAccounts(data: SampleObject): SampleObject {
  const accounts = ['payerAccountId', 'payeeAccountId'].flatMap((name) => {
    const account = data[name]
    if (typeof account !== 'string' || !/^\d{1,1000}$/.test(account)) return []
    return [[name, Number.isSafeInteger(Number(account)) ? Number(account) : BigInt(account)]]
  })
  return { ...data, ...Object.fromEntries(accounts) }
}
