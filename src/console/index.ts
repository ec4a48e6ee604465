// Without it, the declarations would import `Inbox` from payhook/bullmq, which needs bullmq.
export type { Inbox } from '../inbox/inbox.ts'
export {
  type ConsoleOptions,
  createConsole,
  type InboxConsole,
  type NodeRequestResponse,
} from './create-console.ts'
export { toNodeListener } from './node-listener.ts'
