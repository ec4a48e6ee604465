import { spawnSync } from 'node:child_process'
import { clientId, notification, paymentId, tampered } from '../support/notification.ts'
import { floor } from './contestants/floor.ts'
import { octokit } from './contestants/octokit.ts'
import { standardWebhooks } from './contestants/standard-webhooks.ts'
import { stripe } from './contestants/stripe.ts'
import { svix } from './contestants/svix.ts'

/**
 * Runs a program of start-entries/ in a new process.
 *
 * @returns the time in milliseconds. The files are already in the system's cache.
 * @throws if it does not print the id of the payment
 */
export function runProgram(file: string): number {
  const started = performance.now()
  const { stdout, stderr } = run(file, notification)
  const took = performance.now() - started
  if (stdout.trim() !== paymentId) throw new Error(`${file} does not read the notification: ${stderr}`)
  return took
}

/** Whether a program fails on a tampered notification. */
export function rejectsTampered(file: string): boolean {
  const { status, stdout } = run(file, tampered)
  return status !== 0 && stdout === ''
}

function run(file: string, body: Buffer) {
  const input = JSON.stringify({ body: body.toString(), headers: signAll(), secret: clientId })
  return spawnSync(process.execPath, [file, input], { encoding: 'utf8' })
}

/** The right signature in every scheme. Created each time, as some signatures expire. */
function signAll(): Record<string, string> {
  const schemes = [floor, stripe, octokit, standardWebhooks, svix]
  return Object.assign({}, ...schemes.map(({ sign }) => sign(notification)))
}
