import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { sum } from './statistics.ts'

/** What Linux says about a process in `/proc/PID/stat`. */
export interface ProcessStat {
  /** In clock ticks, user and system. */
  readonly own: number
  /** Of its child processes that have ended, and of theirs. */
  readonly ended: number
}

let msPerTick: number | undefined

/** The processor time of a process and of all its descendants, living or not, in milliseconds. */
export function processorTimeOf(processId: number): number {
  const main = `/proc/${processId}`
  const { own, ended } = parseStat(readFileSync(`${main}/stat`, 'latin1'))
  const children = readFileSync(`${main}/task/${processId}/children`, 'latin1').split(' ').filter(Boolean)
  return toMs(own + ended) + sum(children.map((child) => orNothing(Number(child))))
}

/** The processor time of a process's first thread, in milliseconds. */
export function firstThreadTimeOf(processId: number): number {
  return toMs(parseStat(readFileSync(`/proc/${processId}/task/${processId}/stat`, 'latin1')).own)
}

/** The processor time of everything on this machine, in milliseconds. */
export function machineTime(): number {
  return toMs(parseBusy(readFileSync('/proc/stat', 'latin1')))
}

/** What a process has read and written, mostly from and to sockets if it has no files, in bytes. */
export function bytesReadAndWritten(processId: number): number {
  const text = readFileSync(`/proc/${processId}/io`, 'latin1')
  return sum(['rchar', 'wchar'].map((name) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1])))
}

/**
 * @param text of `/proc/PID/stat`. The second field is the name in parentheses, which may contain any
 *   character.
 */
export function parseStat(text: string): ProcessStat {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15) as [number, number, number, number]
  return { own: user + system, ended: endedUser + endedSystem }
}

/** @returns the ticks of all processors in which they were not idle, from the first line of `/proc/stat` */
export function parseBusy(text: string): number {
  const [, ...fields] = (text.split('\n', 1)[0] as string).split(/ +/)
  const [user, nice, system, , , irq, softIrq, steal] = fields.map(Number) as number[]
  return sum([user, nice, system, irq, softIrq, steal].map((ticks = 0) => ticks))
}

/** A child process that has just ended counts to its parent. */
function orNothing(processId: number): number {
  try {
    return processorTimeOf(processId)
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0
    throw error
  }
}

function toMs(ticks: number): number {
  msPerTick ??= 1_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return ticks * msPerTick
}
