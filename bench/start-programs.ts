/** A program that verifies and reads one event: what a serverless function does when it is woken. */
export interface StartProgram {
  readonly name: string
  /**
   * Its file in start-entries/, which takes the notification as an argument and prints the id of the payment.
   */
  readonly entry: string
  /** Whether it verifies; the ones that only validate are there to tell what validation costs. */
  readonly verifies: boolean
  readonly targets?: StartTargets
}

/** What payhook has set itself. */
export interface StartTargets {
  /** Time over an empty process, as a ratio to stripe's. */
  readonly installed: number
  /** The same, both bundled. */
  readonly bundled: number
  readonly kilobytes: number
}

/** In the order of the table; the first is what the others are compared with. */
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
