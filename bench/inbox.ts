import { measureBacklog, measurePutsBeside } from './inbox-backlog.ts'
import { measureBacklogGrowth } from './inbox-backlog-growth.ts'
import { createInboxContestants } from './inbox-contestants.ts'
import { isWanted, startEngines } from './inbox-engines.ts'
import { measureHandling } from './inbox-handling.ts'
import { measurePuts } from './inbox-puts.ts'
import { measureWindow } from './inbox-window.ts'
import { printReport } from './report.ts'

await using engines = await startEngines()
const contestants = createInboxContestants(engines)
printReport([
  await measurePuts(contestants, 1),
  await measurePuts(contestants, 50),
  ...(isWanted('sqlite') ? [await measureWindow(engines.newFolder)] : []),
  await measureHandling(engines),
  await measureBacklogGrowth(engines),
  ...(await measureBacklog(engines)),
  ...(await measurePutsBeside(engines)),
])
