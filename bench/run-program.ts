import { spawnSync } from 'node:child_process'
import { floor } from './contestants/floor.ts'
import { octokit } from './contestants/octokit.ts'
import { standardWebhooks } from './contestants/standard-webhooks.ts'
import { stripe } from './contestants/stripe.ts'
import { svix } from './contestants/svix.ts'
import { clientId, notification, paymentId, tampered } from './notification.ts'

/**
 * Runs a program of start-entries/ to its end, in a new process.
 *
 * @returns how long that took, in milliseconds. The files are in the system's cache, since they have been read
 *   before.
 * @throws when it does not print the id of the payment
 */
export function runProgram(file: string): number {
  const started = performance.now()
  const { stdout, stderr } = run(file, notification)
  const took = performance.now() - started
  if (stdout.trim() !== paymentId) throw new Error(`${file} does not read the notification: ${stderr}`)
  return took
}

/** Whether a program fails on a tampered notification. */
export function refusesTampered(file: string): boolean {
  const { status, stdout } = run(file, tampered)
  return status !== 0 && stdout === ''
}

function run(file: string, body: Buffer) {
  const input = JSON.stringify({ body: body.toString(), headers: signAll(), secret: clientId })
  return spawnSync(process.execPath, [file, input], { encoding: 'utf8' })
}

/** The right signature of the notification in every scheme, made anew each time, as some let it expire. */
function signAll(): Record<string, string> {
  const schemes = [floor, stripe, octokit, standardWebhooks, svix]
  return Object.assign({}, ...schemes.map(({ sign }) => sign(notification)))
}
