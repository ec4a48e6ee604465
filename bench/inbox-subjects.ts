import { startEngines } from './inbox-engines.ts'
import { measureDistinctSubjects, measureHotSubject, measureOneSubject } from './inbox-one-at-a-time.ts'
import { measureProcesses } from './inbox-worker-processes.ts'
import { printReport } from './report.ts'

await using engines = await startEngines()
printReport([
  await measureDistinctSubjects(engines),
  await measureHotSubject(engines),
  await measureOneSubject(engines),
  await measureProcesses(engines),
])
