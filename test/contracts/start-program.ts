import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Starts a program in a process of its own, with a plan. `gone` resolves when the process has ended. */
export function startProgram(program: URL, plan: object) {
  const child = fork(program, [JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  return { child, gone: once(child, 'close') }
}

/** The plan of this process. */
export function readPlan<Plan>(): Plan {
  const [, , text] = process.argv
  if (text === undefined) throw new TypeError('The plan is missing.')
  return JSON.parse(text)
}
