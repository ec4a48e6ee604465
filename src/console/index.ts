export {
  type ConsoleOptions,
  createConsole,
  type InboxConsole,
  type NodeRequestResponse,
} from './create-console.ts'
export { toNodeListener } from './node-listener.ts'
