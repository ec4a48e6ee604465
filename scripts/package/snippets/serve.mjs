// Serves what a snippet exports, or hands to Deno or Bun: node serve.mjs FILE
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

const file = process.argv[2]
let served
globalThis.Deno = {
  serve: (_options, respond) => {
    served = respond
  },
}
globalThis.Bun = {
  serve: ({ fetch }) => {
    served = fetch
  },
}
const { default: app, POST, handler } = await import(pathToFileURL(file).href)
const respond = handler ? respondToEvent : (served ?? POST ?? ((request) => app.fetch(request)))

async function respondToEvent(request) {
  const { pathname, search } = new URL(request.url)
  const { statusCode } = await handler({
    version: '2.0',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(request.headers),
    requestContext: { http: { method: request.method, path: pathname } },
    body: await request.text(),
    isBase64Encoded: false,
  })
  return new Response(null, { status: statusCode })
}

createServer(async (incoming, response) => {
  const { url, method, headers } = incoming
  const body = await buffer(incoming)
  const { status } = await respond(new Request(`http://localhost${url}`, { method, headers, body }))
  response.writeHead(status).end()
}).listen(3000)
