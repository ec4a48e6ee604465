import { type Received, sendRequest } from '../../contracts/send-request.ts'

/** Calls the control API with a raw request. */
export async function control(
  sandbox: { readonly url: string },
  call: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Received> {
  const [method = '', path = ''] = call.split(' ')
  return await sendRequest(Number(new URL(sandbox.url).port), {
    method,
    path: `/_sandbox/${path}`,
    headers,
    ...(body === undefined
      ? {}
      : { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
  })
}
