import type { Server } from 'node:http'
import { duplexPair } from 'node:stream'
import type { LambdaEvent, LambdaResult } from '../adapters/http/lambda.ts'
import { bodyOf, type ReceivedReply, type SentRequest, valuesOf } from './sent-request.ts'

/** Sends a request, and resolves to its reply. */
export type Send = (request: SentRequest) => Promise<ReceivedReply>

/** Through Node's HTTP parser, without a socket. */
export function overHttp(server: Server): Send {
  return async (request) => {
    const reply = await exchange(server, toHttp(request))
    const end = reply.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = reply.slice(0, end).split('\r\n')
    const header = (name: string) =>
      lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 2) ?? ''
    return {
      status: Number(statusLine.split(' ')[1]),
      type: header('content-type'),
      allow: header('allow'),
      body: reply.slice(end + 4),
    }
  }
}

/** A request that its sender does not end. Resolves once the connection is closed. */
export async function sendTruncated(server: Server, request: SentRequest): Promise<void> {
  const body = bodyOf(request)
  await exchange(server, [head(request, { 'content-length': String(body.length + 1) }), body], true)
}

/**
 * Writes each part by itself, as the server would get it from the network. Resolves when the server has ended.
 */
function exchange(server: Server, parts: readonly (string | Buffer)[], end = false): Promise<string> {
  const [client, connection] = duplexPair()
  return new Promise((resolve) => {
    let reply = ''
    client.setEncoding('utf8')
    client.on('data', (text: string) => {
      reply += text
    })
    client.on('end', () => {
      client.end()
      resolve(reply)
    })
    // The server destroys a connection whose request is not HTTP, or ends too early.
    connection.on('close', () => resolve(reply))
    connection.on('error', () => {})
    server.emit('connection', connection)
    for (const part of parts) client.write(part)
    if (end) client.end()
  })
}

function toHttp(request: SentRequest): (string | Buffer)[] {
  const isChunked = valuesOf(request.headers)['content-length'] === undefined
  if (!isChunked) return [head(request, {}), ...request.chunks]
  const chunks = request.chunks.filter(({ length }) => length > 0)
  const framed = chunks.flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n'])
  return [head(request, { 'transfer-encoding': 'chunked' }), ...framed, '0\r\n\r\n']
}

function head({ method, path, query, headers }: SentRequest, more: Readonly<Record<string, string>>): string {
  const lines = [...headers.filter(([name]) => !(name.toLowerCase() in more)), ...Object.entries(more)]
  const written = [['host', 'localhost'], ['connection', 'close'], ...lines].map((line) => line.join(': '))
  return `${method} ${path}${query} HTTP/1.1\r\n${written.join('\r\n')}\r\n\r\n`
}

export function overFetch(handler: (request: Request) => Promise<Response>): Send {
  return async ({ method, path, query, headers, chunks }) => {
    const body = method === 'GET' ? null : ReadableStream.from(chunks)
    const url = `http://localhost${path}${query}`
    const init = { method, headers: headers as [string, string][], body, duplex: 'half' } as RequestInit
    const response = await handler(new Request(url, init))
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      allow: response.headers.get('allow') ?? '',
      body: await response.text(),
    }
  }
}

/** The forms in which AWS passes a request. */
export const LAMBDA_FORMS = {
  'payload 1.0': (request, isText) => ({
    httpMethod: request.method,
    path: request.path,
    headers: lastOf(valuesOf(request.headers)),
    multiValueHeaders: valuesOf(request.headers),
    multiValueQueryStringParameters: decodedQuery(request.query),
    ...toBody(request, isText),
  }),
  'payload 2.0': (request, isText) => ({
    rawPath: request.path,
    rawQueryString: request.query.slice(1),
    headers: joinedOf(valuesOf(request.headers)),
    requestContext: { http: { method: request.method } },
    ...toBody(request, isText),
  }),
  'load balancer': (request, isText) => ({
    httpMethod: request.method,
    path: request.path,
    multiValueHeaders: valuesOf(request.headers),
    multiValueQueryStringParameters: rawQuery(request.query),
    requestContext: { elb: {} },
    ...toBody(request, isText),
  }),
} satisfies Record<string, (request: SentRequest, isText: boolean) => LambdaEvent>

export function overLambda(
  handler: (event: LambdaEvent) => Promise<LambdaResult>,
  toEvent: (request: SentRequest, isText: boolean) => LambdaEvent,
  isText: boolean,
): Send {
  return async (request) => {
    const { statusCode: status, headers, multiValueHeaders, body } = await handler(toEvent(request, isText))
    const header = (name: string) => headers?.[name] ?? multiValueHeaders?.[name]?.join() ?? ''
    return { status, type: header('content-type'), allow: header('allow'), body }
  }
}

/** @param isText whether to pass UTF-8 as it is */
function toBody(request: SentRequest, isText: boolean): Pick<LambdaEvent, 'body' | 'isBase64Encoded'> {
  const body = bodyOf(request)
  const text = body.toString()
  if (isText && Buffer.from(text).equals(body))
    return { body: text === '' ? null : text, isBase64Encoded: false }
  return { body: body.toString('base64'), isBase64Encoded: true }
}

type Values = Readonly<Record<string, readonly string[]>>

const lastOf = (values: Values) =>
  Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list.at(-1)]))
const joinedOf = (values: Values) =>
  Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list.join(',')]))

/** API Gateway decodes the query, a load balancer does not. */
function decodedQuery(query: string): Record<string, string[]> {
  const entries = [...new URLSearchParams(query)]
  return Object.fromEntries(entries.map(([name]) => [name, new URLSearchParams(query).getAll(name)]))
}

function rawQuery(query: string): Record<string, string[]> {
  const pairs = query
    .slice(1)
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split(/=(.*)/s))
  const names = pairs.map(([name = '']) => name)
  return Object.fromEntries(
    names.map((name) => [name, pairs.filter(([other]) => other === name).map(([, value = '']) => value)]),
  )
}
