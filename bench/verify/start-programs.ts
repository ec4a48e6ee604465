/** A program that verifies and parses one event, like a serverless function on a cold start. */
export interface StartProgram {
  readonly name: string
  /** Its file in start-entries/. It gets the notification as an argument and prints the id of the payment. */
  readonly entry: string
  /** Whether it verifies. The others only validate, to show the cost of validation. */
  readonly verifies: boolean
  readonly targets?: StartTargets
}

/** payhook's targets. */
export interface StartTargets {
  /** Time beyond an empty process, as a ratio to stripe's. */
  readonly installed: number
  /** The same, both bundled. */
  readonly bundled: number
  readonly kilobytes: number
}

/** In the order of the table. The others are compared with the first. */
export const startPrograms: readonly StartProgram[] = [
  { name: 'stripe', entry: 'stripe.js', verifies: true },
  { name: '@octokit/webhooks-methods', entry: 'octokit.js', verifies: true },
  { name: 'svix', entry: 'svix.js', verifies: true },
  { name: 'standardwebhooks', entry: 'standard-webhooks.js', verifies: true },
  { name: 'zod alone, `import * as z`', entry: 'zod-namespace.js', verifies: false },
  { name: 'zod alone, `import { z }`', entry: 'zod-named.js', verifies: false },
  { name: 'zod/mini alone, `import * as z`', entry: 'zod-mini.js', verifies: false },
  {
    name: 'payhook',
    entry: 'payhook.js',
    verifies: true,
    targets: { installed: 0.65, bundled: 0.6, kilobytes: 33 },
  },
]
