// The server of every runtime: responds with the event of a request, or with the error code.
import { isPayhookError } from 'payhook'

export async function toReply(verifying) {
  try {
    return { status: 200, body: JSON.stringify((await verifying).event) }
  } catch (error) {
    if (!isPayhookError(error)) throw error
    return { status: error.status, body: JSON.stringify({ code: error.code }) }
  }
}
