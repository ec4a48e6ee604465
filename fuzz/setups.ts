import { createReceiver, type Receiver, type ReceiverOptions } from '../src/index.ts'
import { type Mounts, mountReceiver } from './mounts.ts'
import { mountVerifiers } from './verifying-mounts.ts'

export const CLIENT_ID = 'payhook-demo-client'
export const TOKEN = 'a-long-random&token'
export const TOKENS = ['another-callback-token', TOKEN]
export const MAX_BODY_BYTES = 512

/** An application in every framework, with its own use of payhook. */
export interface Setup extends Mounts {
  readonly name: 'handles' | 'needs token' | 'stores' | 'throws' | 'rejects' | 'verifies'
  /** The bodies that were handled or stored since it was last emptied. */
  readonly bodies: Buffer[]
}

let logged = ''
const log = (...line: unknown[]) => {
  logged += JSON.stringify(line)
}

/** What has been logged since the last call. */
export function takeLog(): string {
  const lines = logged
  logged = ''
  return lines
}

async function setUp(name: Setup['name'], options: Partial<ReceiverOptions> = {}): Promise<Setup> {
  const bodies: Buffer[] = []
  const add = (bytes: Uint8Array) => void bodies.push(Buffer.from(bytes))
  const inbox: ReceiverOptions['inbox'] = {
    async put({ rawBody }) {
      add(rawBody)
      return 'stored'
    },
    start: async () => {},
    stop: async () => {},
  }
  const receiver: Receiver = createReceiver({
    clientId: CLIENT_ID,
    maxBodyBytes: MAX_BODY_BYTES,
    logger: { warn: log, error: log },
    ...(name === 'stores' && { inbox }),
    ...options,
  })
  receiver.onAny((_event, { rawBody }) => {
    add(rawBody)
    const error = new Error(`a secret: ${TOKEN}`)
    if (name === 'throws') throw error
    return name === 'rejects' ? Promise.reject(error) : undefined
  })
  return { name, bodies, ...(await mountReceiver(receiver)) }
}

/** Without a receiver: the application responds. */
async function setUpVerifiers(): Promise<Setup> {
  const bodies: Buffer[] = []
  const options = { clientId: CLIENT_ID, maxBodyBytes: MAX_BODY_BYTES, callbackToken: TOKENS }
  const mounts = await mountVerifiers(options, (webhook) => {
    if (webhook === undefined) throw new Error('the webhook is missing')
    bodies.push(Buffer.from(webhook.context.rawBody))
  })
  return { name: 'verifies', bodies, ...mounts }
}

export const SETUPS = [
  await setUp('handles'),
  await setUp('needs token', { callbackToken: TOKENS }),
  await setUp('stores'),
  await setUp('throws'),
  await setUp('rejects'),
  await setUpVerifiers(),
] as [Setup, ...Setup[]]
