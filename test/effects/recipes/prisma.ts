import type { RunHandlers } from '../../../src/index.ts'
import type { PrismaClient } from '../prisma-client.ts'

export function createTransaction(prisma: PrismaClient) {
  return (run: RunHandlers) =>
    prisma.$transaction(
      async (tx) => {
        const ran = await run(tx, async (key) => {
          const count =
            await tx.$executeRaw`insert into webhook_receipts (key) values (${key}) on conflict do nothing`
          return count === 1
        })
        await tx.$executeRaw`select 1` // fails if a handler ignored the error of a statement
        return ran
      },
      { maxWait: 10_000, timeout: 30_000 }, // by default, 2 and 5 seconds
    )
}
