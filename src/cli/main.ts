#!/usr/bin/env node
import { run } from './run.ts'

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has exited, as in `payhook deliveries | head`.
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

await run(process.argv.slice(2))
