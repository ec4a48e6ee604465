import { createBullmqInbox } from 'payhook/bullmq'

// The same options for receivers and workers.
export const inbox = createBullmqInbox({
  connection: process.env.REDIS_URL,
  prefix: process.env.REDIS_PREFIX ?? 'payments',
  oneAtATime: true,
})
