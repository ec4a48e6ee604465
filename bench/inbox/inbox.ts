import { printReport } from '../support/report.ts'
import { measureBacklog } from './backlog.ts'
import { createInboxContestants } from './contestants.ts'
import { isWanted, startEngines } from './engines.ts'
import { measureHandling } from './handling.ts'
import { measurePuts } from './puts.ts'
import { measureWindow } from './window.ts'

await using engines = await startEngines()
const contestants = createInboxContestants(engines)
printReport([
  await measurePuts(contestants, 1),
  await measurePuts(contestants, 50),
  ...(isWanted('sqlite') ? [await measureWindow(engines.newFolder)] : []),
  await measureHandling(engines),
  await measureBacklog(engines),
])
