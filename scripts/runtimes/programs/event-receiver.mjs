import { createReceiver } from 'payhook'

const logger = { warn() {}, error() {} }

/** A receiver that responds with the event of a request, or with the error code. */
export function createEventReceiver(options) {
  let received
  const { receive } = createReceiver({ ...options, logger }).onAny((event) => {
    received = event
  })
  return {
    async receive(request) {
      const reply = await receive(request)
      return reply.status === 200 ? { ...reply, body: JSON.stringify(received) } : reply
    },
  }
}
