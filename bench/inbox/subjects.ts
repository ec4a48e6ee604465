import { printReport } from '../support/report.ts'
import { startEngines } from './engines.ts'
import { measureDistinctSubjects, measureHotSubject, measureOneSubject } from './one-at-a-time.ts'
import { measureProcesses } from './worker-processes.ts'

await using engines = await startEngines()
printReport([
  await measureDistinctSubjects(engines),
  await measureHotSubject(engines),
  await measureOneSubject(engines),
  await measureProcesses(engines),
])
