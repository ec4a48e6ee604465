export { type Console, type ConsoleOptions, createConsole, type NodeExchange } from './create-console.ts'
export { toNodeListener } from './node-listener.ts'
