// What every runtime serves: the event of a request, or the code of its refusal.
import { isPayhookError } from 'payhook'

export async function toAnswer(verifying) {
  try {
    return { status: 200, body: JSON.stringify((await verifying).event) }
  } catch (error) {
    if (!isPayhookError(error)) throw error
    return { status: error.status, body: JSON.stringify({ code: error.code }) }
  }
}
